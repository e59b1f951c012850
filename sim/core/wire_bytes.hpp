// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace faultline {

/// The most that a scenario can state as the size of one thing, such as a message, an image or an
/// entry of a list: 1 TB.
inline constexpr double kLargestSize_B = 1e12;

/// A message has room for the number of its bytes up to here, 256 TiB - 1: the sum of as many of
/// the largest things as a message ever has in it.
inline constexpr std::uint64_t kLongestMessage_B = (std::uint64_t{1} << 48) - 1;

/// The size of a message on the wire: what is longer than the longest message counts as that.
constexpr std::uint64_t wire_bytes(std::uint64_t bytes) {
  return std::min(bytes, kLongestMessage_B);
}

}  // namespace faultline
