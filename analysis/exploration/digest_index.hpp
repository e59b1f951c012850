// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline::exploration {

/// Numbers by digests, in one piece of memory: a search looks up several for each step, and would
/// spend most of its time following pointers.
class DigestIndex {
 public:
  static constexpr std::uint32_t kNothing = 0xffffffff;

  /// The number of that digest; kNothing if it has none.
  [[nodiscard]] std::uint32_t find(const StateDigest& digest) const {
    return slots_[slot_of(digest)].number;
  }
  /// Gives a digest that number, which is not kNothing. Returns the number that it already has, if
  /// it has one.
  std::uint32_t insert(const StateDigest& digest, std::uint32_t number) {
    if (3 * (size_ + 1) > 2 * slots_.size()) grow();
    Slot& slot = slots_[slot_of(digest)];
    if (slot.number != kNothing) return slot.number;
    slot = {digest, number};
    ++size_;
    return number;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.number != kNothing) visit(slot.digest, slot.number);
  }
  void clear() {
    if (size_ > 0) slots_.assign(slots_.size(), Slot());
    size_ = 0;
  }
  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  static constexpr std::size_t kFirstSlots = 1024;  ///< a power of two, like all later sizes
  struct Slot {
    StateDigest digest;
    std::uint32_t number = kNothing;
  };
  /// The place where the digest is, or would be.
  [[nodiscard]] std::size_t slot_of(const StateDigest& digest) const {
    std::size_t slot = digest.low & (slots_.size() - 1);
    while (slots_[slot].number != kNothing && slots_[slot].digest != digest)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kNothing) slots_[slot_of(slot.digest)] = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFirstSlots);
  std::size_t size_ = 0;
};

}  // namespace faultline::exploration
