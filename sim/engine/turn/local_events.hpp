// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/local_events.hpp"
#include "sim/engine/actors/common.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/turn/turns.hpp"

namespace faultline::engine {

/// What happens at an actor without a message: a timer runs out, or a computation ends. Where
/// message logging says when such things are handled (OrdersLocalEvents), it is asked first, in a
/// turn of its own.
class LocalEvents {
 public:
  LocalEvents(const Common& run, Processors& processors, Turns& turns)
      : run_(run), processors_(processors), turns_(turns) {}

  /// Calls the handler of a timer, unless it has been cancelled.
  void fire_timer(ActorId self, std::uint32_t serial);
  /// A computation may have ended, unless messages took its core in the meantime.
  void compute_done(ActorId self, std::uint32_t serial);
  /// A component abandons what it computes. Messages and timers that have waited for a core to be
  /// free are handled now.
  void cancel_computations(ActorId self, Family family);

 private:
  [[nodiscard]] bool may_happen(ActorId self, const LocalEvent& event);
  [[nodiscard]] bool can_come(ActorId self, const LocalEvent& event) const;
  void leave_out_cancelled(ActorId self);
  void offer_held_events(ActorId self);

  const Common run_;
  Processors& processors_;
  Turns& turns_;
};

}  // namespace faultline::engine
