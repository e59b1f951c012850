#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/engine/run_job.hpp"
#include "sim/engine/run_state.hpp"

namespace faultline {

// Hints about memory that an event will soon touch. They change no result. GCC believes that a
// function that only prefetches has no effect, and drops its calls; the empty asm prevents that.

inline constexpr std::size_t kOftenUsed = 128;  ///< of RareState, from its beginning
/// Of a component of message logging, which looks at more with each message than others do.
inline constexpr std::size_t kOftenUsedOfLogging = 640;

inline void prefetch(const void* begin, std::size_t bytes) {
  const auto* byte = static_cast<const char*>(begin);
  for (std::size_t line = 0; line < bytes; line += kCacheLine) __builtin_prefetch(byte + line);
  asm volatile("");
}

/// What the engine reads of a message that is on its way or waits.
inline void prefetch_head(const Message* message) { prefetch(message, kCacheLine); }
/// What its receiver reads beside that.
inline void prefetch_rest(const Message* message) {
  prefetch(&message->termination, sizeof(Message) - kCacheLine);
}

inline void prefetch_lower(const LowerStack& lower) {
  for (const auto& component : lower.components)
    if (component) prefetch(component.get(), sizeof(Component));
  const auto& logging = lower.components[index_of(Family::message_logging)];
  if (logging) prefetch(logging.get(), kOftenUsedOfLogging);
}

/// Prefetches what belongs to the actors of a run, and to their nodes.
class Prefetching {
 public:
  Prefetching(const RunJob& job, const RunState& state) : job_(job), state_(state) {}

  void actor(ActorId of) const { prefetch(&state_.actors[of], sizeof(ActorState)); }
  /// What lies apart from an actor, and leads to its components and timers.
  void parts(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch(actor.rare_state.get(), kOftenUsed);
    if (actor.lower) prefetch(actor.lower.get(), sizeof(actor.lower->components));
  }
  void components(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.workload) prefetch(actor.workload.get(), 128);
    if (actor.lower) prefetch_lower(*actor.lower);
    inbox_tail(of);
    nic(of);
  }
  void timers(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch(actor.rare_state->timers.data(), 64);
    components(of);
  }
  /// What an actor computes. Messages take it time, if workers handle them.
  void computation(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.rare_state) prefetch(actor.rare_state->running.data(), sizeof(Computation));
  }
  /// The last message that waits, behind which another one will stand.
  void inbox_tail(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.inbox_tail != nullptr) prefetch_head(actor.inbox_tail);
  }
  /// The message that is to be received next.
  void inbox(ActorId of) const {
    const ActorState& actor = state_.actors[of];
    if (actor.inbox_tail != nullptr) prefetch(actor.inbox_tail->next, sizeof(Message));
  }
  void nic(ActorId of) const {
    const NodeId node = state_.placement.node_of(of);
    prefetch(&state_.nics[node], sizeof(Nic));
    prefetch(job_.routes.place(node), sizeof(std::uint32_t));
    const auto& links = state_.detection_link_bytes;
    if (links.empty()) return;
    const std::size_t ports = job_.routes.ports();
    prefetch(&links[node * ports], ports * sizeof(links[0]));
  }

 private:
  const RunJob& job_;
  const RunState& state_;
};

}  // namespace faultline
