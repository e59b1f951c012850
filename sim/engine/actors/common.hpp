// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/actors/reached.hpp"
#include "sim/engine/actors/shared_state.hpp"
#include "sim/engine/job/run_job.hpp"

namespace faultline::engine {

/// What every room that acts on a run needs of it. All of it outlives the rooms.
struct Common {
  const RunJob& job;
  SharedState& state;
  Reached& reached;
  audit::RunObserver* const& observer;  ///< null if nobody watches the run

  [[nodiscard]] double now_s() const { return state.schedule.now_s(); }
  [[nodiscard]] const platform::Machine& machine() const { return job.spec.platform.machine; }
  [[nodiscard]] NodeId node_of(ActorId actor) const { return state.placement.node_of(actor); }
  [[nodiscard]] bool is_rank(ActorId actor) const { return job.is_rank(actor); }
  /// Processor time of its sender, if nothing slows that.
  [[nodiscard]] double send_overhead_s(const Message& message) const {
    if (!job.has_costs_by_size) [[likely]]
      return machine().send_overhead_s;
    return job.send_overhead_s(message.bytes, node_of(message.from) == node_of(message.to));
  }
  /// Processor time of its receiver, if nothing slows that.
  [[nodiscard]] double receive_overhead_s(const Message& message) const {
    if (!job.has_costs_by_size) [[likely]]
      return machine().receive_overhead_s;
    return job.receive_overhead_s(message.bytes, node_of(message.from) == node_of(message.to));
  }
  /// The number of ranks and, if there are daemons, of daemons.
  [[nodiscard]] std::uint32_t actor_count() const {
    return static_cast<std::uint32_t>(state.actors.size());
  }
  [[nodiscard]] Incarnation incarnation_of(ActorId actor) const {
    return {actor, state.actors[actor].incarnation};
  }
  [[nodiscard]] bool lives(Incarnation life) const {
    return state.actors[life.actor].lives_as(life.number);
  }
  /// The latest incarnation of the peer that the actor knows of.
  [[nodiscard]] Incarnation known(ActorId self, ActorId peer) const {
    if (!state.roll.any_restart()) return {peer, 0};
    if (self == peer) return incarnation_of(self);
    const auto& rare = state.actors[self].rare_state;
    return rare ? rare->restarted.of(peer) : Incarnation{peer, 0};
  }
  /// Shows an event to the observer. Called only after `if (observer != nullptr)`, so that a run
  /// without an observer does not pay for it.
  [[gnu::cold]] void show(const audit::Sight& sight) const { observer->see(sight); }
  /// Shows what an actor does now, or what happens to it, if somebody watches.
  void show_about(audit::Sight::Kind kind, ActorId actor, ActorId peer = kNobody) const {
    if (observer == nullptr) return;
    show({.kind = kind,
          .time_s = now_s(),
          .actor = actor,
          .peer = peer,
          .value = state.actors[actor].phase});
  }
};

}  // namespace faultline::engine
