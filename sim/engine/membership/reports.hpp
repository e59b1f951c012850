// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/actors/common.hpp"
#include "sim/engine/events/recount.hpp"
#include "sim/engine/membership/faults.hpp"
#include "sim/engine/membership/fencing.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/run_ending.hpp"

namespace faultline::engine {

/// What an actor is told of its peers by its own failure detector: that they are dead, rightly or
/// not, that they live after all, and that they live again. The rest of its stack hears of it.
class Reports {
 public:
  /// What it acts on, beside the deaths and what all have in common. All must outlive it.
  struct Parts {
    RunEnding& ending;
    Turns& turns;
    Faults& faults;
    Fencing& fencing;
  };
  Reports(const Common& run, MembershipState& state, const Parts& parts)
      : run_(run),
        state_(state),
        ending_(parts.ending),
        turns_(parts.turns),
        faults_(parts.faults),
        fencing_(parts.fencing) {}

  /// An actor declares an incarnation of a peer dead. A report of a daemon is one of the ranks that
  /// it hosted, too, which have died with it or before it, or of those that it hosts, if the report
  /// is false. What it costs does not depend on the number of ranks, and hardly on the number of
  /// deaths.
  void report_failed(ActorId self, Incarnation peer);
  /// An actor takes back that a peer is dead, and with a daemon that the ranks on its node are.
  /// What it refuses arrives again from now on. The stack is not told, because nothing in it acts
  /// on deaths where this can happen. A report that has come true stays.
  void take_back(ActorId self, Incarnation peer);
  /// From now on the actor knows of this incarnation of the peer. If its failure detector had not
  /// heard of the death before and reports it now, the stack hears of that first.
  void learn(ActorId self, Incarnation peer);
  /// Has the actor declared that incarnation of the peer dead, by itself or with its node?
  [[nodiscard]] bool has_declared(ActorId self, Incarnation peer) const;
  /// The peers that this actor has declared dead, in the order of their numbers.
  [[nodiscard]] std::vector<Incarnation> known_failures(ActorId self) const;
  /// Has a rank heard of a death since this was asked last? Then the run may be over, once all that
  /// follows is done.
  [[nodiscard]] bool take_news() { return heard_news_ && std::exchange(heard_news_, false); }

  void check(const ActorState& actor, Recount& recount) const;

 private:
  void report_death(ActorId self, std::uint32_t death);
  void hear_of_ranks(ActorId self, Incarnation daemon);
  void report_falsely(ActorId self, Incarnation peer);
  void tell_of_death(ActorId self, Incarnation peer);
  [[nodiscard]] const Refusal* refusal_of(ActorId self, Incarnation peer) const;

  const Common run_;
  MembershipState& state_;
  RunEnding& ending_;
  Turns& turns_;
  Faults& faults_;
  Fencing& fencing_;
  bool heard_news_ = false;  ///< in this event
};

}  // namespace faultline::engine
