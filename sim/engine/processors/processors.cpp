// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/processors/processors.hpp"

namespace faultline::engine {

// ---- how long things take ---------------------------------------------------------------------

/// When the actor can handle what is due now. A daemon handles nothing until it has launched its
/// processes, nor does anybody while the processors of the node are taken away. Messages wait for
/// the processor anyway.
double Processors::handling_s(ActorId actor) const {
  const double now_s = schedule_.now_s();
  const double launched_s = job_.spec.platform.start_delay_s;
  if (now_s < launched_s && !job_.is_rank(actor) && actors_[actor].incarnation == 0)
    return launched_s;
  return job_.slows ? job_.pace.running_s(placement_.node_of(actor), now_s) : now_s;
}

/// When a computation has ended.
double Processors::computed_s(ActorId actor, double begin_s, double work_s) const {
  return job_.slows ? job_.pace.computed_s(placement_.node_of(actor), begin_s, work_s)
                    : begin_s + work_s;
}

/// If something slows the processor, the reception has begun when the message arrived, and the
/// message waits in the inbox until it is done.
bool Processors::receives_in_time(ActorId self, ActorState& actor) const {
  const double overhead_s = job_.spec.platform.machine.receive_overhead_s;
  const double begin_s = schedule_.now_s() - overhead_s;
  if (actor.cpu_free_s > begin_s) return has_received(self, actor);
  // Compared with a sum that is formed alike, because begin_s is rounded.
  if (done_s(self, begin_s, overhead_s) <= begin_s + overhead_s) return true;
  actor.cpu_free_s = begin_s;
  return false;
}

void Processors::stall(ActorId self, double stall_s) {
  ActorState& actor = actors_[self];
  actor.cpu_free_s = std::max(schedule_.now_s(), actor.cpu_free_s) + stall_s;
  if (!actor.rare_state) return;
  for (Computation& running : actor.rare_state->running) running.end_s += stall_s;
}

// ---- timers, and what waits as they do --------------------------------------------------------

void Processors::set_timer(ActorId self, Family family, std::uint64_t key, double delay_s,
                           bool background) {
  ActorState& actor = actors_[self];
  cancel_timer(actor, family, key);
  const std::uint32_t serial = ++serial_;
  actor.rare().timers.push_back({key, serial, family, background});
  schedule_.add(schedule_.now_s() + delay_s, EventKind::timer, self, serial);
  schedule_.keep_alive(background);
  schedule_.thin_out([this](const Event& event) { return is_void(event); });
}

bool Processors::is_void(const Event& event) const {
  if (event.kind() != EventKind::timer) return false;
  const ActorState& actor = actors_[event.at.actor];
  if (!actor.rare_state) return true;
  return !has_waited(actor, event.at.detail) && actor.rare_state->timer(event.at.detail) == nullptr;
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
  ActorState& actor = actors_[self];
  RareState& rare = *actor.rare_state;
  const bool waited = has_waited(actor, serial);
  const bool can_run = !is_blocked(actor) && free_s(self) <= schedule_.now_s();
  const Due due = waited ? rare.due.front() : Due{serial, RunOut()};
  if (waited) {
    rare.awaits_processor = false;
    if (can_run) rare.due.erase(rare.due.begin());
  } else if ((!can_run || !rare.due.empty()) && rare.timer(serial) != nullptr) {
    rare.due.push_back(due);
  }
  return can_run && (waited || rare.due.empty()) ? std::optional(due) : std::nullopt;
}

bool Processors::waits_as_timer(ActorId self, Due told) {
  ActorState& actor = actors_[self];
  if (!timers_wait(actor) && !is_blocked(actor) && free_s(self) <= schedule_.now_s()) return false;
  told.serial = ++serial_;
  actor.rare().due.push_back(told);
  schedule_.keep_alive(false);
  await(self);
  return true;
}

void Processors::await(ActorId self) {
  const ActorState& actor = actors_[self];
  if (!actor.rare_state) return;
  RareState& rare = *actor.rare_state;
  if (rare.due.empty() || rare.awaits_processor || is_blocked(actor)) return;
  rare.awaits_processor = true;
  schedule_.add(free_s(self), EventKind::timer, self, rare.due.front().serial);
}

// ---- computations -----------------------------------------------------------------------------

void Processors::start(ActorId self, Computation computation) {
  ActorState& actor = actors_[self];
  RareState& rare = actor.rare();
  if (rare.running.size() >= job_.shape.worker_cores) {
    rare.queued.push_back(computation);
    return;
  }
  computation.serial = ++serial_;
  const double begin_s = std::max(schedule_.now_s(), actor.cpu_free_s);
  computation.end_s = computed_s(self, begin_s, computation.duration_s);
  rare.running.push_back(computation);
  show(Sight::Kind::compute_began, self, begin_s, computation.serial);
  schedule_.add(computation.end_s, EventKind::compute_done, self, computation.serial);
}

void Processors::end(ActorId self, std::uint32_t serial) {
  RareState& rare = *actors_[self].rare_state;
  rare.running.erase(
      std::find_if(rare.running.begin(), rare.running.end(),
                   [serial](const Computation& one) { return one.serial == serial; }));
  show(Sight::Kind::compute_ended, self, schedule_.now_s(), serial);
  if (rare.queued.empty()) return;
  const Computation next = rare.queued.front();
  rare.queued.erase(rare.queued.begin());
  start(self, next);
}

void Processors::abandon(ActorId self, const std::function<bool(const Computation&)>& is_meant) {
  RareState& rare = *actors_[self].rare_state;
  for (const Computation& one : rare.running)
    if (observer_ != nullptr && is_meant(one))
      show(Sight::Kind::compute_ended, self, schedule_.now_s(), one.serial);
  std::erase_if(rare.running, is_meant);
  std::erase_if(rare.queued, is_meant);
  while (!rare.queued.empty() && rare.running.size() < job_.shape.worker_cores) {
    const Computation next = rare.queued.front();
    rare.queued.erase(rare.queued.begin());
    start(self, next);
  }
}

void Processors::take_from_workers(ActorId self, double spent_s) {
  ActorState* victim = nullptr;
  if (job_.is_rank(self)) {
    if (job_.spec.platform.progress != Progress::shared) return;
    victim = &actors_[self];
  } else {
    if (!job_.daemons_share_cores) return;
    victim = computing_on(placement_.node_of(self));
  }
  if (victim == nullptr || !victim->rare_state) return;
  for (Computation& running : victim->rare_state->running) {
    if (running.held) continue;
    running.end_s = computed_s(self, running.end_s, spent_s);  // on the same node
    return;
  }
}

ActorState* Processors::computing_on(NodeId node) {
  for (const Rank rank : placement_.ranks_on(node))
    if (actors_[rank].rare_state && !actors_[rank].rare_state->running.empty())
      return &actors_[rank];
  return nullptr;
}

void Processors::show(Sight::Kind kind, ActorId self, double time_s,
                      std::uint32_t computation) const {
  if (observer_ == nullptr) return;
  observer_->see({.kind = kind, .time_s = time_s, .actor = self, .value = computation});
}

}  // namespace faultline::engine
