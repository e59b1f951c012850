// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/actors/common.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/turn/turns.hpp"

namespace faultline::engine {

/// Answers actors that have asked to be told when nothing from a peer to them is in flight any more
/// (TerminationContext::flush).
class Flushes {
 public:
  Flushes(const Common& run, Network& network, Turns& turns)
      : run_(run), network_(network), turns_(turns) {}

  void flush(ActorId self, const Flush& asked);
  /// Something from that incarnation to the actor is no longer in flight: it has been handled, or
  /// will not be.
  void arrived(Incarnation from, ActorId to) {
    if (run_.state.roll.any_flush()) answer_flushes(to, from);
  }

 private:
  void answer_flushes(ActorId self, Incarnation peer);
  [[nodiscard]] bool is_in_flight(Incarnation from, ActorId to);

  const Common run_;
  Network& network_;
  Turns& turns_;
};

}  // namespace faultline::engine
