// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/stepwise/ordered_run.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline::engine {

namespace {

constexpr double kStep_s = 1e-3;

/// What a scenario calls the events that a driver may choose.
constexpr std::array<std::pair<EventKind, scenario::OrderedEvent>, 11> kOrderedEvents{
    {{EventKind::arrive, scenario::OrderedEvent::message},
     {EventKind::timer, scenario::OrderedEvent::timer},
     {EventKind::compute_done, scenario::OrderedEvent::computation},
     {EventKind::sent, scenario::OrderedEvent::sent},
     {EventKind::exit_notice, scenario::OrderedEvent::exit_notice},
     {EventKind::local_exit, scenario::OrderedEvent::local_exit},
     {EventKind::link_lost, scenario::OrderedEvent::link_lost},
     {EventKind::restart, scenario::OrderedEvent::restart},
     {EventKind::fence, scenario::OrderedEvent::fence},
     {EventKind::stall_end, scenario::OrderedEvent::stall_end},
     {EventKind::nic_ready, scenario::OrderedEvent::departure}}};

std::optional<scenario::OrderedEvent> ordered_event(EventKind kind) {
  const auto* const found = std::find_if(kOrderedEvents.begin(), kOrderedEvents.end(),
                                         [kind](const auto& one) { return one.first == kind; });
  return found == kOrderedEvents.end() ? std::nullopt : std::optional(found->second);
}

/// A loss is one of what would arrive.
bool is_meant(const scenario::OrderedStep& step, const Choice& choice) {
  const scenario::OrderedEvent event =
      step.event == scenario::OrderedEvent::loss ? scenario::OrderedEvent::message : step.event;
  return ordered_event(choice.kind) == event && choice.actor == step.actor &&
         (step.peer == kNobody || choice.peer == step.peer) && choice.detail == step.detail;
}

std::vector<Cut> cuts_of(const std::vector<scenario::OrderedDeath>& deaths) {
  std::vector<Cut> cuts;
  cuts.reserve(deaths.size());
  for (const scenario::OrderedDeath& death : deaths) cuts.push_back({death.actor, death.after});
  return cuts;
}

/// Does what may have a choice beyond its alternatives, which is an error of the scenario.
template <class Act>
bool chosen(const std::string& place, Act act) {
  try {
    return act();
  } catch (const std::out_of_range& error) {
    throw RunError(place + ": " + error.what());
  }
}

/// Takes one step. False if it cannot happen now.
bool take(StepwiseEngine& engine, const scenario::OrderedStep& step) {
  const auto& actors = engine.state().actors;
  if (step.event == scenario::OrderedEvent::death) {
    if (step.actor >= actors.size() || !actors[step.actor].alive) return false;
    engine.kill(step.actor);
    return true;
  }
  if (step.event == scenario::OrderedEvent::stall) {
    if (step.actor >= actors.size() || !engine.can_stall(step.actor)) return false;
    engine.set_stall_time(step.stall_s);
    engine.stall(step.actor);
    return true;
  }
  const auto place = place_of(step, engine.agenda());
  if (!place) return false;
  if (step.event == scenario::OrderedEvent::loss) {
    if (!engine.can_lose(*place)) return false;
    engine.lose(*place);
    return true;
  }
  engine.take(*place, cuts_of(step.deaths), step.choices);
  return true;
}

}  // namespace

scenario::OrderedStep ordered_step(const std::vector<Choice>& agenda, std::size_t place,
                                   const std::vector<Cut>& cuts) {
  const Choice& choice = agenda[place];
  scenario::OrderedStep step{
      .event = ordered_event(choice.kind).value_or(scenario::OrderedEvent::message),
      .actor = choice.actor,
      .peer = choice.peer,
      .detail = choice.detail,
      .stall_s = 0.0,
      .nth = 0,
      .deaths = {},
      .choices = {}};
  step.nth = static_cast<std::uint32_t>(
      std::count_if(agenda.begin(), agenda.begin() + static_cast<std::ptrdiff_t>(place),
                    [&](const Choice& other) { return is_meant(step, other); }));
  step.deaths.reserve(cuts.size());
  for (const Cut& cut : cuts) step.deaths.push_back({cut.actor, cut.after});
  return step;
}

std::optional<std::size_t> place_of(const scenario::OrderedStep& step,
                                    const std::vector<Choice>& agenda) {
  std::uint32_t before = 0;
  for (std::size_t place = 0; place < agenda.size(); ++place)
    if (is_meant(step, agenda[place]) && before++ == step.nth) return place;
  return std::nullopt;
}

RunResult run_in_order(const scenario::RunSpec& spec,
                       std::shared_ptr<const RunJob> job_without_costs,
                       audit::RunObserver* observer) {
  const scenario::RunOrder& order = *spec.order;
  StepwiseEngine engine(std::move(job_without_costs));
  engine.set_step_time(kStep_s);
  engine.check_every_step();
  engine.let_departures_wait(order.departures_wait);
  if (observer != nullptr) engine.observe(*observer);
  chosen("order.choices_at_start", [&] {
    engine.begin(cuts_of(order.deaths_at_start), order.choices_at_start);
    return true;
  });
  const bool lives_by_timers = engine.state().schedule.background() > 0;  // a detector
  if (lives_by_timers) {
    engine.set_step_time(0.0);
    engine.be_patient(std::numeric_limits<double>::infinity());  // the order says what comes first
  }
  engine.check_properties();
  for (std::size_t i = 0; i < order.steps.size(); ++i) {
    const std::string at = "order.steps[" + std::to_string(i) + "]";
    const bool taken = chosen(at + ".choices", [&] { return take(engine, order.steps[i]); });
    if (!taken) throw RunError(at + ": this cannot happen now");
    engine.check_properties();
  }
  if (lives_by_timers) engine.be_patient();
  while (!engine.agenda().empty()) {
    engine.take(0);
    engine.check_properties();
  }
  return engine.end();
}

}  // namespace faultline::engine
