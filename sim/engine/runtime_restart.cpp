// Actors that start again under a new incarnation.

#include <algorithm>

#include "sim/engine/runtime.hpp"

namespace faultline {

/// The resource manager accepts one restart of each incarnation. What is alive is not restarted.
void Runtime::ask_restart(ActorId self, const Action& action) {
  const Incarnation dead = action.peer;
  if (actors_[dead.actor].alive || actors_[dead.actor].incarnation != dead.number) return;
  if (std::any_of(pending_restarts_.begin(), pending_restarts_.end(),
                  [&](const PendingRestart& pending) { return pending.dead == dead; }))
    return;
  const auto node = node_for(dead, action.where);
  if (!node) {
    refuse_restart(incarnation_of(self), dead);
    return;
  }
  pending_restarts_.push_back({dead, *node, incarnation_of(self)});
  schedule(now_s_ + spec_.platform.restart_delay_s, EventKind::restart, self,
           static_cast<std::uint32_t>(pending_restarts_.size() - 1));
}

/// Spare nodes come first, then nodes of the job that have been repaired.
std::optional<NodeId> Runtime::node_for(Incarnation dead, RestartOn where) const {
  if (where == RestartOn::same_node) {
    const NodeId node = node_of(dead.actor);
    const bool fits = node_is_up(node) && (!is_rank(dead.actor) || has_place(node));
    return fits ? std::optional(node) : std::nullopt;
  }
  for (NodeId node = job_.nodes; node < nodes_; ++node)
    if (node_is_up(node) && has_place(node)) return node;
  for (NodeId node = 0; node < job_.nodes && !node_back_s_.empty(); ++node)
    if (node_back_s_[node] > -kNever && node_is_up(node) && has_place(node)) return node;
  return std::nullopt;
}

bool Runtime::node_is_up(NodeId node) const {
  return node_back_s_.empty() || node_back_s_[node] <= now_s_;
}

/// A node takes as many ranks as the job has on each of its nodes. The dead take no place.
bool Runtime::has_place(NodeId node) const {
  const std::vector<Rank> ranks = placement_.ranks_on(node);
  const auto alive =
      std::count_if(ranks.begin(), ranks.end(), [this](Rank rank) { return actors_[rank].alive; });
  const auto coming = std::count_if(
      pending_restarts_.begin(), pending_restarts_.end(), [&](const PendingRestart& pending) {
        return pending.node == node && is_rank(pending.dead.actor) &&
               actors_[pending.dead.actor].incarnation == pending.dead.number;
      });
  return static_cast<std::size_t>(alive + coming) < job_.processes_per_node;
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
  const PendingRestart pending = pending_restarts_[index];
  if (!node_is_up(pending.node)) {
    pending_restarts_[index].dead = {};
    refuse_restart(pending.asker, pending.dead);
    return;
  }
  revive(pending.dead.actor, pending.node);
  if (incarnation_of(pending.asker.actor) == pending.asker)
    learn(pending.asker.actor, incarnation_of(pending.dead.actor));
  check_stop();
}

/// The new incarnation knows from the resource manager which others have restarted. It hears of
/// those who are dead as everybody did.
void Runtime::revive(ActorId actor, NodeId node) {
  ActorState& state = actors_[actor];
  keep_reports(actor);
  const auto incarnation = static_cast<std::uint16_t>(state.incarnation + 1);
  state = ActorState{};
  state.incarnation = incarnation;
  state.cpu_free_s = now_s_;
  any_restart_ = true;
  nics_are_shared_ = true;  // the node may have other actors
  if (is_rank(actor)) {
    if (node != node_of(actor)) {
      placement_.move(actor, node);
      moved(actor);
    }
    ++live_ranks_;
  }
  for (ActorId other = 0; other < actor_count(); ++other)
    if (other != actor && actors_[other].incarnation > 0)
      state.rare().restarted.push_back(incarnation_of(other));
  auditor_.restarted({actor, incarnation}, is_rank(actor));
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::restarted, .time_s = now_s_, .actor = actor, .value = node});
  make_components(actor);
  if (exit_notice_)
    for (std::uint32_t death = 0; death < deaths_in_order_.size(); ++death) {
      const Incarnation dead = deaths_in_order_[death];
      if (!actors_[dead.actor].alive && incarnation_of(dead.actor) == dead)
        schedule(notice_at(exit_notice_->delay_s), EventKind::exit_notice, actor, death);
    }
  start_actor(actor);
}

/// What dead components have counted becomes part of the result. Above message logging, that waits
/// until it is known whether an image takes their place.
void Runtime::keep_reports(ActorId actor) {
  ActorState& state = actors_[actor];
  std::size_t reporting = 0;
  if (state.component(Family::message_logging) != nullptr) {
    reporting = index_of(Family::message_logging);
    // If there is something already, the incarnation that has died now had not started.
    auto& kept = unreported_[actor];
    if (std::all_of(kept.begin(), kept.end(), [](const auto& one) { return one == nullptr; }))
      for (std::size_t family = 0; family < reporting; ++family)
        if (state.component(kStack[family].family) != nullptr)
          kept[family] = std::move(state.place_of(kStack[family].family));
  }
  for (std::size_t family = reporting; family < kFamilies; ++family) report(state, family);
}

void Runtime::start_above(ActorId self, Family layer) {
  ActorState& actor = actors_[self];
  if (actor.rare_state && actor.rare_state->awaits_start) {
    actor.rare_state->awaits_start = false;
    for (std::size_t family = 0; family < kFamilies; ++family)
      report(unreported_[self][family].get(), family);
    unreported_.erase(self);
  }
  start_levels(self, 0, index_of(layer));
}

}  // namespace faultline
