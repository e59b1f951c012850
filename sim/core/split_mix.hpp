// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace faultline {

/// One step of SplitMix64: its constant is added and its finaliser applied (Steele, Lea, Flood:
/// Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). Different words give different
/// results, and each bit of the word changes each bit of the result with a probability near 1/2.
constexpr std::uint64_t split_mix(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

}  // namespace faultline
