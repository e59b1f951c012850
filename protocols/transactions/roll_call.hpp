// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/checkpoints/saved_points.hpp"
#include "protocols/transactions/world_members.hpp"

namespace faultline::transactions {

/// The words in which a rank reports that it is ready for the next world.
struct ReadyWords {
  WorldEpoch epoch;
  std::uint64_t saved = 0;       ///< its newest checkpoint
  std::uint64_t oldest = 0;      ///< its oldest one
  std::uint32_t is_spawned = 0;  ///< not 0: a new process, which is in no world yet
  Rank data_rank = kNobody;      ///< whose data it has

  void digest(Digest& into) const { into.add(epoch, saved, oldest, is_spawned, data_rank); }
};

/// A rank that is ready, and the checkpoints that it keeps for others.
struct Ready {
  Incarnation from;
  ReadyWords words;
  std::vector<checkpoints::HeldPoints> held;

  [[nodiscard]] bool is_spawned() const { return words.is_spawned != 0; }
  void digest(Digest& into) const { into.add(from, words, held); }
};

/// The other ranks that have reported that they are ready for the next world, and what they have to
/// go on from.
class RollCall {
 public:
  /// Notes a report, unless a later one of that actor is there: a message from an earlier world may
  /// come later.
  void put(const Ready& ready);
  void erase(Incarnation process) {
    std::erase_if(entries_, [&](const Ready& ready) { return ready.from == process; });
  }
  void reserve(std::size_t ranks) { entries_.reserve(ranks); }
  /// True if all that the next world needs are ready: the living, and a new process for each of the
  /// dead unless the world `shrinks`.
  [[nodiscard]] bool is_complete(const WorldMembers& members, bool shrinks) const;

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // By actor, ascending.
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  void digest(Digest& into) const { into.add(entries_); }

 private:
  std::vector<Ready> entries_;
};

// The latest checkpoint that all of the next world have, as its leader sees it, which has `own`
// itself. Nothing if one rank's is lost.

/// In a storage that all share: there, a checkpoint is complete as soon as any rank knows it.
std::uint64_t point_in_storage(const Ready& own, const RollCall& others);
/// On the nodes of the ranks, where new processes have looked for it. `together`: all take a
/// checkpoint together, which is on all nodes as soon as any rank knows that it is complete.
std::optional<std::uint64_t> point_on_nodes(const Ready& own, const RollCall& others,
                                            bool together);
/// With the ranks themselves, or with the partners that keep copies for them. In a world that
/// `shrinks`, nobody needs the data of the dead.
std::optional<std::uint64_t> point_with_partners(const Ready& own, const RollCall& others,
                                                 const WorldMembers& members, bool shrinks);

}  // namespace faultline::transactions
