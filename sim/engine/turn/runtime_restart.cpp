// SPDX-License-Identifier: Apache-2.0

// Actors that start again under a new incarnation.

#include <algorithm>

#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

/// The resource manager accepts one restart of each incarnation. What is alive is not restarted. If
/// whoever has asked is gone, it answers whoever asks next, be that a later life of the same actor:
/// at once, if the process has started.
void Runtime::ask_restart(ActorId self, const Action& action) {
  reach_ = Reach::anything;
  const Incarnation dead = action.peer;
  const ActorState& actor = state_.actors[dead.actor];
  const bool is_over = actor.alive || actor.incarnation != dead.number;
  const auto asked =
      std::find_if(state_.pending_restarts.begin(), state_.pending_restarts.end(),
                   [&](const PendingRestart& pending) { return pending.dead == dead; });
  if (asked != state_.pending_restarts.end()) {
    const Incarnation asker = asked->asker;
    if (state_.actors[asker.actor].lives_as(asker.number)) return;
    asked->asker = incarnation_of(self);
    const PendingRestart answered = *asked;  // what follows may ask for others
    if (is_over) answer_asker(answered);
    return;
  }
  if (is_over) return;
  const auto node = node_for(dead, action.where);
  if (!node) {
    refuse_restart(incarnation_of(self), dead);
    return;
  }
  state_.pending_restarts.push_back({dead, *node, action.where, incarnation_of(self)});
  state_.schedule.add(now_s() + job_->spec.platform.restart_delay_s, EventKind::restart, self,
                      static_cast<std::uint32_t>(state_.pending_restarts.size() - 1));
}

/// Spare nodes come first, then nodes of the job that have been repaired.
std::optional<NodeId> Runtime::node_for(Incarnation dead, RestartOn where) const {
  if (where == RestartOn::same_node) {
    const NodeId node = node_of(dead.actor);
    const bool fits = node_is_up(node) && (!is_rank(dead.actor) || has_place(node));
    return fits ? std::optional(node) : std::nullopt;
  }
  for (NodeId node = job_->shape.nodes; node < job_->nodes; ++node)
    if (node_is_up(node) && has_place(node)) return node;
  for (NodeId node = 0; node < job_->shape.nodes && !state_.node_back_s.empty(); ++node)
    if (state_.node_back_s[node] > -kNever && node_is_up(node) && has_place(node)) return node;
  return std::nullopt;
}

bool Runtime::node_is_up(NodeId node) const {
  return state_.node_back_s.empty() || state_.node_back_s[node] <= now_s();
}

/// A node takes as many ranks as the job has on each of its nodes. The dead take no place.
bool Runtime::has_place(NodeId node) const {
  const std::vector<Rank> ranks = state_.placement.ranks_on(node);
  const auto alive = std::count_if(ranks.begin(), ranks.end(),
                                   [this](Rank rank) { return state_.actors[rank].alive; });
  const auto coming =
      std::count_if(state_.pending_restarts.begin(), state_.pending_restarts.end(),
                    [&](const PendingRestart& pending) {
                      return pending.node == node && is_rank(pending.dead.actor) &&
                             state_.actors[pending.dead.actor].incarnation == pending.dead.number;
                    });
  return static_cast<std::size_t>(alive + coming) < job_->shape.processes_per_node;
}

void Runtime::refuse_restart(Incarnation asker, Incarnation dead) {
  if (incarnation_of(asker.actor) != asker) return;
  for (std::size_t index = kFamilies; index-- > 0;)
    turn(
        asker.actor, kStack[index].family,
        [dead](Component& component, Context& context) {
          component.on_restart_refused(context, dead);
        },
        true);
}

void Runtime::restart(std::uint32_t index) {
  reach_ = Reach::anything;
  const PendingRestart pending = state_.pending_restarts[index];
  if (!node_is_up(pending.node)) return start_elsewhere(index);
  // A daemon may have come back since with a rank of its node.
  if (incarnation_of(pending.dead.actor) == pending.dead) {
    revive_daemon(pending);
    revive(pending.dead.actor, pending.node);
  }
  answer_asker(pending);
  verdict_.check();
}

