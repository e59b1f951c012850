// SPDX-License-Identifier: Apache-2.0
#include "sim/core/fnv1a.hpp"

namespace faultline {

std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return hash;
}

std::string fnv1a_hex(const std::string& text) {
  std::uint64_t hash = fnv1a(text);
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4U) digits[i] = "0123456789abcdef"[hash & 15U];
  return digits;
}

}  // namespace faultline
