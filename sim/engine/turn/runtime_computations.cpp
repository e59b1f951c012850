// Computations, on the worker cores of ranks, and what processors take from them.

#include <algorithm>

#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

/// A computation begins when the processor has sent the messages of the same handler.
void Runtime::start_compute(ActorId self, Computation computation) {
  ActorState& actor = state_.actors[self];
  RareState& rare_state = actor.rare();
  if (rare_state.running.size() >= job_->shape.worker_cores) {
    rare_state.queued.push_back(computation);
    return;
  }
  computation.serial = ++state_.serial;
  const double begin_s = std::max(now_s(), actor.cpu_free_s);
  computation.end_s = computed_s(self, begin_s, computation.duration_s);
  rare_state.running.push_back(computation);
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::compute_began,
          .time_s = begin_s,
          .actor = self,
          .value = computation.serial});
  state_.schedule.add(computation.end_s, EventKind::compute_done, self, computation.serial);
}

void Runtime::compute_done(ActorId self, std::uint32_t serial) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  auto& running = actor.rare_state->running;
  const auto find = [&] { return std::ranges::find(running, serial, &Computation::serial); };
  if (find() == running.end()) return;
  const Computation computation = *find();
  // Messages took its core in the meantime.
  if (!computation.held && computation.end_s > now_s()) {
    state_.schedule.add(computation.end_s, EventKind::compute_done, self, serial);
    return;
  }
  const bool happens =
      may_happen(self, {LocalEvent::Kind::computed, computation.family, computation.tag});
  const auto done = find();  // the turn of message logging may have begun others
  if (!happens) {
    done->held = true;
    await_processor(self);
    return schedule_wake(actor, self);
  }
  running.erase(done);
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::compute_ended, .time_s = now_s(), .actor = self, .value = serial});
  auto& queued = actor.rare_state->queued;
  if (!queued.empty()) {
    const Computation next = queued.front();
    queued.erase(queued.begin());
    start_compute(self, next);
  }
  // For the turn the rank is active, because it was computing until now.
  if (computation.family == Family::workload) --actor.computing;
  turn(self, computation.family, [&computation](Component& component, Context& context) {
    component.on_compute_done(context, computation.tag);
  });
  carry_out_pending();
  await_processor(self);
  schedule_wake(actor, self);
}

/// Messages and timers that have waited for a core to be free are handled now.
void Runtime::cancel_computations(ActorId self, Family family) {
  ActorState& actor = state_.actors[self];
  if (!actor.rare_state) return;
  forget_computations(self, [family](const Computation& one) { return one.family == family; });
  await_processor(self);
  schedule_wake(actor, self);
}

/// Others that wait for a core get one. The event that would have ended a computation stays in the
/// queue, and has no effect when it comes.
void Runtime::forget_computations(ActorId self,
                                  const std::function<bool(const Computation&)>& is_meant) {
  RareState& rare = *state_.actors[self].rare_state;
  for (const Computation& computation : rare.running)
    if (observer_ != nullptr && is_meant(computation))
      show({.kind = Sight::Kind::compute_ended,
            .time_s = now_s(),
            .actor = self,
            .value = computation.serial});
  std::erase_if(rare.running, is_meant);
  std::erase_if(rare.queued, is_meant);
  while (!rare.queued.empty() && rare.running.size() < job_->shape.worker_cores) {
    const Computation next = rare.queued.front();
    rare.queued.erase(rare.queued.begin());
    start_compute(self, next);
  }
}

/// Under progress = shared, what a rank's processor does takes its time from a worker core of the
/// rank. A daemon without a core of its own takes it from the first rank of its node that computes.
void Runtime::take_from_workers(ActorId self, double spent_s) {
  ActorState* victim = nullptr;
  if (is_rank(self)) {
    if (job_->spec.platform.progress != Progress::shared) return;
    victim = &state_.actors[self];
  } else {
    if (!job_->daemons_share_cores) return;
    victim = computing_on_node(node_of(self));
  }
  if (victim == nullptr || !victim->rare_state) return;
  for (Computation& running : victim->rare_state->running) {
    if (running.held) continue;
    running.end_s = computed_s(self, running.end_s, spent_s);  // on the same node
    return;
  }
}

/// The first rank of a node that computes, or null.
ActorState* Runtime::computing_on_node(NodeId node) {
  for (const Rank rank : state_.placement.ranks_on(node))
    if (state_.actors[rank].rare_state && !state_.actors[rank].rare_state->running.empty())
      return &state_.actors[rank];
  return nullptr;
}

}  // namespace faultline::engine
