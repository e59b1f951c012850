// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/transactions/world_members.hpp"
#include "sim/core/types.hpp"

namespace faultline::transactions {

/// The next live rank from `rank` on in that direction, or `rank` itself. `is_dead(rank)` is true
/// for the dead.
template <class IsDead>
Rank next_alive(Rank rank, std::uint32_t ranks, bool forward, const IsDead& is_dead) {
  Rank next = rank;
  do {
    next = forward ? (next + 1) % ranks : (next + ranks - 1) % ranks;
  } while (next != rank && is_dead(next));
  return next;
}

/// The ranks to which a rank passes on the revocation of a world, or the call to give up a
/// TryBlock, in this order: the neighbours +1, -1, +2, -2, +4, -4 ... up to half of the ranks, as
/// in Open MPI's reliable broadcast over the binomial graph. Dead ranks are left out, except that
/// the next live rank takes the place of a dead neighbour at distance 1. A neighbour at half of the
/// ranks is told twice.
template <class IsDead>
std::vector<Rank> revoke_targets(Rank self, std::uint32_t ranks, const IsDead& is_dead) {
  std::vector<Rank> targets;
  for (std::uint32_t distance = 1; distance <= ranks / 2; distance *= 2)
    for (const bool forward : {true, false}) {
      const Rank to = distance == 1 ? next_alive(self, ranks, forward, is_dead)
                                    : (self + (forward ? distance : ranks - distance)) % ranks;
      if (to != self && !is_dead(to)) targets.push_back(to);
    }
  return targets;
}

/// The ranks that a rank has to tell when it hears of a death after it has passed the revocation
/// on: the rank behind the dead neighbour on the ring may have heard of it from nobody. `is_dead`
/// is true for the dead neighbour, too.
template <class IsDead>
std::vector<Rank> mended_targets(Rank self, std::uint32_t ranks, Rank dead, const IsDead& is_dead) {
  const auto was_dead = [&](Rank rank) { return rank != dead && is_dead(rank); };
  std::vector<Rank> targets;
  for (const bool forward : {true, false}) {
    const Rank now = next_alive(self, ranks, forward, is_dead);
    if (next_alive(self, ranks, forward, was_dead) == dead && now != self) targets.push_back(now);
  }
  return targets;
}

/// The same for this rank of its world.
inline std::vector<Rank> revoke_targets(const WorldMembers& members) {
  return revoke_targets(members.rank(), members.world().size(),
                        [&](Rank rank) { return members.is_gone(rank); });
}
inline std::vector<Rank> mended_targets(const WorldMembers& members, Rank dead) {
  return mended_targets(members.rank(), members.world().size(), dead,
                        [&](Rank rank) { return members.is_gone(rank); });
}

}  // namespace faultline::transactions
