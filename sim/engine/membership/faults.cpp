// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/faults.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/transaction_requests.hpp"

namespace faultline::engine {

void Faults::schedule_all() {
  for (const auto& fault : state_.faults().timed()) {
    run_.state.schedule.add(fault.time_s, EventKind::fault, fault.index, kStated);
    run_.state.schedule.keep_alive(false);
  }
  for (std::uint32_t source = 0; source < state_.faults().sources(); ++source) await_source(source);
}

void Faults::strike_at(const Event& fault) {
  if (fault.at.detail == kDrawn) return strike_from(fault.at.actor);
  run_.state.schedule.let_go(false);
  strike(state_.faults().victims(fault.at.actor));
}

void Faults::strike_at_mark(const char* name, std::int64_t value) {
  if (!state_.faults().waits_for_marks()) return;
  run_.reached.anything();
  for (const std::uint32_t index : state_.faults().take_mark(name, value))
    strike(state_.faults().victims(index));
}

/// Schedules the next fault of a source. A source without end does not keep a run alive, unless
/// that goes on until a stated time: once nothing else is left to happen, its faults no longer
/// matter.
void Faults::await_source(std::uint32_t source) {
  const auto time_s = state_.faults().draw(source);
  if (!time_s) return;
  run_.state.schedule.add(std::max(*time_s, run_.now_s()), EventKind::fault, source, kDrawn);
  if (state_.faults().ends(source)) run_.state.schedule.keep_alive(false);
}

void Faults::strike_from(std::uint32_t source) {
  if (state_.faults().ends(source)) run_.state.schedule.let_go(false);
  const std::vector<faults::Victim> victims =
      state_.faults().drawn_victims(source, [this](Rank rank) { return parent_of(rank); });
  await_source(source);
  strike(victims);
}

/// The rank that is responsible for this one. kNobody if this rank is dead.
Rank Faults::parent_of(Rank rank) const {
  if (!run_.state.actors[rank].alive) return kNobody;
  for (const Family family :
       {Family::termination, Family::transactions, Family::message_logging, Family::workload}) {
    const Component* component = run_.state.actors[rank].component(family);
    const Rank parent = component == nullptr ? kNobody : component->parent();
    if (parent < run_.job.shape.processes && parent != rank && run_.state.actors[parent].alive)
      return parent;
  }
  return kNobody;
}

void Faults::strike(const std::vector<faults::Victim>& victims) {
  const std::uint32_t before = state_.deaths().size();
  for (const faults::Victim& victim : victims) strike(victim);
  if (state_.deaths().size() > before) state_.note_strike(run_.now_s());
  verdict_.check();
}

void Faults::strike(const faults::Victim& victim) {
  if (victim.soft)
    find_error(victim.actor);
  else if (victim.stall_s > 0.0)
    stall(victim.actor, victim.stall_s);
  else if (run_.is_rank(victim.actor))
    kill(victim.actor);
  else
    kill_node(victim);
}

/// The program needs its processor to find an error, as the handler of a notice does.
void Faults::find_error(ActorId self) {
  if (!run_.state.actors[self].alive) return;
  run_.reached.anything();
  if (!processors_.waits_as_timer(self, {0, SoftError()})) tell_error(self);
}

void Faults::tell_error(ActorId self) {
  StackRequest request{.kind = RaiseError::kRequest};
  request.content.put(RaiseError{});
  turns_.turn(self, Family::workload, [&request](auto& component, auto& context) {
    component.on_request(context, request);
  });
}

void Faults::stall(ActorId self, double stall_s) {
  if (!run_.state.actors[self].alive) return;
  run_.reached.anything();
  ending_.expect_stall(run_.now_s() + stall_s);
  processors_.stall(self, stall_s);
}

void Faults::strike_by_number() {
  while (!verdict_.has_ended() && run_.state.schedule.events() >= state_.faults().next_event())
    strike(state_.faults().victims(state_.faults().take_event()));
  turns_.carry_out_all();
}

void Faults::stop_victim(ActorId self) {
  if (run_.is_rank(self))
    kill(self);
  else
    kill_node({.actor = self});
  verdict_.check();
}

/// The daemon of a node and all its ranks die. If the node itself fails, nothing is left that could
/// close their connections: they die silently. The node is back when all its repairs are done.
/// Nobody is told of that, so it needs no event: whoever asks for a restart finds the node or not.
/// Where the daemon is dead, nobody lives: a rank that restarts on the node brings it back.
void Faults::kill_node(const faults::Victim& victim) {
  const NodeId node = run_.node_of(victim.actor);
  const bool silent = victim.silent;
  run_.reached.anything();
  if (silent) {
    state_.fail(node, std::min(victim.back_s, run_.now_s() + victim.repair_s));
    storage_.lose(node);
  }
  if (!run_.state.actors[victim.actor].alive) return;
  const Incarnation daemon = run_.incarnation_of(victim.actor);
  cover_earlier_deaths(node, daemon);
  for (const Rank rank : run_.state.placement.ranks_on(node)) {
    if (run_.state.actors[rank].alive) kill(rank, silent, daemon);
  }
  kill(daemon.actor, silent);
}

/// A daemon that dies may have told nobody of the ranks that died before it. So its death is one of
/// theirs, too, unless they have restarted or an earlier daemon of the node hosted them.
void Faults::cover_earlier_deaths(NodeId node, Incarnation daemon) {
  for (const Rank rank : run_.state.placement.ranks_on(node)) {
    if (!run_.state.actors[rank].alive) state_.deaths().cover(run_.incarnation_of(rank), daemon);
  }
}

/// Fail-stop: messages that the actor has injected stay in the network, all else of it is lost.
/// `daemon`: the one that the rank dies with, if its node dies.
void Faults::kill(ActorId actor, bool silent, Incarnation daemon) {
  ActorState& state = run_.state.actors[actor];
  if (!state.alive) return;
  run_.state.roll.note_death();
  state.alive = false;
  network_.lose_messages_of(actor);
  if (run_.is_rank(actor)) {
    run_.state.truth.auditor().lost(static_cast<std::uint64_t>(state.held()), run_.now_s());
    run_.state.roll.strike_off(state);
  }
  const Incarnation dead = run_.incarnation_of(actor);
  const bool had_started = !state.rare_state || !state.rare_state->awaits_start;
  run_.state.truth.died(dead, state.active, had_started, run_.now_s(), daemon);
  run_.show_about(audit::Sight::Kind::died, actor);
  const std::uint32_t death = state_.deaths().add(
      {.dead = dead, .daemon = daemon, .time_s = run_.now_s(), .silent = silent});
  notices_.spread_word(death);
  if (state.rare_state) {
    for (const ActorId holder : state.rare_state->linked_by)
      notices_.break_link(holder, death, silent);
    for (const ArmedTimer& timer : state.rare_state->timers) processors_.let_go(timer);
    for (auto told = state.rare_state->times_told(); told > 0; --told)
      run_.state.schedule.let_go(false);
    state.rare_state.reset();
  }
  if (state.lower) {
    state.lower->held.fill(0);
    state.lower->heard.reset();
  }
  state.computing = state.declared_work = 0;
  state.active = false;
  start_who_waits(dead);
}

/// Somebody has asked for a restart before this death. Its node is chosen when all have died
/// that die now.
void Faults::start_who_waits(Incarnation dead) {
  const auto waiting = state_.take_waiting(dead);
  if (!waiting) return;
  const ActorId asker = state_.restart(*waiting).asker.actor;
  run_.state.schedule.add(run_.now_s(), EventKind::restart, asker, *waiting);
}

}  // namespace faultline::engine
