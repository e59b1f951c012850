// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sim/core/prefetch.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

// Hints about memory that an event will soon touch.

/// What the engine reads of a message that is on its way or waits.
inline void prefetch_head(const Message* message) { prefetch_lines(message, 1); }
/// What its receiver reads beside that.
inline void prefetch_rest(const Message* message) { prefetch_lines(&message->termination, 1); }

/// The components below the workload. `present`: which there are, as ActorState says.
inline void prefetch_lower(const LowerStack& lower, std::uint32_t present) {
  constexpr std::size_t kLogging = index_of(Family::message_logging);
  for (std::uint32_t levels = present & ~1U; levels != 0; levels &= levels - 1) {
    const auto level = static_cast<std::size_t>(std::countr_zero(levels));
    const Component* component = lower.components[level - 1].get();
    if (component == nullptr) continue;  // its actor is dead
    prefetch(component, level == kLogging ? kFetchedOfComponent : sizeof(Component));
  }
}

/// Prefetches what belongs to the actors of a run, and to their nodes.
class Prefetching {
 public:
  Prefetching(const RunJob& job, const RunState& state) : job_(job), state_(state) {}

  void actor(ActorId of) const { prefetch_lines(&state_.actors[of], 1); }
  void outgoing(ActorId of) const { prefetch(&state_.network.outgoing(of), sizeof(Outgoing)); }
  /// What lies apart from an actor, and leads to its components. `lines`: of its rare state, in the
  /// second of which its timers are.
  void parts(ActorId of, std::size_t lines) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch_lines(actor.rare_state.get(), lines);
    if (actor.lower) prefetch_lines(actor.lower.get(), 1);
  }
  void program(ActorId of) const {
    if (const Component* program = state_.actors[of].workload.get()) prefetch(program, 128);
  }
  void components(ActorId of) const {
    program(of);
    const ActorState& actor = state_.actors[of];
    if (actor.lower) prefetch_lower(*actor.lower, actor.present);
  }
  void timers(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch(actor.rare_state->timers.data(), 64);
  }
  /// What an actor computes. Messages take it time, if workers handle them.
  void computation(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch(actor.rare_state->running.data(), sizeof(Computation));
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
