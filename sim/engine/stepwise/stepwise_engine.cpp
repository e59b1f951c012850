// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/stepwise/stepwise_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "sim/core/choices.hpp"

namespace faultline::engine {

StepwiseEngine::StepwiseEngine(std::shared_ptr<const RunJob> job)
    : run_(std::move(job), *this, this),
      done_(state_.actors.size()),
      invariants_(properties_of(run_.job().spec)) {
  std::erase_if(invariants_, [](const DeclaredProperty& declared) {
    return declared.property->use != StateProperty::Use::invariant;
  });
  if (run_.job().spec.branches_at_choices) run_.let_choose(*this);
}

// ---- what the driver does ---------------------------------------------------------------------

void StepwiseEngine::begin(std::vector<Cut> cuts, Decisions decisions) {
  step(std::move(cuts), std::move(decisions), [this] { run_.open(); });
}

void StepwiseEngine::take(std::size_t place, std::vector<Cut> cuts, Decisions decisions) {
  const std::uint64_t order = events().at(place).order;
  step(std::move(cuts), std::move(decisions), [&] {
    const Event event = state_.schedule.take(order);
    run_.set_now_s(run_.now_s() + wait_s(event));
    if (event.kind() == EventKind::compute_done) end_computation(event);
    if (run_.goes_on(run_.now_s())) run_.carry_out(event);
  });
}

void StepwiseEngine::kill(ActorId actor) {
  step({}, {}, [&] { run_.strike({{.actor = actor}}); });
}

/// Looks at the message in the queue, because the agenda's may be that of another copy.
bool StepwiseEngine::can_lose(std::size_t place) {
  const std::uint64_t order = events().at(place).order;
  bool can = false;
  state_.schedule.queue().for_each([&](const Event& event) {
    if (event.order == order)
      can = event.kind() == EventKind::arrive && run_.network().may_be_lost(*event.message);
  });
  return can;
}

void StepwiseEngine::lose(std::size_t place) {
  const std::uint64_t order = events().at(place).order;
  step({}, {}, [&] { run_.network().lose(*state_.schedule.take(order).message); });
}

bool StepwiseEngine::can_stall(ActorId actor) const {
  bool stalls = false;
  state_.schedule.queue().for_each([&](const Event& event) {
    stalls = stalls || (event.kind() == EventKind::stall_end && event.at.actor == actor);
  });
  return run_.job().is_rank(actor) && state_.actors[actor].alive && !stalls;
}

void StepwiseEngine::stall(ActorId rank) {
  step({}, {}, [&] {
    run_.reached().anything();
    state_.schedule.add(run_.now_s() + stall_s_, EventKind::stall_end, rank,
                        state_.actors[rank].incarnation);
  });
}

void StepwiseEngine::check_properties() {
  if (invariants_.empty() || !state_.truth.violations().empty()) return;
  if (!view_.look_at(state_, run_.job().shape.processes)) return;
  for (const DeclaredProperty& declared : invariants_) {
    if (view_.holds(declared)) continue;
    state_.truth.auditor().violation(
        "broken-property", std::nullopt,
        declared.property->name + ", which says: " + declared.property->doc, run_.now_s());
    return run_.stop(Outcome::violated);
  }
}

std::size_t StepwiseEngine::in_flight() {
  std::size_t messages = 0;
  state_.pool.for_each_in_flight([&](const Message&) { ++messages; });
  return messages;
}

void StepwiseEngine::go_on_from(const RunState& state) {
  if (torn_) abandon_step();
  state_.become(state);
  is_listed_ = false;
}

void StepwiseEngine::go_on_from(const RunState& state, const std::vector<Event>& events) {
  go_on_from(state);
  events_ = events;
  agenda_.clear();
  is_listed_ = true;
}

const std::vector<Choice>& StepwiseEngine::agenda() {
  if (!is_listed_) list_events();
  if (agenda_.size() == events_.size()) return agenda_;
  agenda_.reserve(events_.size());
  for (const Event& event : events_) agenda_.push_back(choice_of(event));
  return agenda_;
}

RunResult StepwiseEngine::end() {
  if (!is_over()) run_.stop(Outcome::limit);
  return run_.close();
}

// ---- a step -----------------------------------------------------------------------------------

template <class Step>
void StepwiseEngine::step(std::vector<Cut> cuts, Decisions decisions, Step happen) {
  cuts_ = std::move(cuts);
  decisions_ = std::move(decisions);
  asked_.clear();
  asked_about_.clear();
  std::fill(done_.begin(), done_.end(), 0);
  const std::uint64_t false_reports = state_.truth.auditor().false_reports();
  torn_ = true;
  run_.reached().forget();
  run_.set_now_s(run_.now_s() + step_s_);
  run_.guard([&] {
    happen();
    die_where_cut();
    forget_unsent_messages();
    remove_dead_wood();
    if (checks_steps_ && !run_.stopped()) run_.check_state();
    torn_ = false;
  });
  if (is_patient_)
    refuse_errors(false_reports);
  else
    outlast_reports();
  free_processors();
  is_listed_ = false;
}

/// Whoever declares a live actor dead refuses what that one sends later, be it the first to do so
/// or not. So whatever comes next is later.
void StepwiseEngine::outlast_reports() {
  if (!state_.roll.any_refusal()) return;
  const auto begins_now = [this](const auto& refusal) { return refusal.time_s >= run_.now_s(); };
  const bool any = std::ranges::any_of(state_.actors, [&](const ActorState& actor) {
    return actor.rare_state && std::ranges::any_of(actor.rare_state->refused.all(), begins_now);
  });
  if (any) run_.set_now_s(run_.now_s() + 1.0);
}

/// A patient detector does not err.
void StepwiseEngine::refuse_errors(std::uint64_t false_reports_before) {
  if (state_.truth.auditor().false_reports() == false_reports_before) return;
  const Incarnation victim = state_.truth.auditor().falsely_reported().begin()->first;
  state_.truth.auditor().violation(
      "false-report", std::nullopt,
      "the live actor " + std::to_string(victim.actor) + " has been declared dead, although " +
          (message_s_ > 0.0 ? "no message took longer than it may" : "messages take no time"),
      run_.now_s());
  run_.stop(Outcome::violated);
}

/// Forgets a step that an exception has broken off.
void StepwiseEngine::abandon_step() {
  run_.abandon_turn();
  unsent_.clear();
  torn_ = false;
}

bool StepwiseEngine::is_cut(ActorId actor) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& cut) {
    return cut.actor == actor && done_[actor] >= cut.after;
  });
}

