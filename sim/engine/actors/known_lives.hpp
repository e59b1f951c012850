// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/actors/ordered.hpp"

namespace faultline::engine {

/// Which peers an actor knows to live in a later incarnation than their first.
class KnownLives {
 public:
  /// The latest incarnation of the peer that it knows of.
  [[nodiscard]] Incarnation of(ActorId peer) const {
    const auto found = place_of(peer);
    return found != list_.end() && found->actor == peer ? *found : Incarnation{peer, 0};
  }
  /// From now on it is that one.
  void learn(Incarnation life) {
    const auto found = place_of(life.actor);
    if (found != list_.end() && found->actor == life.actor)
      list_[static_cast<std::size_t>(found - list_.begin())] = life;
    else
      list_.insert(found, life);
  }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  void check() const {
    const auto rises = [](Incarnation one, Incarnation next) { return one.actor < next.actor; };
    invariant(ordered(list_, rises), "restarts that an actor knows of are not sorted");
  }
  void digest(Digest& into) const { into.add(list_); }

 private:
  [[nodiscard]] std::vector<Incarnation>::const_iterator place_of(ActorId peer) const {
    return std::lower_bound(list_.begin(), list_.end(), peer,
                            [](Incarnation life, ActorId sought) { return life.actor < sought; });
  }

  std::vector<Incarnation> list_;
};

}  // namespace faultline::engine
