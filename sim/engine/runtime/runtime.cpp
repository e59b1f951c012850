// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/runtime/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/runtime/simulated_time.hpp"

namespace faultline::engine {

Runtime::Runtime(std::shared_ptr<const RunJob> job, Transport& transport, Executor* executor)
    : job_(std::move(job)),
      state_(*job_),
      run_{.job = *job_, .state = state_, .reached = reached_, .observer = observer_},
      processors_(run_, state_.serial),
      network_(run_, state_.network, processors_, transport),
      verdict_(*job_, state_.ending,
               {.actors = state_.actors,
                .roll = state_.roll,
                .faults = state_.membership.faults(),
                .truth = state_.truth,
                .schedule = state_.schedule}),
      turns_(run_, {.network = network_,
                    .processors = processors_,
                    .storage = state_.storage,
                    .verdict = verdict_,
                    .tally = state_.tally,
                    .services = *this,
                    .executor = executor != nullptr ? *executor : *this}),
      flushes_(run_, network_, turns_),
      local_events_(run_, processors_, turns_),
      stacks_(run_, turns_),
      notices_(run_, state_.membership, state_.ending, processors_, turns_),
      faults_(run_, {.state = state_.membership,
                     .storage = state_.storage,
                     .network = network_,
                     .processors = processors_,
                     .turns = turns_,
                     .notices = notices_,
                     .ending = state_.ending,
                     .verdict = verdict_}),
      fencing_(run_, state_.membership, state_.ending, faults_),
      reports_(run_, state_.membership,
               {.ending = state_.ending, .turns = turns_, .faults = faults_, .fencing = fencing_}),
      restarts_(run_, {.state = state_.membership,
                       .network = network_,
                       .transport = transport,
                       .turns = turns_,
                       .stacks = stacks_,
                       .notices = notices_,
                       .reports = reports_,
                       .ending = state_.ending,
                       .verdict = verdict_,
                       .tally = state_.tally}),
      phases_(run_, {.ending = state_.ending,
                     .network = network_,
                     .processors = processors_,
                     .turns = turns_,
                     .reports = reports_,
                     .fencing = fencing_,
                     .verdict = verdict_,
                     .tally = state_.tally}),
      images_(run_, {.membership = state_.membership,
                     .network = network_,
                     .processors = processors_,
                     .turns = turns_,
                     .phases = phases_,
                     .verdict = verdict_,
                     .stacks = stacks_}),
      is_stepwise_(executor != nullptr) {
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor) stacks_.make(actor);
}

void Runtime::open() {
  if (observer_ != nullptr) show_placement();
  faults_.schedule_all();
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

void Runtime::abandon_turn() {
  turns_.abandon();
  static_cast<void>(reports_.take_news());
  checking_ = broken_ = false;
}

/// Called after the few events after which more is due than after every one.
void Runtime::attend_to_event() {
  faults_.strike_by_number();
  if (job_->spec.checks_state && state_.schedule.events() >= state_.next_checked && !stopped())
    check_state();
  state_.next_attended = std::min(state_.membership.faults().next_event(),
                                  tell_simulated_time(now_s(), state_.schedule.events()));
  if (job_->spec.checks_state)
    state_.next_attended = std::min(state_.next_attended, state_.next_checked);
}

void Runtime::set_up_done() {
  setup_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Runtime::show_placement() {
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor)
    run_.show({.kind = audit::Sight::Kind::placed, .actor = actor, .value = node_of(actor)});
}

/// Starts the components of every actor at time zero, in order of actors. Their actions wait until
/// all have started. A root without work may announce at once, which is right if nobody has work.
void Runtime::start_all() {
  for (ActorId actor = 0; actor < state_.actors.size(); ++actor) stacks_.start(actor);
  turns_.carry_out_all();
  turns_.release_memory();
}

// ---- what a handler asks at once --------------------------------------------------------------

double Runtime::death_s(Incarnation now) const {
  --now.number;
  return state_.membership.deaths().of(now).time_s;
}

std::vector<std::uint64_t> Runtime::stored(Family family, std::uint64_t place) const {
  run_.reached.anything();
  return state_.storage.words(family, place, node_of(turns_.last_actor()));
}

// ---- events -----------------------------------------------------------------------------------

void Runtime::carry_out(const Event& event) {
  state_.schedule.begin(event);
  switch (room_of(event.kind())) {
    case Room::inbox:
      if (event.is_about_message())
        arrived(event.message);
      else if (state_.actors[event.at.actor].incarnation == event.at.detail)
        wake(event.at.actor);
      break;
    case Room::processors:
      if (event.kind() == EventKind::timer)
        timer_event(event.at.actor, event.at.detail);
      else
        local_events_.compute_done(event.at.actor, event.at.detail);
      break;
    case Room::network:
      pass_to_network(event);
      break;
    case Room::membership:
      pass_to_membership(event);
      break;
    case Room::engine:
      break;
  }
  after_event();
}

void Runtime::pass_to_network(const Event& event) {
  switch (event.kind()) {
    case EventKind::sent:
      return tell_sent(event);
    case EventKind::nic_ready:
      return network_.stand_before_nic(event.message);
    case EventKind::nic_free:
      return network_.serve(event);
    default:
      return vanish(event.message);
  }
}

void Runtime::pass_to_membership(const Event& event) {
  switch (event.kind()) {
    case EventKind::fault:
      return faults_.strike_at(event);
    case EventKind::restart:
      return restarts_.restart(event.at.detail);
    case EventKind::fence:
      return fencing_.fence(event.at.detail);
    default:
      return notices_.hear(event.at.actor, {event.kind(), event.at.detail});
  }
}

}  // namespace faultline::engine
