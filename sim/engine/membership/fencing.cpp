// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/fencing.hpp"

namespace faultline::engine {

/// The first moment from then on at which the manager and the actor can reach each other. The
/// manager is on node 0 and no rank, so a cut between groups of ranks does not concern it.
double Fencing::reached_s(ActorId actor, double from_s) const {
  if (run_.job.spec.platform.fencing.reach == scenario::FencingReach::all) return from_s;
  const faults::NetworkCut::End manager{.actor = kNobody, .node = 0};
  return run_.job.cut.connected_s(manager, {.actor = actor, .node = run_.node_of(actor)}, from_s);
}

void Fencing::accuse(Incarnation accuser, Incarnation accused) {
  if (!run_.job.fences || !run_.lives(accused)) return;
  FenceList& fences = state_.fences();
  const double heard_s = reached_s(accuser.actor, run_.now_s());
  if (fences.is_accused_by(accuser, heard_s) || fences.is_accused_by(accused, heard_s)) return;
  const std::uint32_t number =
      fences.add({.accused = accused, .accuser = accuser, .heard_s = heard_s});
  if (heard_s == kNever) return;
  const double fence_s = reached_s(accused.actor, heard_s + run_.job.spec.platform.fencing.delay_s);
  if (fence_s == kNever) return;
  if (run_.is_rank(accused.actor)) run_.state.truth.auditor().doomed(accused);
  ending_.expect_news(fence_s);
  run_.state.schedule.add(fence_s, EventKind::fence, accused.actor, number);
}

void Fencing::fence(std::uint32_t accusation) {
  run_.reached.anything();
  const Incarnation accused = state_.fences()[accusation].accused;
  if (!run_.lives(accused) || !state_.fences().is_believed(accusation)) return;
  const std::uint32_t before = run_.state.roll.live();
  faults_.stop_victim(accused.actor);
  state_.fences().count_fenced(before - run_.state.roll.live());
}

/// Is it accused when the manager hears of what it does now, or with it the daemon of its node?
bool Fencing::is_dead_to_manager(ActorId actor, double heard_s) const {
  const auto is_accused = [&](ActorId one) {
    return state_.fences().is_accused_by(run_.incarnation_of(one), heard_s);
  };
  if (is_accused(actor)) return true;
  const ActorId daemon = run_.state.placement.daemon_of(run_.node_of(actor));
  return daemon < run_.actor_count() && is_accused(daemon);
}

bool Fencing::ends_alone(ActorId self) {
  if (!run_.job.fences || !is_dead_to_manager(self, reached_s(self, run_.now_s()))) return false;
  run_.reached.anything();
  faults_.stop_victim(self);
  return true;
}

}  // namespace faultline::engine
