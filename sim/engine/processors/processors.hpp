// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/core/action.hpp"
#include "sim/engine/actors/common.hpp"
#include "sim/engine/events/recount.hpp"

namespace faultline::engine {

/// When the processors of actors do what: messages, timers, notices, computations. Calls no
/// handler, but returns what is to be handled.
class Processors {
 public:
  /// All must outlive it. `serial`: of the last timer or computation.
  Processors(const Common& run, std::uint32_t& serial)
      : run_(run),
        receptions_differ_(run.job.slows || run.job.has_costs_by_size),
        serial_(serial) {}

  // ---- how long things take ------------------------------------------------------------------
  /// When the actor's processor can handle something other than a message that is due now.
  [[nodiscard]] double free_s(ActorId actor) const {
    const double free_s = std::max(handling_s(actor), run_.state.actors[actor].cpu_free_s);
    return run_.job.slows ? run_.job.pace.running_s(run_.node_of(actor), free_s) : free_s;
  }
  /// When the actor's processor has done what takes work_s if nothing slows its node.
  [[nodiscard]] double done_s(ActorId actor, double begin_s, double work_s) const {
    if (!run_.job.slows) [[likely]]
      return begin_s + work_s;
    return run_.job.pace.done_s(run_.node_of(actor), begin_s, work_s);
  }
  /// How long such work of the actor's processor occupies a core now.
  [[nodiscard]] double occupied_s(ActorId actor, double work_s) const {
    if (!run_.job.slows) return work_s;
    return work_s * run_.job.pace.factor(run_.node_of(actor), run_.now_s());
  }
  /// True if the processor must not handle anything now: it waits at a fence or, under progress =
  /// between, every worker core computes. Then nobody polls, for messages of message logging
  /// neither; they come first when a worker is free.
  [[nodiscard]] bool is_blocked(const ActorState& actor) const {
    if (!actor.rare_state) return false;
    if (!actor.rare_state->fenced.empty()) return true;
    const auto& running = actor.rare_state->running;
    return run_.job.spec.platform.progress == scenario::Progress::between &&
           running.size() >= run_.job.shape.worker_cores &&
           std::none_of(running.begin(), running.end(),
                        [](const Computation& computation) { return computation.held; });
  }
  /// The processor of a rank, and its workers, do nothing for so long from when it has sent what it
  /// is sending. What it was doing goes on afterwards.
  void stall(ActorId self, double stall_s);

  // ---- messages ------------------------------------------------------------------------------
  /// Can a message that arrives now be handled now, if nothing else waits? An arrival's time
  /// includes the overhead of a processor that is free and that nothing slows, for a message of the
  /// least overhead.
  [[nodiscard]] bool receives_at_once(ActorId self, ActorState& actor,
                                      const Message& message) const {
    if (receptions_differ_) [[unlikely]]
      return receives_in_time(self, actor, message);
    return reception_done_s(self, actor, message) <= run_.now_s();
  }
  /// Has the processor received the next message of the inbox? There is one.
  [[nodiscard]] bool has_received(ActorId self, const ActorState& actor) const {
    return reception_done_s(self, actor, *actor.inbox_head) <= run_.now_s();
  }
  /// If messages wait in the inbox, the processor looks at them when it can.
  void schedule_wake(ActorState& actor, ActorId self) {
    if (actor.wake_pending || actor.inbox_is_empty() || is_blocked(actor)) return;
    actor.wake_pending = true;
    run_.state.schedule.add(
        std::max(run_.now_s(), reception_done_s(self, actor, *actor.inbox_head)), EventKind::wake,
        self, actor.incarnation);
  }
  /// What waits for the processor, which may have become free, is handled when it can be.
  void look_again(ActorId self) {
    await(self);
    schedule_wake(run_.state.actors[self], self);
  }

  // ---- timers, and what waits as they do -----------------------------------------------------
  /// Replaces a timer of the component with the same key.
  void set_timer(ActorId self, Family family, const Action::SetTimer& asked);
  void cancel_timer(ActorState& actor, Family family, std::uint64_t key);
  /// A timer no longer keeps the run alive: it is cancelled, handled, or put aside by message
  /// logging, which lets it wait for something else.
  void let_go(const ArmedTimer& timer) {
    if (!timer.held) run_.state.schedule.let_go(timer.background);
  }
  /// How long it is until a timer runs out, or 0 if it has and waits to be handled.
  [[nodiscard]] double left_s(const ArmedTimer& timer) const {
    return std::max(0.0, timer.due_s - run_.now_s());
  }
  /// True of the event of a timer that has been cancelled.
  [[nodiscard]] bool is_void(const Event& event) const;
  /// True of an event of a timer or a computation that no handler will hear of.
  [[nodiscard]] bool has_no_effect(const Event& event) const;
  [[nodiscard]] static bool timers_wait(const ActorState& actor) {
    return actor.rare_state && !actor.rare_state->due.empty();
  }
  /// Is it of the first of those that wait, which was to be handled when the processor is free?
  [[nodiscard]] static bool has_waited(const ActorState& actor, std::uint32_t serial) {
    return timers_wait(actor) && actor.rare_state->awaits_processor &&
           actor.rare_state->due.front().serial == serial;
  }
  /// A timer has run out, or has waited for the processor. Says what is to be handled now, after
  /// which await() is called; the rest waits.
  std::optional<Due> run_out(ActorId self, std::uint32_t serial);
  /// True if the actor can handle nothing now. What it is told then waits as a timer does that has
  /// run out.
  bool waits_as_timer(ActorId self, Due told);
  /// If timers wait, the first of them is handled when the processor is free. If that polls
  /// nothing, whoever ends that calls this again.
  void await(ActorId self);

  // ---- computations --------------------------------------------------------------------------
  /// A computation begins when the processor has sent the messages of the same handler.
  void start(ActorId self, Computation computation);
  /// A computation has ended: another one that waits gets its core.
  void end(ActorId self, std::uint32_t serial);
  /// Abandons computations. Others that wait for a core get one. The event that would have ended
  /// one stays in the queue, and has no effect when it comes.
  void abandon(ActorId self, const std::function<bool(const Computation&)>& is_meant);
  /// How much is left of a computation that runs, if nothing delays it.
  [[nodiscard]] double left_s(ActorId self, const Computation& running) const;
  /// Under progress = shared, what a rank's processor does takes its time from a worker core of the
  /// rank. A daemon without a core of its own takes it from the first rank of its node that
  /// computes.
  void take_from_workers(ActorId self, double spent_s);
  /// The first rank of a node that computes, or null.
  [[nodiscard]] ActorState* computing_on(NodeId node);

  void check(const ActorState& actor, Recount& recount) const;

 private:
  void check_inbox(const ActorState& actor, Recount& recount) const;
  void check_due(const ActorState& actor, Recount& recount) const;
  [[nodiscard]] double handling_s(ActorId actor) const;
  [[nodiscard]] double computed_s(ActorId actor, double begin_s, double work_s) const;
  [[nodiscard]] double reception_done_s(ActorId self, const ActorState& actor,
                                        const Message& next) const {
    return done_s(self, actor.cpu_free_s, run_.receive_overhead_s(next));
  }
  [[nodiscard, gnu::noinline]] bool receives_in_time(ActorId self, ActorState& actor,
                                                     const Message& message) const;
  void show(audit::Sight::Kind kind, ActorId self, double time_s, std::uint32_t computation) const;

  const Common run_;
  const bool receptions_differ_;  ///< one can take longer than another
  std::uint32_t& serial_;
};

}  // namespace faultline::engine
