// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "protocols/termination/entries_by_rank.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::termination {

/// A process that a successor may have engaged.
struct PotentialChild {
  Rank rank = kNobody;
  /// The number of INTERIOR signals received from it minus that of EXTERIOR ones. It can be
  /// negative, since messages may be out of order.
  std::int32_t interior = 0;
  bool unknown = false;    ///< its signals went to another process, so it may be interior
  bool recovered = false;  ///< it has failed, and the successor has adopted all its children

  void digest(Digest& into) const { into.add(rank, interior, unknown, recovered); }
};

/// A process that owes acknowledgements, and its potential children in its present engagement.
struct Successor {
  Rank rank = kNobody;
  std::uint32_t acks_owed = 0;
  std::uint32_t engagement = 0;  ///< the present one; notes about earlier ones are stale
  std::uint32_t asked = 0;       ///< RELEAGER: version of its grandparent that it must confirm
  bool adopted = false;          ///< RELLAZY: its children do not know their grandparent
  /// RELEAGER as printed: the successor's answer.
  enum Condition : std::uint8_t { kNotEngaged, kExterior, kInterior } condition = kNotEngaged;
  EntriesByRank<PotentialChild> potential_children;

  void digest(Digest& into) const {
    into.add(rank, acks_owed, engagement, asked, adopted, condition, potential_children);
  }
};

/// The successors of a process, by rank. The memory of erased entries is used for new ones, so that
/// messages allocate nothing.
class Successors {
 public:
  /// Returns null if the rank owes nothing.
  [[nodiscard]] Successor* find(Rank rank) { return entries_.find(rank); }
  [[nodiscard]] bool contains(Rank rank) { return find(rank) != nullptr; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Adds the successor if it is not there.
  Successor& operator[](Rank rank);
  void erase(Rank rank);

  /// Returns false if that is an earlier engagement of the successor. A later one becomes the
  /// present one, and everything that the successor has told before is forgotten.
  bool is_present(Successor& successor, std::uint32_t engagement);
  /// Adds the child if it is not there.
  PotentialChild& potential_child(Successor& successor, Rank child);

  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  void digest(Digest& into) const { into.add(entries_); }
  /// The bytes to be stored: O(f) successors with O(f) potential children each.
  [[nodiscard]] std::size_t bytes() const {
    return size_ * sizeof(Successor) + potential_children_ * sizeof(PotentialChild);
  }

 private:
  void forget_children_of(const Successor& successor);

  EntriesByRank<Successor> entries_;
  std::size_t size_ = 0;
  std::size_t potential_children_ = 0;  ///< of all successors
};

}  // namespace faultline::termination