/// The node has failed before the process could start there, and another one may be left. A refusal
/// says that none is.
void Runtime::start_elsewhere(std::uint32_t index) {
  PendingRestart& pending = state_.pending_restarts[index];
  const bool is_dead = incarnation_of(pending.dead.actor) == pending.dead;
  const auto node = is_dead ? node_for(pending.dead, pending.where) : std::nullopt;
  if (node) {
    pending.node = *node;
    state_.schedule.add(now_s() + job_->spec.platform.restart_delay_s, EventKind::restart,
                        pending.asker.actor, index);
    return;
  }
  const PendingRestart refused = pending;
  pending.dead = {};
  refuse_restart(refused.asker, refused.dead);
}

/// Who has asked for a rank is told of the daemon, too, if that has started with it or before.
void Runtime::answer_asker(const PendingRestart& pending) {
  const auto tell = [&](ActorId of) {
    if (incarnation_of(pending.asker.actor) == pending.asker)
      learn(pending.asker.actor, incarnation_of(of));
  };
  const ActorId daemon = state_.placement.daemon_of(pending.node);
  if (is_rank(pending.dead.actor) && daemon < actor_count()) tell(daemon);
  tell(pending.dead.actor);
}

/// As in PRRTE, a node's processes are children of its daemon. So one that starts on a node whose
/// daemon is dead is started by a new one.
void Runtime::revive_daemon(const PendingRestart& pending) {
  const ActorId daemon = state_.placement.daemon_of(pending.node);
  if (is_rank(pending.dead.actor) && daemon < actor_count() && !state_.actors[daemon].alive)
    revive(daemon, pending.node);
}

/// The new incarnation knows from the resource manager which others have restarted. It hears of
/// those who are dead as everybody did.
void Runtime::revive(ActorId actor, NodeId node) {
  ActorState& state = state_.actors[actor];
  keep_reports(actor);
  if (state_.channels && is_rank(actor)) state_.channels->put_back(actor, {});
  const auto incarnation = static_cast<std::uint16_t>(state.incarnation + 1);
  state = ActorState{};
  state.incarnation = incarnation;
  state.cpu_free_s = now_s();
  state_.any_restart = true;
  state_.nics_are_shared = true;  // the node may have other actors
  if (is_rank(actor)) {
    if (node != node_of(actor)) {
      state_.placement.move(actor, node);
      moved(actor);
    }
    ++state_.roll.live;
  }
  for (ActorId other = 0; other < actor_count(); ++other)
    if (other != actor && state_.actors[other].incarnation > 0)
      state.rare().restarted.learn(incarnation_of(other));
  state_.auditor.restarted({actor, incarnation}, is_rank(actor));
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::restarted, .time_s = now_s(), .actor = actor, .value = node});
  make_components(actor);
  if (job_->exit_notice)
    for (std::uint32_t death = 0; death < state_.deaths.size(); ++death) {
      const Incarnation dead = state_.deaths[death].dead;
      if (!state_.actors[dead.actor].alive && incarnation_of(dead.actor) == dead)
        state_.schedule.add(notice_at(job_->exit_notice->delay_s), EventKind::exit_notice, actor,
                            death);
    }
  start_actor(actor);
}

double Runtime::death_s(Incarnation now) const {
  --now.number;
  return state_.deaths.of(now).time_s;
}

/// What dead components have counted becomes part of the result. Above message logging it does so
/// only if no successor starts, or goes on from an image.
void Runtime::keep_reports(ActorId actor) {
  ActorState& state = state_.actors[actor];
  std::size_t reporting = 0;
  if (state.component(Family::message_logging) != nullptr) {
    reporting = index_of(Family::message_logging);
    // If there is something already, the incarnation that has died now had not started.
    auto& kept = state_.unreported[actor];
    if (std::all_of(kept.begin(), kept.end(), [](const auto& one) { return !one; }))
      for (std::size_t family = 0; family < reporting; ++family)
        if (state.component(kStack[family].family) != nullptr)
          kept[family] = std::move(state.place_of(kStack[family].family));
  }
  for (std::size_t family = reporting; family < kFamilies; ++family) report(state, family);
}

void Runtime::start_above(ActorId self, Family layer) {
  ActorState& actor = state_.actors[self];
  if (actor.rare_state && actor.rare_state->awaits_start) {
    actor.rare_state->awaits_start = false;
    state_.unreported.erase(self);
  }
  start_levels(self, 0, index_of(layer));
}

}  // namespace faultline::engine
