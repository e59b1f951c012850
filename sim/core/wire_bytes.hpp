#pragma once

#include <algorithm>
#include <cstdint>

namespace faultline {

/// The size of a message on the wire, whose parts were added up in 64 bits. A message has at most
/// 4 GiB - 1: what is larger counts as that.
constexpr std::uint32_t wire_bytes(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
}

}  // namespace faultline
