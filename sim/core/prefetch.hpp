// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sim/core/large_pages.hpp"

namespace faultline {

// Hints about memory that will soon be looked at. They change no result. GCC believes that a
// function that only prefetches has no effect, and drops its calls; the empty asm prevents that.

/// Prefetches the first lines of something that begins with a cache line.
inline void prefetch_lines(const void* begin, std::size_t lines) {
  const char* const first = static_cast<const char*>(begin);
  for (std::size_t line = 0; line < lines; ++line) __builtin_prefetch(first + line * kCacheLine);
  asm volatile("");
}

inline void prefetch(const void* begin, std::size_t bytes) {
  const char* const first = static_cast<const char*>(begin);
  for (std::size_t byte = 0; byte + 1 < bytes; byte += kCacheLine) __builtin_prefetch(first + byte);
  __builtin_prefetch(first + bytes - 1);  // what begins within a line ends in one more
  asm volatile("");
}

}  // namespace faultline
