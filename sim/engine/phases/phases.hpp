// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/actors/common.hpp"
#include "sim/engine/events/recount.hpp"
#include "sim/engine/membership/fencing.hpp"
#include "sim/engine/membership/reports.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/run_ending.hpp"
#include "sim/engine/verdict/tally.hpp"
#include "sim/engine/verdict/verdict.hpp"

namespace faultline::engine {

/// How ranks announce phases and begin the next, and how they come to their end.
class Phases {
 public:
  /// What phases act on, beside what all have in common. All must outlive them.
  struct Parts {
    RunEnding& ending;
    Network& network;
    Processors& processors;
    Turns& turns;
    Reports& reports;
    Fencing& fencing;
    Verdict& verdict;
    Tally& tally;
  };
  Phases(const Common& run, const Parts& parts)
      : run_(run),
        ending_(parts.ending),
        network_(parts.network),
        processors_(parts.processors),
        turns_(parts.turns),
        reports_(parts.reports),
        fencing_(parts.fencing),
        verdict_(parts.verdict),
        tally_(parts.tally) {}

  /// A rank knows that its phase is over.
  void announce(ActorId self);
  /// A rank begins its next phase, with a new detector.
  void start_phase(ActorId self);
  /// Messages that have come too early for the phase that has begun now are received.
  void release_early(ActorId self);
  /// For a message whose phase is not the receiver's: is it put aside? False if it can be handled
  /// now. If the receiver has announced its phase, a message of the next phase begins that phase.
  /// Else the message waits. Control messages of an earlier phase are stale and dropped.
  [[nodiscard]] bool keeps_waiting(ActorId self, Message* message);
  /// The workload of a rank has done all that it will do.
  void finish(ActorId self);
  /// A component of an actor cannot go on. That ends the job, but for one that is dead to it.
  void give_up(ActorId self, Family family, const char* reason);

  /// Messages that have come too early.
  void check(const ActorState& actor, Recount& recount) const;

 private:
  [[nodiscard]] bool only_doomed_go_on() const;

  const Common run_;
  RunEnding& ending_;
  Network& network_;
  Processors& processors_;
  Turns& turns_;
  Reports& reports_;
  Fencing& fencing_;
  Verdict& verdict_;
  Tally& tally_;
};

}  // namespace faultline::engine