std::uint64_t StepwiseEngine::choose(std::uint64_t bound, const char* what) {
  if (bound == 1) return 0;
  const std::size_t place = asked_.size();
  asked_.push_back(bound);
  asked_about_.push_back(what);
  if (place >= decisions_.size()) {
    if (random_ == nullptr) return 0;
    decisions_.push_back(random_->below(bound));
  }
  if (decisions_[place] >= bound)
    throw std::out_of_range("decision " + std::to_string(place) + " is " +
                            std::to_string(decisions_[place]) + ", expected below " +
                            std::to_string(bound));
  return decisions_[place];
}

bool StepwiseEngine::leaves_at_once() {
  run_.reached().anything();
  return choose(2, kDeparture) == 1;
}

/// What a dying actor sends after its cut does not enter the network, and is lost with the actor.
void StepwiseEngine::transmit(Message& message, const platform::Transit&) {
  if (is_cut(message.from)) {
    message.inject_s = kNever;
    unsent_.push_back(&message);
    return;
  }
  ++done_[message.from];
  message.inject_s = run_.now_s();
  state_.schedule.add(run_.now_s(), EventKind::arrive, &message);
}

/// An actor that has died asks in vain, but what it has asked for counts as done.
void StepwiseEngine::carry_out(Action action) {
  const ActorId self = action.self.actor;
  if (is_cut(self)) return run_.strike({{.actor = self}});
  ++done_[self];
  if (const auto* report = std::get_if<Action::ReportFailed>(&action.request))
    if (state_.actors[self].lives_as(action.self.number)) refuse_repetition(self, report->peer);
  run_.carry_out(std::move(action));
}

/// The detector of a rank reports a death once, as long as nobody has been started again or been
/// reported while alive. No other component would notice, because none hears of the death again.
/// Where reports can be taken back, it may believe a late denial of the dead, and report it again.
void StepwiseEngine::refuse_repetition(ActorId self, Incarnation dead) {
  if (!run_.job().is_rank(self) || run_.job().takes_back || state_.roll.any_restart()) return;
  if (state_.truth.auditor().false_reports() > 0) return;
  const auto death = state_.membership.deaths().number_of(dead);
  const auto& heard = state_.actors[self].heard();
  if (!death || !std::binary_search(heard.begin(), heard.end(), *death)) return;
  state_.truth.auditor().violation(
      "repeated-report", self,
      "reported for the second time that " + std::to_string(dead.actor) + " is dead", run_.now_s());
  run_.stop(Outcome::violated);
}

/// Kills the actors that did not come to an action after their cut.
void StepwiseEngine::die_where_cut() {
  for (const Cut& cut : cuts_)
    if (!run_.stopped()) run_.strike({{.actor = cut.actor}});
}

void StepwiseEngine::forget_unsent_messages() {
  for (Message* message : unsent_) run_.network().forget_unsent(message);
  unsent_.clear();
}

/// Whatever an actor has spent is over: its next handler can run at once.
void StepwiseEngine::free_processors() {
  for (ActorState& actor : state_.actors) actor.cpu_free_s = run_.now_s();
  run_.network().free_all();
}

void StepwiseEngine::end_computation(const Event& event) {
  for (Computation& running : state_.actors[event.at.actor].rare_state->running)
    if (running.serial == event.at.detail) running.end_s = run_.now_s();
}

// ---- decisions --------------------------------------------------------------------------------

bool next_decisions(Decisions& decisions, const std::vector<std::uint64_t>& asked) {
  decisions.resize(asked.size());
  while (!decisions.empty() && decisions.back() + 1 >= asked[decisions.size() - 1])
    decisions.pop_back();
  if (decisions.empty()) return false;
  ++decisions.back();
  return true;
}

// ---- the job ----------------------------------------------------------------------------------

scenario::RunSpec without_costs(scenario::RunSpec spec) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  platform::Machine& machine = spec.platform.machine;
  machine.send_overhead_s = machine.receive_overhead_s = machine.gap_s = 0.0;
  machine.nic_latency_s = machine.local_latency_s = 0.0;
  machine.costs.clear();
  machine.local_costs.clear();
  machine.nic_bandwidth_Bps = machine.local_bandwidth_Bps = kInfinite;
  spec.platform.context_switch_s = 0.0;
  spec.platform.packet_bytes = kLongestMessage_B;
  spec.platform.delay_noise.reset();
  spec.platform.os_noise.reset();
  spec.platform.start_delay_s = 0.0;
  spec.platform.detection_loss_probability = 0.0;
  spec.partitions.clear();
  spec.slow.clear();
  spec.branches_at_choices = has_open_choices(spec.component(Family::workload).options);
  spec.driver_kills = true;
  return spec;
}

}  // namespace faultline::engine
