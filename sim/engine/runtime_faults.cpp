// Deaths, who hears of them, and restarts.

#include <algorithm>
#include <utility>

#include "sim/engine/runtime.hpp"

namespace faultline {

void Runtime::add_fault_sources() {
  if (spec_.fault_sources.empty()) return;
  const bool has_machine = spec_.platform.xml_path.empty();
  const FaultTarget target{.job = job_,
                           .node_of = placement_.nodes_of_ranks(),
                           .routes = &routes_,
                           .machine = has_machine ? &spec_.platform.machine : nullptr,
                           .whole_machine = spec_.platform.whole_machine};
  for (const FaultSourceChoice& source : spec_.fault_sources) faults_.add(source, target);
}

/// Schedules the next fault of a source. A source without end does not keep a run alive: once
/// nothing else is left to happen, its faults no longer matter.
void Runtime::await_source(std::uint32_t source) {
  const auto time_s = faults_.draw(source);
  if (!time_s) return;
  schedule(std::max(*time_s, now_s_), EventKind::fault, source, kDrawnFault);
  if (!faults_.ends(source)) --foreground_;
}

void Runtime::strike_from(std::uint32_t source) {
  if (faults_.ends(source)) --foreground_;
  const std::vector<Victim> victims =
      faults_.drawn_victims(source, [this](Rank rank) { return parent_of(rank); });
  await_source(source);
  strike(victims);
}

/// The rank that is responsible for this one. kNobody if this rank is dead.
Rank Runtime::parent_of(Rank rank) const {
  if (!actors_[rank].alive) return kNobody;
  for (const Family family :
       {Family::termination, Family::transactions, Family::message_logging, Family::workload}) {
    const Component* component = actors_[rank].component(family);
    const Rank parent = component == nullptr ? kNobody : component->parent();
    if (parent < job_.processes && parent != rank && actors_[parent].alive) return parent;
  }
  return kNobody;
}

void Runtime::strike(const std::vector<Victim>& victims) {
  const std::uint64_t before = deaths_;
  for (const Victim& victim : victims) {
    if (is_rank(victim.actor))
      kill(victim.actor);
    else
      kill_node(victim);
  }
  if (deaths_ > before) {
    if (faults_struck_++ == 0) first_fault_s_ = now_s_;
    last_fault_s_ = now_s_;
  }
  check_stop();
}

/// Strikes with the faults that a scenario sets by the number of an event.
void Runtime::strike_by_number() {
  while (events_ >= faults_.next_event()) strike(faults_.victims(faults_.take_event()));
}

/// The daemon of a node and all its ranks die. If the node itself fails, nobody is left who could
/// close their connections: they die silently. The node is back when all its repairs are done.
/// Nobody is told of that, so it needs no event: whoever asks for a restart finds the node or not.
void Runtime::kill_node(const Victim& victim) {
  const NodeId node = node_of(victim.actor);
  const Incarnation daemon = incarnation_of(victim.actor);
  const bool silent = victim.silent;
  if (silent) node_back_s_[node] = std::max(node_back_s_[node], victim.back_s);
  for (const Rank rank : placement_.ranks_on(node)) {
    if (!actors_[rank].alive) continue;
    died_with_node_[daemon].push_back(incarnation_of(rank));
    kill(rank, silent);
  }
  kill(daemon.actor, silent);
}

/// Fail-stop: messages that the actor has injected stay in the network, all else of it is lost.
void Runtime::kill(ActorId actor, bool silent) {
  ActorState& state = actors_[actor];
  if (!state.alive) return;
  any_death_ = true;
  ++deaths_;
  state.alive = false;
  lose_messages_of(actor);
  if (is_rank(actor)) {
    auditor_.lost(static_cast<std::uint64_t>(state.held()), now_s_);
    --live_ranks_;
    if (state.announced) --announced_ranks_;
    if (state.finished) --finished_ranks_;
    if (state.rare_state && state.rare_state->awaits_start) auditor_.never_started();
  }
  auditor_.died({actor, state.incarnation}, is_rank(actor), state.active, now_s_);
  show_about(Sight::Kind::died, actor);
  const auto death = static_cast<std::uint32_t>(deaths_in_order_.size());
  spread_word({actor, state.incarnation}, silent);
  if (state.rare_state) {
    for (const ActorId holder : state.rare_state->linked_by) break_link(holder, death, silent);
    for (const ArmedTimer& timer : state.rare_state->timers)
      --(timer.background ? background_ : foreground_);
    state.rare_state.reset();
  }
  if (state.lower) state.lower->held.fill(0);
  state.computing = state.declared_work = 0;
  state.active = false;
}

void Runtime::lose_messages_of(ActorId dead) {
  ActorState& state = actors_[dead];
  std::uint64_t lost = 0;
  pool_.for_each_in_flight([&](Message& message) {
    const bool uninjected = message.from == dead && message.from_incarnation == state.incarnation &&
                            (message.flags & kArrived) == 0 && message.inject_s > now_s_;
    if (uninjected) withdraw(message);
    if ((message.flags & kLost) != 0 || (message.to != dead && !uninjected)) return;
    message.flags |= kLost;
    if (message.channel == Family::workload) ++lost;
  });
  auditor_.lost(lost, now_s_);
  while (!state.inbox_is_empty()) forget(state.take_out());
  nics_[node_of(dead)].expected -= std::exchange(state.before_nic, 0U);
  if (!state.rare_state) return;
  for (Message* message : state.rare_state->early) forget(message);
  for (Message* message : state.rare_state->fenced) forget_unsent(message);
}

/// Discards a message: its sender died before it entered the network, or its receiver died before
/// it was handled.
void Runtime::forget(Message* message) {
  if (observer_ != nullptr) show_loss(*message);
  pool_.give_back(message);
}

}  // namespace faultline
