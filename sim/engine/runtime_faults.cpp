// Deaths, who hears of them, and restarts.

#include <algorithm>

#include "sim/engine/runtime.hpp"

namespace faultline {

void Runtime::add_fault_sources() {
  if (spec_.fault_sources.empty()) return;
  const bool has_machine = spec_.platform.xml_path.empty();
  const FaultTarget target{.job = job_,
                           .node_of = {node_of_.begin(), node_of_.begin() + job_.processes},
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
  const std::vector<ActorId> victims =
      faults_.drawn_victims(source, [this](Rank rank) { return parent_of(rank); });
  await_source(source);
  strike(victims);
}

/// The rank that is responsible for this one. kNobody if this rank is dead.
Rank Runtime::parent_of(Rank rank) const {
  if (!actors_[rank].alive) return kNobody;
  for (const Family family : {Family::termination, Family::message_logging, Family::workload}) {
    const Component* component = actors_[rank].component(family);
    const Rank parent = component == nullptr ? kNobody : component->parent();
    if (parent < job_.processes && parent != rank && actors_[parent].alive) return parent;
  }
  return kNobody;
}

void Runtime::strike(const std::vector<ActorId>& victims) {
  const std::uint64_t before = deaths_;
  for (const ActorId victim : victims) {
    if (victim >= job_.processes)
      for (const Rank rank : ranks_of_node_[node_of_[victim]]) kill(rank);
    kill(victim);
  }
  if (deaths_ > before) {
    if (faults_struck_++ == 0) first_fault_s_ = now_s_;
    last_fault_s_ = now_s_;
  }
  check_stop();
}

/// Fail-stop: messages that the actor has injected stay in the network, all else of it is lost.
void Runtime::kill(ActorId actor) {
  ActorState& state = actors_[actor];
  if (!state.alive) return;
  const bool is_rank = actor < job_.processes;
  any_death_ = true;
  ++deaths_;
  state.alive = false;
  lose_messages_of(actor);
  if (is_rank) {
    auditor_.lost(state.held_down + state.held_up);
    --live_ranks_;
    if (state.announced) --announced_ranks_;
    if (state.finished) --finished_ranks_;
  }
  auditor_.died(actor, is_rank, state.active, now_s_);
  show_about(Sight::Kind::died, actor);
  if (state.rare_state) {
    for (const ArmedTimer& timer : state.rare_state->timers)
      if (!timer.background) --foreground_;
    state.rare_state.reset();
  }
  state.held_down = state.held_up = 0;
  state.computing = state.declared_work = 0;
  state.active = false;
  spread_word(actor);
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
  auditor_.lost(lost);
  while (state.inbox_head != nullptr) forget(state.take_out());
  if (!state.rare_state) return;
  for (Message* message : state.rare_state->early) forget(message);
  for (Message* message : state.rare_state->fenced) forget_unsent(message);
  if (!shared_nics_.empty()) shared_nics_[node_of(dead)].expected -= state.rare_state->before_nic;
}

/// Discards a message: its sender died before it entered the network, or its receiver died before
/// it was handled.
void Runtime::forget(Message* message) {
  if (observer_ != nullptr) show_loss(*message);
  pool_.give_back(message);
}

/// Schedules all notices of a death. Nobody can be late before it can know, so the grace time of a
/// run begins only when all notices have arrived. Each report of a dead peer starts it again,
/// because those who hear a notice may have to pass it on. The number of notices and reports is
/// finite, also with a detector that never reports.
void Runtime::spread_word(ActorId dead) {
  const auto in_s = [this](double delay_s) {
    notices_until_s_ = std::max(notices_until_s_, now_s_ + delay_s);
    return now_s_ + delay_s;
  };
  if (exit_notice_delay_s_) schedule(in_s(*exit_notice_delay_s_), EventKind::exit_notice, dead, 0);
  if (dead < job_.processes) {
    const ActorId daemon = job_.processes + node_of_[dead];
    if (daemon < actors_.size() && actors_[daemon].component(Family::failure_detection) != nullptr)
      schedule(in_s(spec_.platform.local_exit_delay_s), EventKind::local_exit, daemon, dead);
  }
  for (ActorId holder = 0; holder < actors_.size(); ++holder) {
    const ActorState& state = actors_[holder];
    if (!state.rare_state) continue;
    const auto& links = state.rare_state->links;
    if (std::find(links.begin(), links.end(), dead) != links.end())
      schedule(in_s(spec_.platform.link_lost_delay_s), EventKind::link_lost, holder, dead);
  }
}

void Runtime::tell_exit(EventKind kind, ActorId listener, ActorId dead) {
  if (!actors_[listener].alive) return;
  turn(listener, Family::failure_detection, [=](Component& component, Context& context) {
    if (kind == EventKind::local_exit)
      component.on_local_exit(context, dead);
    else
      component.on_link_lost(context, dead);
  });
}

/// The resource manager tells every live actor that has a failure detector, in order of actors.
void Runtime::exit_notice(ActorId dead) {
  for (ActorId listener = 0; listener < actors_.size() && !stopped_; ++listener) {
    if (!actors_[listener].alive) continue;
    turn(listener, Family::failure_detection, [dead](Component& component, Context& context) {
      component.on_exit_notice(context, dead);
    });
    carry_out_pending();
  }
}

void Runtime::report_failed(ActorId self, ActorId peer) {
  if (peer == self) {  // a false report has reached its victim
    kill(self);
    return;
  }
  auto& reported = actors_[self].rare().reported;
  if (std::find(reported.begin(), reported.end(), peer) != reported.end()) return;
  reported.push_back(peer);
  if (!actors_[peer].alive) notices_until_s_ = std::max(notices_until_s_, now_s_);
  auditor_.declared_dead(self, peer, now_s_);
  show_about(Sight::Kind::declared_dead, self, peer);
  if (actors_[peer].alive) any_refusal_ = true;
  if (self < job_.processes) {
    tell_stack(self, peer);
  } else {
    for (const Rank rank : ranks_of_node_[node_of_[self]])
      if (actors_[rank].alive) {
        auditor_.declared_dead(rank, peer, now_s_);
        show_about(Sight::Kind::declared_dead, rank, peer);
        tell_stack(rank, peer);
      }
  }
  check_stop();
}

/// Tells the stack of a rank about a dead peer. Message logging hears first. If it can recover the
/// peer, the layers above are not told.
void Runtime::tell_stack(ActorId self, ActorId peer) {
  for (const Family family : {Family::message_logging, Family::termination, Family::workload}) {
    turn(
        self, family,
        [peer](Component& component, Context& context) { component.on_peer_failed(context, peer); },
        true);
    const Component* component = actors_[self].component(family);
    if (component != nullptr && component->recovers(peer)) return;
  }
}

/// The peers that this rank or its node's daemon has declared dead.
std::vector<ActorId> Runtime::known_failures(ActorId self) const {
  std::vector<ActorId> known;
  if (actors_[self].rare_state) known = actors_[self].rare_state->reported;
  const ActorId daemon = job_.processes + node_of(self);
  if (daemon < actors_.size() && actors_[daemon].rare_state) {
    const auto& reported = actors_[daemon].rare_state->reported;
    known.insert(known.end(), reported.begin(), reported.end());
  }
  return known;
}

bool Runtime::refuses(const ActorState& actor, ActorId from) const {
  if (!actor.rare_state || !actors_[from].alive) return false;
  const auto& reported = actor.rare_state->reported;
  return std::find(reported.begin(), reported.end(), from) != reported.end();
}

void Runtime::restart(ActorId actor, NodeId node) {
  ActorState& state = actors_[actor];
  if (state.alive) return;
  const auto incarnation = static_cast<std::uint16_t>(state.incarnation + 1);
  state = ActorState{};
  state.incarnation = incarnation;
  state.cpu_free_s = now_s_;
  if (shared_nics_.empty()) shared_nics_.resize(nodes_);  // the node may have other actors
  if (actor < job_.processes && node != node_of_[actor]) {
    if (!ranks_of_node_.empty()) {
      std::erase(ranks_of_node_[node_of_[actor]], actor);
      ranks_of_node_[node].push_back(actor);
    }
    node_of_[actor] = node;
    ranks_per_block_ = 0;
  }
  for (ActorState& other : actors_)
    if (other.rare_state) std::erase(other.rare_state->reported, actor);
  if (actor < job_.processes) ++live_ranks_;
  auditor_.restarted(actor, actor < job_.processes);
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::restarted, .time_s = now_s_, .actor = actor, .value = node});
  make_components(actor);
  start_actor(actor);
}

}  // namespace faultline
