// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/turn/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline::engine {

namespace {

std::optional<Residence> residence_of(const ComponentChoice& choice) {
  if (choice.registration == nullptr) return std::nullopt;
  return residence_of(*choice.registration, choice.options);
}

}  // namespace

Runtime::Runtime(std::shared_ptr<const RunJob> job)
    : job_(std::move(job)),
      state_(*job_),
      verdict_(*job_, state_.ending,
               {.actors = state_.actors,
                .roll = state_.roll,
                .faults = state_.faults,
                .channels = state_.channels,
                .auditor = state_.auditor,
                .schedule = state_.schedule}),
      processors_(*job_, state_.schedule, state_.actors, state_.placement, state_.serial,
                  observer_),
      packet_bytes_(job_->spec.platform.packet_bytes) {
  begin_turns();
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor) make_components(actor);
}

void Runtime::make_components(ActorId actor) {
  ActorState& state = state_.actors[actor];
  for (const StackPlace& place : kStack) {
    const std::size_t index = index_of(place.family);
    const auto residence = residence_of(job_->spec.components[index]);
    const Residence elsewhere = is_rank(actor) ? Residence::daemons : Residence::ranks;
    if (!residence || *residence == elsewhere) continue;
    auto component = job_->factories[index](actor);
    // Shifted by 33, because task trees use keys from 2^32 on (workloads/random_task_tree.cpp).
    if (place.family != Family::workload || !job_->spec.branches_at_choices)
      component->random = Stream(job_->seed, job_->replication, place.purpose,
                                 actor + (std::uint64_t{state.incarnation} << 33));
    state.place_of(place.family) = std::move(component);
    state.present = static_cast<std::uint8_t>(state.present | 1U << index);
  }
  // A restarted component begins with what it held at the start of the run, already counted.
  const Layer* termination = state.layer(Family::termination);
  if (termination == nullptr || state.incarnation > 0) return;
  if (const auto conserved = termination->conserved()) {
    state_.audits_conserved = true;
    state_.auditor.conserved_moved(conserved->held - conserved->issued);
  }
}

RunResult Runtime::run() {
  set_up_done();
  guard([this] {
    open();
    if (!stopped()) simulate();
  });
  return close();
}

void Runtime::open() {
  if (observer_ != nullptr) show_placement();
  for (const auto& fault : state_.faults.timed()) {
    state_.schedule.add(fault.time_s, EventKind::fault, fault.index, kStatedFault);
    state_.schedule.keep_alive(false);
  }
  for (std::uint32_t source = 0; source < state_.faults.sources(); ++source) await_source(source);
  start_all();
}

RunResult Runtime::close() {
  guard([this] {
    if (stopped()) return;
    if (job_->spec.checks_state) check_state();
    verdict_.conclude();
  });
  RunResult outcome = result();
  outcome.setup_s = setup_s_;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return outcome;
}

void Runtime::begin_turns() {
  turn_ = Turn();
  turn_.pool = &state_.pool;
  turn_.services = this;
  turn_.chooser = chooser_;
  turn_.placement = &state_.placement;
  turn_.job = job_->shape;
}

/// A handler that has thrown leaves its turn half done.
void Runtime::abandon_turn() {
  begin_turns();
  batch_ = {};
  pending_actions_.clear();
  next_pending_ = next_request_ = climbing_ = idle_told_ = 0;
  starts_above_ = heard_news_ = checking_ = broken_ = false;
}

/// Called after the few events after which more is due than after every one.
void Runtime::attend_to_event() {
  strike_by_number();
  if (job_->spec.checks_state && state_.schedule.events() >= state_.next_checked && !stopped())
    check_state();
  state_.next_attended = state_.faults.next_event();
  if (job_->spec.checks_state)
    state_.next_attended = std::min(state_.next_attended, state_.next_checked);
}

void Runtime::set_up_done() {
  setup_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Runtime::show_placement() {
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor)
    show({.kind = Sight::Kind::placed, .actor = actor, .value = node_of(actor)});
}

