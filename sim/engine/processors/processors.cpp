// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/processors/processors.hpp"

#include "sim/core/invariant.hpp"
#include "sim/engine/actors/ordered.hpp"

namespace faultline::engine {

// ---- how long things take ---------------------------------------------------------------------

/// When the actor can handle what is due now. A daemon handles nothing until it has launched its
/// processes, nor does anybody while the processors of the node are taken away. Messages wait for
/// the processor anyway.
double Processors::handling_s(ActorId actor) const {
  const double now_s = run_.now_s();
  const double launched_s = run_.job.spec.platform.start_delay_s;
  if (now_s < launched_s && !run_.is_rank(actor) && run_.state.actors[actor].incarnation == 0)
    return launched_s;
  return run_.job.slows ? run_.job.pace.running_s(run_.node_of(actor), now_s) : now_s;
}

/// When a computation has ended.
double Processors::computed_s(ActorId actor, double begin_s, double work_s) const {
  return run_.job.slows ? run_.job.pace.computed_s(run_.node_of(actor), begin_s, work_s)
                        : begin_s + work_s;
}

/// The reception has begun when the message arrived. If something slows the processor, or if the
/// message takes more than the least overhead, it waits in the inbox until that is done.
bool Processors::receives_in_time(ActorId self, ActorState& actor, const Message& message) const {
  const double begin_s = run_.now_s() - run_.job.least_receive_overhead_s;
  if (actor.cpu_free_s > begin_s) return reception_done_s(self, actor, message) <= run_.now_s();
  // Compared with a sum that is formed alike, because begin_s is rounded.
  if (done_s(self, begin_s, run_.receive_overhead_s(message)) <=
      begin_s + run_.job.least_receive_overhead_s)
    return true;
  actor.cpu_free_s = begin_s;
  return false;
}

void Processors::stall(ActorId self, double stall_s) {
  ActorState& actor = run_.state.actors[self];
  actor.cpu_free_s = std::max(run_.now_s(), actor.cpu_free_s) + stall_s;
  if (!actor.rare_state) return;
  for (Computation& running : actor.rare_state->running) running.end_s += stall_s;
}

// ---- timers, and what waits as they do --------------------------------------------------------

void Processors::set_timer(ActorId self, Family family, const Action::SetTimer& asked) {
  ActorState& actor = run_.state.actors[self];
  cancel_timer(actor, family, asked.key);
  const std::uint32_t serial = ++serial_;
  const double due_s = run_.now_s() + asked.delay_s;
  actor.rare().timers.push_back({asked.key, due_s, serial, family, asked.background});
  run_.state.schedule.add(due_s, EventKind::timer, self, serial);
  run_.state.schedule.keep_alive(asked.background);
  run_.state.schedule.thin_out([this](const Event& event) { return is_void(event); });
}

bool Processors::is_void(const Event& event) const {
  if (event.kind() != EventKind::timer) return false;
  const ActorState& actor = run_.state.actors[event.at.actor];
  if (!actor.rare_state) return true;
  return !has_waited(actor, event.at.detail) && actor.rare_state->timer(event.at.detail) == nullptr;
}

bool Processors::has_no_effect(const Event& event) const {
  const ActorState& actor = run_.state.actors[event.at.actor];
  if (!actor.alive || !actor.rare_state) return true;
  const RareState& rare = *actor.rare_state;
  const std::uint32_t serial = event.at.detail;
  return rare.timer(serial) == nullptr && rare.told(serial) == nullptr &&
         rare.computation(serial) == nullptr;
}

/// The event of a cancelled timer stays in the queue, and has no effect when it comes. If such
/// events become very many, they are removed.
void Processors::cancel_timer(ActorState& actor, Family family, std::uint64_t key) {
  if (!actor.rare_state) return;
  auto& timers = actor.rare_state->timers;
  const auto armed = std::find_if(timers.begin(), timers.end(), [&](const ArmedTimer& timer) {
    return timer.family == family && timer.key == key;
  });
  if (armed == timers.end()) return;
  let_go(*armed);
  timers.erase(armed);
}

/// The handler of a timer needs the processor, as that of a message does. A timer that runs out
/// while its actor can handle nothing waits: before the messages, which the processor has still to
/// receive, and behind timers that were due earlier.
std::optional<Due> Processors::run_out(ActorId self, std::uint32_t serial) {
  ActorState& actor = run_.state.actors[self];
  RareState& rare = *actor.rare_state;
  const bool waited = has_waited(actor, serial);
  const bool can_run = !is_blocked(actor) && free_s(self) <= run_.now_s();
  const Due due = waited ? rare.due.front() : Due{serial, RunOut()};
  if (waited) {
    rare.awaits_processor = false;
    // What has been cancelled meanwhile needs no processor. Else it would be due for ever where no
    // time passes (StepwiseEngine).
    const bool is_cancelled = due.is_of_timer() && rare.timer(serial) == nullptr;
    if (can_run || is_cancelled) rare.due.erase(rare.due.begin());
  } else if ((!can_run || !rare.due.empty()) && rare.timer(serial) != nullptr) {
    rare.due.push_back(due);
  }
  return can_run && (waited || rare.due.empty()) ? std::optional(due) : std::nullopt;
}

bool Processors::waits_as_timer(ActorId self, Due told) {
  ActorState& actor = run_.state.actors[self];
  if (!timers_wait(actor) && !is_blocked(actor) && free_s(self) <= run_.now_s()) return false;
  told.serial = ++serial_;
  actor.rare().due.push_back(told);
  run_.state.schedule.keep_alive(false);
  await(self);
  return true;
}

void Processors::await(ActorId self) {
  const ActorState& actor = run_.state.actors[self];
  if (!actor.rare_state) return;
  RareState& rare = *actor.rare_state;
  if (rare.due.empty() || rare.awaits_processor || is_blocked(actor)) return;
  rare.awaits_processor = true;
  run_.state.schedule.add(free_s(self), EventKind::timer, self, rare.due.front().serial);
}

// ---- computations -----------------------------------------------------------------------------

void Processors::start(ActorId self, Computation computation) {
  ActorState& actor = run_.state.actors[self];
  RareState& rare = actor.rare();
  if (rare.running.size() >= run_.job.shape.worker_cores) {
    rare.queued.push_back(computation);
    return;
  }
  computation.serial = ++serial_;
  const double begin_s = std::max(run_.now_s(), actor.cpu_free_s);
  computation.end_s = computed_s(self, begin_s, computation.duration_s);
  rare.running.push_back(computation);
  show(audit::Sight::Kind::compute_began, self, begin_s, computation.serial);
  run_.state.schedule.add(computation.end_s, EventKind::compute_done, self, computation.serial);
}

void Processors::end(ActorId self, std::uint32_t serial) {
  RareState& rare = *run_.state.actors[self].rare_state;
  rare.running.erase(
      std::find_if(rare.running.begin(), rare.running.end(),
                   [serial](const Computation& one) { return one.serial == serial; }));
  show(audit::Sight::Kind::compute_ended, self, run_.now_s(), serial);
  if (rare.queued.empty()) return;
  const Computation next = rare.queued.front();
  rare.queued.erase(rare.queued.begin());
  start(self, next);
}

void Processors::abandon(ActorId self, const std::function<bool(const Computation&)>& is_meant) {
  RareState& rare = *run_.state.actors[self].rare_state;
  for (const Computation& one : rare.running)
    if (run_.observer != nullptr && is_meant(one))
      show(audit::Sight::Kind::compute_ended, self, run_.now_s(), one.serial);
  std::erase_if(rare.running, is_meant);
  std::erase_if(rare.queued, is_meant);
  while (!rare.queued.empty() && rare.running.size() < run_.job.shape.worker_cores) {
    const Computation next = rare.queued.front();
    rare.queued.erase(rare.queued.begin());
    start(self, next);
  }
}

/// Messages that have delayed it are no work of its own.
double Processors::left_s(ActorId self, const Computation& running) const {
  const double now_s = run_.now_s();
  if (running.held || running.end_s <= now_s) return 0.0;
  const double work_s = run_.job.slows
                            ? run_.job.pace.work_s(run_.node_of(self), now_s, running.end_s)
                            : running.end_s - now_s;
  return std::min(running.duration_s, work_s);
}

void Processors::take_from_workers(ActorId self, double spent_s) {
  ActorState* victim = nullptr;
  if (run_.is_rank(self)) {
    if (run_.job.spec.platform.progress != scenario::Progress::shared) return;
    victim = &run_.state.actors[self];
  } else {
    if (!run_.job.daemons_share_cores) return;
    victim = computing_on(run_.node_of(self));
  }
  if (victim == nullptr || !victim->rare_state) return;
  for (Computation& running : victim->rare_state->running) {
    if (running.held) continue;
    running.end_s = computed_s(self, running.end_s, spent_s);  // on the same node
    return;
  }
}

ActorState* Processors::computing_on(NodeId node) {
  for (const Rank rank : run_.state.placement.ranks_on(node))
    if (run_.state.actors[rank].rare_state && !run_.state.actors[rank].rare_state->running.empty())
      return &run_.state.actors[rank];
  return nullptr;
}

// ---- what must hold ---------------------------------------------------------------------------

void Processors::check(const ActorState& actor, Recount& recount) const {
  check_inbox(actor, recount);
  if (actor.alive && actor.wake_pending) ++recount.wakes;
  invariant(actor.rare_state || actor.computing == 0, "a computation is nowhere");
  if (!actor.rare_state) return;
  const RareState& rare = *actor.rare_state;
  invariant(ordered(rare.timers, [](const ArmedTimer& one,
                                    const ArmedTimer& next) { return one.serial < next.serial; }),
            "timers are not in the order in which they were set");
  for (const ArmedTimer& timer : rare.timers)
    if (!timer.held) ++(timer.background ? recount.background : recount.foreground);
  recount.foreground += rare.times_told();
  check_due(actor, recount);
  invariant(rare.running.size() <= run_.job.shape.worker_cores,
            "more computations run than there are cores");
  invariant(rare.queued.empty() || rare.running.size() == run_.job.shape.worker_cores,
            "a computation waits for a core that is free");
  const auto of_workload = [](const Computation& computation) {
    return computation.family == Family::workload;
  };
  expect_equal("computations of a workload", actor.computing,
               std::count_if(rare.running.begin(), rare.running.end(), of_workload) +
                   std::count_if(rare.queued.begin(), rare.queued.end(), of_workload));
  recount.running += std::count_if(rare.running.begin(), rare.running.end(),
                                   [](const Computation& one) { return !one.held; });
  recount.looked_at += rare.timers.size() + rare.queued.size();
}

void Processors::check_inbox(const ActorState& actor, Recount& recount) const {
  for (const Message* message = actor.inbox_head; message != nullptr; message = message->next) {
    invariant(&run_.state.actors[message->to] == &actor && (message->flags & kInFlight) != 0,
              "a message is in an inbox that is not its receiver's");
    ++recount.waiting;
    invariant(recount.waiting <= recount.in_flight, "an inbox has no end");
    invariant((message->next == nullptr) == (message == actor.inbox_tail),
              "an inbox does not end with its last message");
  }
}

/// Timers. Of those that wait for the processor, one has an event.
void Processors::check_due(const ActorState& actor, Recount& recount) const {
  const RareState& rare = *actor.rare_state;
  invariant(!rare.awaits_processor || !rare.due.empty(), "no timer waits for the processor");
  invariant(rare.due.empty() || rare.awaits_processor || is_blocked(actor),
            "a timer waits for a processor that is free");
  const auto waits = [&](const ArmedTimer& timer) {
    return timer.held || std::any_of(rare.due.begin(), rare.due.end(),
                                     [&](const Due& due) { return due.serial == timer.serial; });
  };
  recount.timers += static_cast<std::int64_t>(rare.timers.size()) -
                    std::count_if(rare.timers.begin(), rare.timers.end(), waits) +
                    static_cast<std::int64_t>(rare.awaits_processor);
}

void Processors::show(audit::Sight::Kind kind, ActorId self, double time_s,
                      std::uint32_t computation) const {
  if (run_.observer == nullptr) return;
  run_.observer->see({.kind = kind, .time_s = time_s, .actor = self, .value = computation});
}

}  // namespace faultline::engine
