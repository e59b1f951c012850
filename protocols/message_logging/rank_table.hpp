// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/core/component_memory.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// What a rank knows of each of some others, in the order of their ranks. `Entry::rank` says of
/// whom. Most entries are found without a search, because their places are remembered by a hash.
template <class Entry>
class RankTable {
 public:
  /// Null if there is none. Valid until one is added.
  [[nodiscard]] Entry* find(Rank rank) {
    if (entries_.size() == 1) return is_at(0, rank) ? &entries_[0] : nullptr;
    std::uint8_t& remembered = remembered_[slot_of(rank)];
    if (is_at(remembered, rank)) return &entries_[remembered];
    const std::size_t place = place_of(rank);
    if (!is_at(place, rank)) return nullptr;
    if (place <= UINT8_MAX) remembered = static_cast<std::uint8_t>(place);
    return &entries_[place];
  }
  /// Fetches what is known of a rank ahead of time, if its place is remembered.
  void prefetch(Rank rank) const {
    const std::size_t place = remembered_[slot_of(rank)];
    if (place < entries_.size()) __builtin_prefetch(&entries_[place], 1);
  }
  /// Of a rank that has none.
  Entry& add(Entry entry) {
    const auto place = static_cast<std::ptrdiff_t>(place_of(entry.rank));
    return *entries_.insert(entries_.begin() + place, std::move(entry));
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  static constexpr std::size_t kSlots = 64;

  /// Ranks that exchange messages often lie powers of two apart.
  static std::size_t slot_of(Rank rank) {
    constexpr std::uint32_t kGolden = 0x9e3779b1;
    constexpr unsigned kShift = 26;
    static_assert(kSlots == std::size_t{1} << (32U - kShift));
    return (rank * kGolden) >> kShift;
  }
  [[nodiscard]] bool is_at(std::size_t place, Rank rank) const {
    return place < entries_.size() && entries_[place].rank == rank;
  }
  /// Where the entry of a rank is, or would be.
  [[nodiscard]] std::size_t place_of(Rank rank) const {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), rank,
                         [](const Entry& entry, Rank wanted) { return entry.rank < wanted; });
    return static_cast<std::size_t>(found - entries_.begin());
  }

  std::array<std::uint8_t, kSlots> remembered_{};  ///< places
  ComponentVector<Entry> entries_;
};

}  // namespace faultline
