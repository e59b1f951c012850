// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "sim/core/digest.hpp"

namespace faultline {

/// A set of numbers, whose memory grows with the number of gaps in it.
class NumberSet {
 public:
  /// Adds the numbers from `begin` to below `end`, of which there must be one. Returns how many of
  /// them were not in the set before.
  std::uint64_t add(std::uint32_t begin, std::uint32_t end);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void digest(Digest& into) const { into.add(ranges_); }

 private:
  std::map<std::uint32_t, std::uint32_t> ranges_;  ///< begin -> end, neither touching
  std::uint64_t size_ = 0;
};

}  // namespace faultline
