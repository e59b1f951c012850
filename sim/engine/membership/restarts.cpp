// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/restarts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace faultline::engine {

void Restarts::ask_restart(ActorId self, Incarnation dead, RestartOn where) {
  run_.reached.anything();
  const Incarnation asker = run_.incarnation_of(self);
  const bool has_started = run_.state.actors[dead.actor].incarnation != dead.number;
  if (PendingRestart* asked = state_.restart_of(dead)) {
    if (asked->node == kNoNode && !asked->is_asked_by(asker))
      asked->others.emplace_back(asker, where);
    if (run_.lives(asked->asker) || asked->node == kNoNode) return;
    asked->asker = asker;
    const PendingRestart answered = *asked;  // what follows may ask for others
    if (has_started) answer_asker(answered);
    return;
  }
  if (has_started) return answer_asker({dead, run_.node_of(dead.actor), where, asker});
  if (run_.lives(dead)) {
    state_.await_death({dead, kNoNode, where, asker});
    ending_.await_death(dead, asker);
    return;
  }
  const auto start = start_of(dead, where);
  if (!start) {
    refuse_restart(asker, dead);
    return;
  }
  run_.state.schedule.add(start->time_s, EventKind::restart, self,
                          state_.await({dead, start->node, where, asker}));
}

/// If no node is free, the request may wait until one is repaired. Then a node is chosen.
std::optional<Restarts::Start> Restarts::start_of(Incarnation dead, RestartOn where) const {
  if (const auto node = node_for(dead, where))
    return Start{*node, run_.now_s() + run_.job.spec.platform.restart_delay_s};
  const double repair_s = next_repair_s(dead, where);
  if (repair_s == kNever) return std::nullopt;
  return Start{kNoNode, repair_s};
}

/// When the next node is repaired on which the process could start; kNever if none is.
double Restarts::next_repair_s(Incarnation dead, RestartOn where) const {
  const double now_s = run_.now_s();
  if (run_.job.spec.platform.when_no_spare == scenario::WhenNoSpare::give_up) return kNever;
  if (where == RestartOn::same_node_now) return kNever;
  if (where == RestartOn::same_node) return state_.repair_s(run_.node_of(dead.actor), now_s);
  double first_s = kNever;
  for (NodeId node = 0; node < run_.job.nodes; ++node)
    first_s = std::min(first_s, state_.repair_s(node, now_s));
  return first_s;
}

/// Spare nodes come first, then nodes of the job that have been repaired.
std::optional<NodeId> Restarts::node_for(Incarnation dead, RestartOn where) const {
  if (where != RestartOn::spare_node) {
    const NodeId node = run_.node_of(dead.actor);
    const bool fits =
        state_.is_up(node, run_.now_s()) && (!run_.is_rank(dead.actor) || has_place(node));
    return fits ? std::optional(node) : std::nullopt;
  }
  for (NodeId node = run_.job.shape.nodes; node < run_.job.nodes; ++node)
    if (state_.is_up(node, run_.now_s()) && has_place(node)) return node;
  for (NodeId node = 0; node < run_.job.shape.nodes; ++node)
    if (state_.is_repaired(node, run_.now_s()) && has_place(node)) return node;
  return std::nullopt;
}

/// A node takes as many ranks as the job has on each of its nodes. The dead take no place.
bool Restarts::has_place(NodeId node) const {
  const std::vector<Rank> ranks = run_.state.placement.ranks_on(node);
  const auto alive = std::count_if(ranks.begin(), ranks.end(),
                                   [this](Rank rank) { return run_.state.actors[rank].alive; });
  const auto coming = std::count_if(
      state_.restarts().begin(), state_.restarts().end(), [&](const PendingRestart& pending) {
        return pending.node == node && run_.is_rank(pending.dead.actor) &&
               run_.state.actors[pending.dead.actor].incarnation == pending.dead.number;
      });
  return static_cast<std::size_t>(alive + coming) < run_.job.shape.processes_per_node;
}

void Restarts::refuse_restart(Incarnation asker, Incarnation dead) {
  if (run_.incarnation_of(asker.actor) != asker) return;
  for (std::size_t index = kFamilies; index-- > 0;)
    turns_.turn(
        asker.actor, kStack[index].family,
        [dead](auto& component, auto& context) { component.on_restart_refused(context, dead); },
        true);
}

void Restarts::restart(std::uint32_t index) {
  run_.reached.anything();
  const PendingRestart pending = state_.restart(index);
  if (pending.node == kNoNode) return start_who_waited(index);
  if (!state_.is_up(pending.node, run_.now_s())) return choose_node(index);
  // A daemon may have come back since with a rank of its node.
  if (run_.incarnation_of(pending.dead.actor) == pending.dead) {
    revive_daemon(pending);
    revive(pending.dead.actor, pending.node);
  }
  answer_asker(pending);
  verdict_.check();
}

