// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// What a rank knows of each of some others, in the order of their ranks. `Entry::rank` says of
/// whom.
template <class Entry>
class RankTable {
 public:
  /// Null if there is none. Valid until one is added.
  [[nodiscard]] Entry* find(Rank rank) {
    const auto place = place_of(rank);
    return place != entries_.end() && place->rank == rank ? &*place : nullptr;
  }
  /// Adds the entry of a rank that has none.
  Entry& add(Entry entry) { return *entries_.insert(place_of(entry.rank), std::move(entry)); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  /// Where the entry of a rank is, or would be.
  [[nodiscard]] auto place_of(Rank rank) {
    return std::lower_bound(entries_.begin(), entries_.end(), rank,
                            [](const Entry& entry, Rank wanted) { return entry.rank < wanted; });
  }

  std::vector<Entry> entries_;
};

}  // namespace faultline
