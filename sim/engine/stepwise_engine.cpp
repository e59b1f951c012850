#include "sim/engine/stepwise_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/core/choices.hpp"

namespace faultline {

namespace {

/// Times are compared to a nanosecond or so, so that a sum of delays is the same in whatever order
/// they are added up. A power of two, so that the clock itself has no rounding.
constexpr double kTicksPerSecond = 0x1p30;
constexpr double kMostTicks = 0x1p62;

}  // namespace

StepwiseEngine::StepwiseEngine(std::shared_ptr<const RunJob> job)
    : Runtime(std::move(job)), done_(actor_count()), invariants_(properties_of(spec())) {
  std::erase_if(invariants_, [](const DeclaredProperty& declared) {
    return declared.property->use != StateProperty::Use::invariant;
  });
  count_actions();
  if (spec().branches_at_choices) let_choose(*this);
}

// ---- what the driver does ---------------------------------------------------------------------

void StepwiseEngine::begin(std::vector<Cut> cuts, Decisions decisions) {
  step(std::move(cuts), std::move(decisions), [this] { open(); });
}

void StepwiseEngine::take(std::size_t place, std::vector<Cut> cuts, Decisions decisions) {
  const std::uint64_t order = events().at(place).order;
  step(std::move(cuts), std::move(decisions), [&] {
    const Event event = state_.queue.take_out(order);
    if (is_patient_ && event.kind() == EventKind::timer)
      state_.now_s += static_cast<double>(left_of(event)) / kTicksPerSecond;
    if (event.kind() == EventKind::compute_done) end_computation(event);
    if (goes_on(state_.now_s)) carry_out(event);
  });
}

void StepwiseEngine::kill(ActorId actor) {
  step({}, {}, [&] { strike({{.actor = actor}}); });
}

void StepwiseEngine::check_properties() {
  if (invariants_.empty() || !state_.auditor.violations().empty()) return;
  if (!view_.look_at(state_, job_->shape.processes)) return;
  for (const DeclaredProperty& declared : invariants_) {
    if (view_.holds(declared)) continue;
    state_.auditor.violation("broken-property", std::nullopt,
                             declared.property->name + ", which says: " + declared.property->doc,
                             state_.now_s);
    return stop(Outcome::violated);
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
  if (!is_over()) stop(Outcome::limit);
  return close();
}

// ---- a step -----------------------------------------------------------------------------------

template <class Step>
void StepwiseEngine::step(std::vector<Cut> cuts, Decisions decisions, Step happen) {
  cuts_ = std::move(cuts);
  decisions_ = std::move(decisions);
  asked_.clear();
  asked_about_.clear();
  std::fill(done_.begin(), done_.end(), 0);
  const std::uint64_t false_reports = state_.auditor.false_reports();
  torn_ = true;
  forget_reach();
  state_.now_s += step_s_;
  guard([&] {
    happen();
    die_where_cut();
    forget_unsent_messages();
    remove_dead_wood();
    if (checks_steps_ && !stopped()) check_state();
    torn_ = false;
  });
  refuse_errors(false_reports);
  free_processors();
  is_listed_ = false;
}

/// What an actor sends after it has been declared dead is refused, so that this must be later. Who
/// has been patient does not err.
void StepwiseEngine::refuse_errors(std::uint64_t false_reports_before) {
  if (state_.auditor.false_reports() == false_reports_before) return;
  if (!is_patient_) {
    state_.now_s += 1.0;
    return;
  }
  const Incarnation victim = state_.auditor.falsely_reported().begin()->first;
  state_.auditor.violation(
      "false-report", std::nullopt,
      "the live actor " + std::to_string(victim.actor) + " has been declared dead, although " +
          (message_s_ > 0.0 ? "no message took longer than it may" : "messages take no time"),
      state_.now_s);
  stop(Outcome::violated);
}

/// Forgets a step that an exception has broken off.
void StepwiseEngine::abandon_step() {
  abandon_turn();
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

/// What a dying actor sends after its cut does not enter the network, and is lost with the actor.
void StepwiseEngine::transmit(Message& message, const Transit&) {
  if (is_cut(message.from)) {
    message.inject_s = kNever;
    unsent_.push_back(&message);
    return;
  }
  ++done_[message.from];
  message.inject_s = state_.now_s;
  schedule(state_.now_s, EventKind::arrive, &message);
}

void StepwiseEngine::before_action(Incarnation actor, const Action& action) {
  if (is_cut(actor.actor)) return strike({{.actor = actor.actor}});
  ++done_[actor.actor];
  if (action.kind == Action::Kind::report_failed && actor == incarnation_of(actor.actor))
    refuse_repetition(actor.actor, action.peer);
}

/// The detector of a rank reports a death once, as long as nobody has been started again. No other
/// component would notice, because none hears of the death again.
void StepwiseEngine::refuse_repetition(ActorId self, Incarnation dead) {
  if (!is_rank(self) || !state_.actors[self].alive || state_.any_restart) return;
  const auto death = state_.death_numbers.find(dead);
  const auto& heard = state_.actors[self].heard();
  if (death == state_.death_numbers.end() ||
      !std::binary_search(heard.begin(), heard.end(), death->second))
    return;
  state_.auditor.violation("repeated-report", self,
                           "reported for the second time that " + std::to_string(dead.actor) +
                               " is dead",
                           state_.now_s);
  stop(Outcome::violated);
}

/// The deaths of those who did not come to an action after their cut.
void StepwiseEngine::die_where_cut() {
  for (const Cut& cut : cuts_)
    if (!stopped()) strike({{.actor = cut.actor}});
}

void StepwiseEngine::forget_unsent_messages() {
  for (Message* message : unsent_) forget_unsent(message);
  unsent_.clear();
}

/// Whatever an actor has spent is over: its next handler can run at once.
void StepwiseEngine::free_processors() {
  for (ActorState& actor : state_.actors)
    actor.cpu_free_s = actor.local_free_s = actor.entered_s = state_.now_s;
  for (Nic& nic : state_.nics) nic.free_s = state_.now_s;
}

void StepwiseEngine::end_computation(const Event& event) {
  for (Computation& running : state_.actors[event.at.actor].rare_state->running)
    if (running.serial == event.at.detail) running.end_s = state_.now_s;
}

// ---- the agenda -------------------------------------------------------------------------------

/// Carries out what leaves no choice: what can have no effect any more, and what passes through a
/// NIC.
void StepwiseEngine::remove_dead_wood() {
  for (;;) {
    std::optional<Event> next;
    state_.queue.for_each([&](const Event& event) {
      if (leaves_no_choice(event) && (!next || event.order < next->order)) next = event;
    });
    if (!next || stopped()) return;
    carry_out(state_.queue.take_out(next->order));
  }
}

bool StepwiseEngine::leaves_no_choice(const Event& event) const {
  const auto serial_is = [&](const auto& entry) { return entry.serial == event.at.detail; };
  switch (event.kind()) {
    case EventKind::arrive:
      return (event.message->flags & kLost) != 0;
    case EventKind::taken_in:
    case EventKind::inject:
    case EventKind::nic_ready:
    case EventKind::nic_free:
    case EventKind::vanish:
      return true;
    case EventKind::sent: {
      const SentPromise& sent = state_.sent_promises[event.at.detail];
      const ActorState& actor = state_.actors[event.at.actor];
      return !actor.alive || sent.from != event.at.actor || sent.incarnation != actor.incarnation;
    }
    case EventKind::fault:
    case EventKind::restart:
      return false;
    default:
      break;
  }
  const ActorState& actor = state_.actors[event.at.actor];
  if (!actor.alive) return true;
  switch (event.kind()) {
    case EventKind::timer: {
      if (!actor.rare_state) return true;
      const auto& timers = actor.rare_state->timers;
      return std::none_of(timers.begin(), timers.end(), serial_is);
    }
    case EventKind::compute_done: {
      if (!actor.rare_state) return true;
      const auto& running = actor.rare_state->running;
      return std::none_of(running.begin(), running.end(), serial_is);
    }
    case EventKind::link_lost: {
      if (!actor.rare_state) return true;
      const auto& links = actor.rare_state->links;
      return std::find(links.begin(), links.end(), state_.deaths[event.at.detail].dead) ==
             links.end();
    }
    case EventKind::local_exit:
      return !died_under(event.at.detail, {event.at.actor, actor.incarnation});
    case EventKind::wake:
      return actor.incarnation != event.at.detail || actor.inbox_is_empty();
    default:
      return false;
  }
}

/// The oldest event of each lane, and all that are in none.
void StepwiseEngine::list_events() {
  is_listed_ = true;
  agenda_.clear();
  events_.clear();
  if (is_over()) return;
  pending_.clear();
  state_.queue.for_each([&](const Event& event) { pending_.push_back(event); });
  std::sort(pending_.begin(), pending_.end(),
            [](const Event& a, const Event& b) { return a.order < b.order; });
  for (const Event& event : pending_) {
    const Lane lane = lane_of(event, state_);
    const auto is_before = [&](const Event& other) { return lane_of(other, state_) == lane; };
    if (!lane.orders() || std::none_of(events_.begin(), events_.end(), is_before))
      events_.push_back(event);
  }
  if (is_patient_) hold_timers_back();
}

/// Leaves the timers that may run out next on the agenda.
void StepwiseEngine::hold_timers_back() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Event& event : events_)
    least = std::min(least, event.kind() == EventKind::timer ? left_of(event) : may_wait(event));
  std::erase_if(events_, [&](const Event& event) {
    return event.kind() == EventKind::timer && left_of(event) > least;
  });
}

/// How many ticks the clock can go on before this happens; -1: it comes before all timers.
std::int64_t StepwiseEngine::may_wait(const Event& event) const {
  if (event.kind() == EventKind::compute_done) return std::numeric_limits<std::int64_t>::max();
  if (event.kind() != EventKind::arrive || message_s_ <= 0.0) return -1;
  return ticks_until(event.time_s + message_s_);
}

std::int64_t StepwiseEngine::ticks_until(double time_s) const {
  const double ticks = (time_s - state_.now_s) * kTicksPerSecond;
  return std::llround(std::clamp(ticks, 0.0, kMostTicks));
}

StateParts StepwiseEngine::parts() const {
  StateParts parts = state_.parts(*job_);
  if (!is_patient_) return parts;
  parts.is_local = false;  // who is next depends on all timers
  state_.queue.for_each([&](const Event& event) {
    const bool is_late = event.kind() == EventKind::arrive && message_s_ > 0.0;
    if (event.kind() != EventKind::timer && !is_late) return;
    const auto part = std::lower_bound(
        parts.scheduled.begin(), parts.scheduled.end(), event.order,
        [](const ScheduledPart& one, std::uint64_t order) { return one.order < order; });
    Digest into;
    into.add(part->content.high, part->content.low, is_late ? may_wait(event) : left_of(event));
    part->content = into.value();
  });
  return parts;
}

Choice StepwiseEngine::choice_of(const Event& event) const {
  if (event.is_about_message())
    return {event.kind(), event.message->to, event.message->from, event.message->kind,
            event.message->channel};
  Choice choice{event.kind(), event.at.actor};
  switch (event.kind()) {
    case EventKind::timer:
      for (const ArmedTimer& timer : state_.actors[choice.actor].rare_state->timers)
        if (timer.serial == event.at.detail) {
          choice.kind = timer.kind;
          if (timer.kind != EventKind::timer) {
            choice.peer = state_.deaths[timer.key].dead.actor;
            break;
          }
          choice.detail = timer.key;
          choice.family = timer.family;
        }
      break;
    case EventKind::compute_done:
      for (const Computation& running : state_.actors[choice.actor].rare_state->running)
        if (running.serial == event.at.detail) {
          choice.detail = running.tag;
          choice.family = running.family;
        }
      break;
    case EventKind::sent:
      choice.peer = state_.sent_promises[event.at.detail].to;
      choice.detail = state_.sent_promises[event.at.detail].kind;
      choice.family = state_.sent_promises[event.at.detail].channel;
      break;
    case EventKind::exit_notice:
    case EventKind::local_exit:
    case EventKind::link_lost:
      choice.peer = state_.deaths[event.at.detail].dead.actor;
      break;
    case EventKind::restart:
      choice.peer = state_.pending_restarts[event.at.detail].dead.actor;
      break;
    default:
      break;
  }
  return choice;
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

RunSpec without_costs(RunSpec spec) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Machine& machine = spec.platform.machine;
  machine.send_overhead_s = machine.receive_overhead_s = machine.gap_s = 0.0;
  machine.nic_latency_s = machine.local_latency_s = 0.0;
  machine.nic_bandwidth_Bps = machine.local_bandwidth_Bps = kInfinite;
  spec.platform.context_switch_s = 0.0;
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

}  // namespace faultline