void Runtime::show_loss(const Message& message) {
  show({.kind = Sight::Kind::lost,
        .time_s = now_s(),
        .actor = message.from,
        .peer = message.to,
        .message = &message});
}

/// Shows that at time_s a message has begun to leave its sender. At its inject_s it enters the
/// network.
void Runtime::show_leaving(Sight::Kind kind, const Message& message, double time_s) {
  show({.kind = kind,
        .time_s = time_s,
        .until_s = message.inject_s,
        .actor = message.from,
        .peer = message.to,
        .message = &message});
}

/// Shows what an actor does now, or what happens to it.
void Runtime::show_about(Sight::Kind kind, ActorId actor, ActorId peer) {
  if (observer_ == nullptr) return;
  show({.kind = kind,
        .time_s = now_s(),
        .actor = actor,
        .peer = peer,
        .value = state_.actors[actor].phase});
}

/// Starts the components of every actor at time zero, in order of actors. Their actions wait until
/// all have started. A root without work may announce at once, which is right if nobody has work.
void Runtime::start_all() {
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor) start_actor(actor);
  carry_out_pending();
  pending_actions_.shrink_to_fit();
}

/// Of a new incarnation, only the detector and message logging start at once. What is above waits
/// until message logging has its image, or starts it anew.
void Runtime::start_actor(ActorId actor) {
  const bool waits = state_.actors[actor].incarnation > 0 &&
                     state_.actors[actor].component(Family::message_logging) != nullptr;
  if (waits) state_.actors[actor].rare().awaits_start = true;
  start_levels(actor, waits ? index_of(Family::message_logging) : 0, kFamilies);
}

/// Starts the components of a stack from the bottom up.
void Runtime::start_levels(ActorId actor, std::size_t top, std::size_t below) {
  for (std::size_t index = below; index-- > top;) {
    if (kStack[index].role == Role::workload && is_rank(actor)) state_.auditor.started();
    starts_above_ = index > 0;
    turn(actor, kStack[index].family,
         [](Component& component, Context& context) { component.start(context); });
  }
  starts_above_ = false;
}

double Runtime::unordered_delay_s(ActorId from) {
  if (state_.network_random.empty()) return 0.0;
  return state_.network_random[from].exponential(job_->spec.platform.unordered_delay_s);
}

void Runtime::carry_out(const Event& event) {
  state_.schedule.begin(event);
  switch (event.kind()) {
    case EventKind::arrive:
    case EventKind::taken_in:
      arrived(event.message);
      break;
    case EventKind::wake:
      if (state_.actors[event.at.actor].incarnation == event.at.detail) wake(event.at.actor);
      break;
    case EventKind::timer:
      timer_event(event.at.actor, event.at.detail);
      break;
    case EventKind::compute_done:
      compute_done(event.at.actor, event.at.detail);
      break;
    case EventKind::sent:
      tell_sent(event.at.actor, event.at.detail);
      break;
    case EventKind::fault:
      if (event.at.detail == kStatedFault) {
        state_.schedule.let_go(false);
        strike(state_.faults.victims(event.at.actor));
      } else {
        strike_from(event.at.actor);
      }
      break;
    case EventKind::exit_notice:
    case EventKind::local_exit:
    case EventKind::link_lost:
      hear(event.at.actor, {event.kind(), event.at.detail});
      break;
    case EventKind::restart:
      restart(event.at.detail);
      break;
    case EventKind::nic_ready:
      stand_before_nic(event.message);
      break;
    case EventKind::nic_free:
      if (event.at.detail == kForBulk)
        go_on_with_bulk(event.at.actor);
      else
        serve_nic(event.at.actor);
      break;
    case EventKind::vanish:
      state_.schedule.let_go(*event.message);
      vanish(event.message);
      break;
    case EventKind::inject:
    case EventKind::stall_end:
    case EventKind::bulk_passed:
      break;
  }
  after_event();
}

}  // namespace faultline::engine
