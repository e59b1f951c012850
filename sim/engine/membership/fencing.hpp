// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/engine/actors/common.hpp"
#include "sim/engine/membership/faults.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/verdict/run_ending.hpp"

namespace faultline::engine {

/// Ends processes that are declared dead and live, as the resource manager does where
/// `platform.fencing` asks for it. Until then they act, and only actors that have declared them
/// dead refuse their messages. For all others a fence is a death: actors that know of the report
/// already are told nothing new, and the rest hear of it as of any death.
class Fencing {
 public:
  Fencing(const Common& run, MembershipState& state, RunEnding& ending, Faults& faults)
      : run_(run), state_(state), ending_(ending), faults_(faults) {}

  /// An actor has declared a peer dead that lives. The manager ends the peer after some time,
  /// unless it does not believe the actor, cannot reach the peer, or will do so anyway.
  void accuse(Incarnation accuser, Incarnation accused);
  /// The time has come, by the number of the accusation. A daemon takes the ranks of its node
  /// along. What the process has sent and the network holds still arrives.
  void fence(std::uint32_t accusation);
  /// An actor gives up. If it is dead to the manager, it ends alone, as by its fence. False if not:
  /// then the job ends.
  [[nodiscard]] bool ends_alone(ActorId self);

 private:
  [[nodiscard]] double reached_s(ActorId actor, double from_s) const;
  [[nodiscard]] bool is_dead_to_manager(ActorId actor, double heard_s) const;

  const Common run_;
  MembershipState& state_;
  RunEnding& ending_;
  Faults& faults_;
};

}  // namespace faultline::engine
