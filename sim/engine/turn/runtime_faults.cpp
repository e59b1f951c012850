// SPDX-License-Identifier: Apache-2.0

// Deaths, who hears of them, and restarts.

#include <algorithm>
#include <utility>

#include "sim/core/transaction_requests.hpp"
#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

/// Schedules the next fault of a source. A source without end does not keep a run alive, unless
/// that goes on until a stated time: once nothing else is left to happen, its faults no longer
/// matter.
void Runtime::await_source(std::uint32_t source) {
  const auto time_s = state_.faults.draw(source);
  if (!time_s) return;
  state_.schedule.add(std::max(*time_s, now_s()), EventKind::fault, source, kDrawnFault);
  if (state_.faults.ends(source)) state_.schedule.keep_alive(false);
}

void Runtime::strike_from(std::uint32_t source) {
  if (state_.faults.ends(source)) state_.schedule.let_go(false);
  const std::vector<Victim> victims =
      state_.faults.drawn_victims(source, [this](Rank rank) { return parent_of(rank); });
  await_source(source);
  strike(victims);
}

/// The rank that is responsible for this one. kNobody if this rank is dead.
Rank Runtime::parent_of(Rank rank) const {
  if (!state_.actors[rank].alive) return kNobody;
  for (const Family family :
       {Family::termination, Family::transactions, Family::message_logging, Family::workload}) {
    const Component* component = state_.actors[rank].component(family);
    const Rank parent = component == nullptr ? kNobody : component->parent();
    if (parent < job_->shape.processes && parent != rank && state_.actors[parent].alive)
      return parent;
  }
  return kNobody;
}

void Runtime::strike(const std::vector<Victim>& victims) {
  const std::uint32_t before = state_.deaths.size();
  for (const Victim& victim : victims) strike(victim);
  if (state_.deaths.size() > before) {
    if (state_.faults_struck++ == 0) state_.first_fault_s = now_s();
    state_.last_fault_s = now_s();
  }
  verdict_.check();
}

void Runtime::strike(const Victim& victim) {
  if (victim.soft)
    find_error(victim.actor);
  else if (victim.stall_s > 0.0)
    stall(victim.actor, victim.stall_s);
  else if (is_rank(victim.actor))
    kill(victim.actor);
  else
    kill_node(victim);
}

/// The program needs its processor to find an error, as the handler of a notice does.
void Runtime::find_error(ActorId self) {
  if (!state_.actors[self].alive) return;
  reach_ = Reach::anything;
  if (!processors_.waits_as_timer(self, {0, SoftError()})) tell_error(self);
}

void Runtime::tell_error(ActorId self) {
  StackRequest request{.kind = RaiseError::kRequest};
  request.content.put(RaiseError{});
  turn(self, Family::workload, [&request](Component& component, Context& context) {
    component.on_request(context, request);
  });
}

void Runtime::stall(ActorId self, double stall_s) {
  if (!state_.actors[self].alive) return;
  reach_ = Reach::anything;
  processors_.stall(self, stall_s);
}

/// Strikes with the faults that a scenario sets by the number of an event. The last event of a run
/// ends it, and nobody dies after that.
void Runtime::strike_by_number() {
  while (!stopped() && state_.schedule.events() >= state_.faults.next_event())
    strike(state_.faults.victims(state_.faults.take_event()));
  carry_out_pending();
}

/// The daemon of a node and all its ranks die. If the node itself fails, nobody is left who could
/// close their connections: they die silently. The node is back when all its repairs are done.
/// Nobody is told of that, so it needs no event: whoever asks for a restart finds the node or not.
/// Where the daemon is dead, nobody lives: a rank that restarts on the node brings it back.
void Runtime::kill_node(const Victim& victim) {
  const NodeId node = node_of(victim.actor);
  const bool silent = victim.silent;
  reach_ = Reach::anything;
  if (silent) {
    state_.node_back_s[node] = std::max(state_.node_back_s[node], victim.back_s);
    state_.storage.lose(node);
  }
  if (!state_.actors[victim.actor].alive) return;
  const Incarnation daemon = incarnation_of(victim.actor);
  cover_earlier_deaths(node, daemon);
  for (const Rank rank : state_.placement.ranks_on(node)) {
    if (state_.actors[rank].alive) kill(rank, silent, daemon);
  }
  kill(daemon.actor, silent);
}