/// The process has died only now, or a node is repaired for which it has waited. The first process
/// that has asked, and lives, is answered, and the others as if they asked now.
void Restarts::start_who_waited(std::uint32_t index) {
  PendingRestart& pending = state_.restart(index);
  const Incarnation dead = pending.dead;
  const auto others = std::exchange(pending.others, {});
  const auto living = std::find_if(others.begin(), others.end(),
                                   [this](const auto& other) { return run_.lives(other.first); });
  if (!run_.lives(pending.asker) && living != others.end())
    std::tie(pending.asker, pending.where) = *living;
  const Incarnation answered = pending.asker;
  choose_node(index);
  for (const auto& [other, where] : others)
    if (other != answered && run_.lives(other)) ask_restart(other.actor, dead, where);
}

/// No node has been chosen, or the chosen one has failed before the process could start there, and
/// another one may be left. A refusal says that none is.
void Restarts::choose_node(std::uint32_t index) {
  PendingRestart& pending = state_.restart(index);
  if (run_.incarnation_of(pending.dead.actor) != pending.dead) {
    pending.node = run_.node_of(pending.dead.actor);
    return answer_asker(PendingRestart(pending));
  }
  if (const auto start = start_of(pending.dead, pending.where)) {
    pending.node = start->node;
    run_.state.schedule.add(start->time_s, EventKind::restart, pending.asker.actor, index);
    return;
  }
  const PendingRestart refused = pending;
  pending.dead = {};
  refuse_restart(refused.asker, refused.dead);
}

/// An actor that has asked for a rank is told of the daemon, too, if that has started with it or
/// before.
void Restarts::answer_asker(const PendingRestart& pending) {
  const auto tell = [&](ActorId of) {
    if (run_.incarnation_of(pending.asker.actor) == pending.asker)
      reports_.learn(pending.asker.actor, run_.incarnation_of(of));
  };
  const ActorId daemon = run_.state.placement.daemon_of(pending.node);
  if (run_.is_rank(pending.dead.actor) && daemon < run_.actor_count()) tell(daemon);
  tell(pending.dead.actor);
}

/// As in PRRTE, a node's processes are children of its daemon. So one that starts on a node whose
/// daemon is dead is started by a new one.
void Restarts::revive_daemon(const PendingRestart& pending) {
  const ActorId daemon = run_.state.placement.daemon_of(pending.node);
  if (run_.is_rank(pending.dead.actor) && daemon < run_.actor_count() &&
      !run_.state.actors[daemon].alive)
    revive(daemon, pending.node);
}

/// The new incarnation knows from the resource manager which others have restarted. It hears of the
/// dead as everybody did.
void Restarts::revive(ActorId actor, NodeId node) {
  ActorState& state = run_.state.actors[actor];
  state_.deaths().end(run_.incarnation_of(actor), run_.now_s());
  keep_reports(actor);
  const auto incarnation = static_cast<std::uint16_t>(state.incarnation + 1);
  state = ActorState{};
  state.incarnation = incarnation;
  state.cpu_free_s = run_.now_s();
  run_.state.roll.note_restart();
  network_.share_nics();  // the node may have other actors
  if (run_.is_rank(actor)) {
    if (node != run_.node_of(actor)) {
      run_.state.placement.move(actor, node);
      transport_.moved(actor);
    }
    run_.state.roll.enter();
  }
  for (ActorId other = 0; other < run_.actor_count(); ++other)
    if (other != actor && run_.state.actors[other].incarnation > 0)
      state.rare().restarted.learn(run_.incarnation_of(other));
  run_.state.truth.restarted({actor, incarnation});
  if (run_.observer != nullptr)
    run_.show({.kind = audit::Sight::Kind::restarted,
               .time_s = run_.now_s(),
               .actor = actor,
               .value = node});
  stacks_.make(actor);
  if (run_.job.exit_notice)
    for (std::uint32_t death = 0; death < state_.deaths().size(); ++death) {
      const Incarnation dead = state_.deaths()[death].dead;
      if (!run_.state.actors[dead.actor].alive && run_.incarnation_of(dead.actor) == dead)
        run_.state.schedule.add(notices_.notice_at(run_.job.exit_notice->delay_s),
                                EventKind::exit_notice, actor, death);
    }
  stacks_.start(actor);
}

/// What dead components have counted becomes part of the result. Above message logging it does so
/// only if no successor starts, or goes on from an image.
void Restarts::keep_reports(ActorId actor) {
  ActorState& state = run_.state.actors[actor];
  std::size_t reporting = 0;
  if (state.component(Family::message_logging) != nullptr) {
    reporting = index_of(Family::message_logging);
    // If there is something already, the incarnation that has died now had not started.
    auto& kept = state_.unreported_of(actor);
    if (std::all_of(kept.begin(), kept.end(), [](const auto& one) { return !one; }))
      for (std::size_t family = 0; family < reporting; ++family)
        if (state.component(kStack[family].family) != nullptr)
          kept[family] = std::move(state.place_of(kStack[family].family));
  }
  for (std::size_t family = reporting; family < kFamilies; ++family)
    tally_.report(state.component(kStack[family].family), family);
}

void Restarts::start_above(ActorId self, Family layer) {
  run_.state.actors[self].rare_state->awaits_start = false;
  state_.forget_unreported(self);
  stacks_.start_above(self, layer);
}

}  // namespace faultline::engine
