// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sim/engine/actors/common.hpp"
#include "sim/engine/turn/turns.hpp"

namespace faultline::engine {

/// Makes the stack of components of an actor, and starts it.
class Stacks {
 public:
  Stacks(const Common& run, Turns& turns) : run_(run), turns_(turns) {}

  /// Makes all components that live where the actor is.
  void make(ActorId actor) { make_levels(actor, kFamilies); }
  /// Makes those above that layer anew, as they were before the actor first started.
  void make_above(ActorId actor, Family layer) { make_levels(actor, index_of(layer)); }
  /// In a new incarnation, only the detector and message logging start at once. The components
  /// above wait until message logging has their image, or starts them anew.
  void start(ActorId actor);
  /// Starts the components above that layer.
  void start_above(ActorId actor, Family layer) { start_levels(actor, 0, index_of(layer)); }

 private:
  void make_levels(ActorId actor, std::size_t below);
  [[nodiscard]] std::uint64_t stream_of(ActorId actor, const StackPlace& place) const;
  void start_levels(ActorId actor, std::size_t top, std::size_t below);

  const Common run_;
  Turns& turns_;
};

}  // namespace faultline::engine
