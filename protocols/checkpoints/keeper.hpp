// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/core/context.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/placement.hpp"

namespace faultline {

/// The rank that keeps the checkpoints of `self`: the first on another node from the same place of
/// the next node on. kNobody if all ranks lie on one node.
Rank keeper_of(const Placement& placement, const JobShape& job, Rank self);

/// What a process keeps of other ranks. `Entry::rank` says of which one.
template <class Entry>
class KeptForOthers {
 public:
  /// What is kept of that rank, which is nothing at first. Valid until another one is asked for.
  Entry& of(Rank rank) {
    auto place =
        std::lower_bound(entries_.begin(), entries_.end(), rank,
                         [](const Entry& entry, Rank wanted) { return entry.rank < wanted; });
    if (place == entries_.end() || place->rank != rank) {
      place = entries_.insert(place, Entry{});
      place->rank = rank;
    }
    return *place;
  }
  /// Forgets the ranks of whose entries that holds.
  template <class Condition>
  void erase_if(Condition condition) {
    std::erase_if(entries_, condition);
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // By rank.
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  void digest(Digest& into) const { into.add(entries_); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace faultline