/// A daemon that dies may have told nobody of the ranks that died before it. So its death is one of
/// theirs, too, unless they have restarted or an earlier daemon of the node hosted them.
void Runtime::cover_earlier_deaths(NodeId node, Incarnation daemon) {
  for (const Rank rank : state_.placement.ranks_on(node)) {
    if (!state_.actors[rank].alive) state_.deaths.cover(incarnation_of(rank), daemon);
  }
}

/// Fail-stop: messages that the actor has injected stay in the network, all else of it is lost.
/// `daemon`: the one that the rank dies with, if its node dies.
void Runtime::kill(ActorId actor, bool silent, Incarnation daemon) {
  ActorState& state = state_.actors[actor];
  if (!state.alive) return;
  state_.roll.any_death = true;
  state.alive = false;
  lose_messages_of(actor);
  if (is_rank(actor)) {
    state_.auditor.lost(static_cast<std::uint64_t>(state.held()), now_s());
    --state_.roll.live;
    const bool runs = !state.rare_state || !state.rare_state->awaits_start;
    if (runs && state_.channels && job_->awaits_announcement)
      state_.channels->goes_back(actor, state.active);
    if (state.announced) --state_.roll.announced;
    if (state.finished) --state_.roll.finished;
    if (state.rare_state && state.rare_state->awaits_start) state_.auditor.never_started();
  }
  const Incarnation dead = incarnation_of(actor);
  state_.auditor.died(dead, is_rank(actor), state.active, now_s(), daemon);
  show_about(Sight::Kind::died, actor);
  const std::uint32_t death =
      state_.deaths.add({.dead = dead, .daemon = daemon, .time_s = now_s(), .silent = silent});
  if (state_.recovery && is_rank(actor)) state_.recovery->died(actor, now_s());
  spread_word(death);
  if (state.rare_state) {
    for (const ActorId holder : state.rare_state->linked_by) break_link(holder, death, silent);
    for (const ArmedTimer& timer : state.rare_state->timers) processors_.let_go(timer);
    for (auto told = state.rare_state->times_told(); told > 0; --told)
      state_.schedule.let_go(false);
    state.rare_state.reset();
  }
  if (state.lower) {
    state.lower->held.fill(0);
    state.lower->heard.reset();
  }
  state.computing = state.declared_work = 0;
  state.active = false;
}

void Runtime::lose_messages_of(ActorId dead) {
  ActorState& state = state_.actors[dead];
  std::uint64_t lost = 0;
  state_.pool.for_each_in_flight([&](Message& message) {
    const bool uninjected = message.from == dead && message.from_incarnation == state.incarnation &&
                            (message.flags & kArrived) == 0 && message.inject_s > now_s();
    if (uninjected) withdraw(message);
    if ((message.flags & kLost) != 0 || (message.to != dead && !uninjected)) return;
    message.flags |= kLost;
    if (message.channel == Family::workload) ++lost;
  });
  state_.auditor.lost(lost, now_s());
  while (!state.inbox_is_empty()) forget_unsent(state.take_out());
  state_.nics[node_of(dead)].expected -= std::exchange(state_.outgoing[dead].before_nic, 0U);
  if (!state.rare_state) return;
  for (Message* message : state.rare_state->early) forget(message);
  for (Message* message : state.rare_state->fenced) forget_unsent(message);
}

/// Discards a message: its sender died before it entered the network, or its receiver died before
/// it was handled.
void Runtime::forget(Message* message) {
  if (observer_ != nullptr) show_loss(*message);
  state_.pool.give_back(message);
}

}  // namespace faultline::engine
