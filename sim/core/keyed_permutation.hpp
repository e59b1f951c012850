// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "sim/core/digest.hpp"
#include "sim/core/split_mix.hpp"

namespace faultline {

/// A permutation of 0..size-1 that a key picks. It takes 24 bytes whatever the size is, where a
/// shuffled list would take a word for each number: for actors each of which goes through all
/// others in an order of its own.
///
/// It is a Feistel network over the smallest even number of bits that holds all numbers (Luby and
/// Rackoff, SIAM J. Comput. 17(2), 1988), whose round function is the finaliser of SplitMix64.
/// Where it leads outside of 0..size-1 it is applied again until it leads back (cycle walking:
/// Black and Rogaway, CT-RSA 2002), fewer than four times on average.
class KeyedPermutation {
 public:
  KeyedPermutation() = default;
  /// size > 0.
  KeyedPermutation(std::uint32_t size, std::uint64_t key)
      : key_(split_mix(key)),
        size_(size),
        half_bits_((static_cast<std::uint32_t>(std::bit_width(size - 1)) + 1) / 2) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// The number at this position, which is below size().
  [[nodiscard]] std::uint32_t operator()(std::uint32_t position) const {
    std::uint32_t number = position;
    do number = step(number);
    while (number >= size_);
    return number;
  }
  void digest(Digest& into) const { into.add(key_, size_); }

 private:
  /// With halves of one or two bits, orders of few numbers are as likely as each other from here
  /// on.
  static constexpr std::uint64_t kRounds = 8;

  [[nodiscard]] std::uint32_t step(std::uint32_t number) const {
    const std::uint32_t mask = (std::uint32_t{1} << half_bits_) - 1;
    std::uint32_t left = number >> half_bits_;
    std::uint32_t right = number & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const auto mixed = static_cast<std::uint32_t>(split_mix(key_ ^ (round << 32U | right)));
      const std::uint32_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t key_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t half_bits_ = 0;
};

}  // namespace faultline
