// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sim/core/prefetch.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

// Hints about memory that an event will soon touch.

/// What the engine reads of a message that is on its way or waits.
inline void prefetch_head(const Message* message) { prefetch_lines(message, 1); }
/// What its receiver reads beside that.
inline void prefetch_rest(const Message* message) { prefetch_lines(&message->termination, 1); }

/// Its first two lines. Most components have there what every message needs.
inline void prefetch_component(const Component* component) {
  if (component != nullptr) prefetch(component, 2 * kCacheLine);
}

/// Prefetches what belongs to the actors of a run, and to their nodes.
class Prefetching {
 public:
  Prefetching(const RunJob& job, const RunState& state) : job_(job), state_(state) {}

  void actor(ActorId of) const { prefetch_lines(&state_.actors[of], 1); }
  void outgoing(ActorId of) const { prefetch(&state_.network.outgoing(of), sizeof(Outgoing)); }
  /// What lies apart from an actor, and leads to its components and timers.
  void parts(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch_lines(actor.rare_state.get(), 2);
    if (actor.lower) prefetch_lines(actor.lower.get(), 1);
  }
  void components(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    prefetch_component(actor.workload.get());
    if (!actor.lower) return;
    for (const Boxed<Component>& component : actor.lower->components)
      prefetch_component(component.get());
  }
  void timers(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch(actor.rare_state->timers.data(), 64);
  }
  /// What an actor computes. Messages take it time, if workers handle them.
  void computation(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state && !actor.rare_state->running.empty())
      prefetch(actor.rare_state->running.data(), sizeof(Computation));
  }
  /// The last message that waits, behind which another one will stand.
  void inbox_tail(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (!actor.inbox_is_empty()) prefetch_head(actor.inbox_tail);
  }
  /// The message that is to be received next.
  void inbox(ActorId of) const {
    if (const Message* message = state_.actors[of].inbox_head) prefetch_lines(message, 2);
  }
  /// What takes in a message that comes to a node.
  void intake(NodeId node) const {
    static_assert(kCacheLine % alignof(Nic) == 0 && alignof(Nic) == sizeof(Nic));
    prefetch_lines(&state_.network.nic(node), 1);
  }
  /// What messages leave a node by.
  void nic(NodeId node) const {
    intake(node);
    prefetch_lines(job_.routes.place(node), 1);
    const auto& links = state_.network.detection_link_bytes();
    if (links.empty()) return;
    const std::size_t ports = job_.routes.ports();
    prefetch(&links[node * ports], ports * sizeof(links[0]));
  }

 private:
  const RunJob& job_;
  const RunState& state_;
};

}  // namespace faultline::engine
