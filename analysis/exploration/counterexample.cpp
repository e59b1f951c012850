// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/counterexample.hpp"

#include <cstdio>
#include <utility>

#include "analysis/traces/ordered_trace.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/stepwise/ordered_run.hpp"
#include "sim/scenario/order.hpp"

namespace faultline::exploration {

namespace {

/// Long enough to tell two steps from each other by their times.
constexpr double kStep_s = 1e-3;

std::string actor_words(const scenario::RunSpec& spec, ActorId actor) {
  if (actor < spec.platform.processes) return "rank " + std::to_string(actor);
  return "the daemon of node " + std::to_string(actor - spec.platform.processes);
}

std::string kind_words(const scenario::RunSpec& spec, const engine::Choice& choice) {
  const Registration* sender = spec.component(choice.family).registration;
  if (sender == nullptr || choice.detail >= sender->message_kinds.size()) return "a message";
  return sender->message_kinds[choice.detail];
}

std::string choice_words(const scenario::RunSpec& spec, const engine::Choice& choice) {
  const std::string self = actor_words(spec, choice.actor);
  const std::string peer = choice.peer == kNobody ? "" : actor_words(spec, choice.peer);
  switch (choice.kind) {
    case engine::EventKind::timer:
      return "a timer of " + self + " runs out";
    case engine::EventKind::compute_done:
      return self + " ends a computation";
    case engine::EventKind::sent:
      return self + " is told that " + kind_words(spec, choice) + " to " + peer + " has left";
    case engine::EventKind::exit_notice:
    case engine::EventKind::local_exit:
      return self + " is told that " + peer + " is dead";
    case engine::EventKind::link_lost:
      return self + " loses its connection to " + peer;
    case engine::EventKind::restart:
      return peer + " starts again";
    case engine::EventKind::fence:
      return "the resource manager ends " + self;
    case engine::EventKind::stall_end:
      return self + " goes on";
    case engine::EventKind::nic_ready:
      return kind_words(spec, choice) + " from " + self + " to " + peer + " departs";
    default:
      return self + " receives " + kind_words(spec, choice) + " from " + peer;
  }
}

std::string loss_words(const scenario::RunSpec& spec, const engine::Choice& choice) {
  return kind_words(spec, choice) + " from " + actor_words(spec, choice.peer) + " to " +
         actor_words(spec, choice.actor) + " is lost";
}

std::string stall_words(const scenario::RunSpec& spec, ActorId rank, double stall_s) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", stall_s);
  return actor_words(spec, rank) + " stalls for " + seconds + " s";
}

/// The choices in the last step, to be added to the words of what happened in it: "; chosen: 3 of 0
/// to 4 (the number of messages of the tree)". A decision beyond the step's list is 0.
std::string choices_words(const engine::StepwiseEngine& engine,
                          const engine::Decisions& decisions) {
  std::string text;
  for (std::size_t place = 0; place < engine.asked().size(); ++place) {
    const std::uint64_t decision = place < decisions.size() ? decisions[place] : 0;
    text.append(text.empty() ? "; chosen: " : ", ").append(std::to_string(decision));
    text.append(" of 0 to ").append(std::to_string(engine.asked()[place] - 1));
    text.append(" (").append(engine.asked_about()[place]).append(")");
  }
  return text;
}

/// The deaths within a step, to be added to the words of what happens in it.
std::string deaths_words(const scenario::RunSpec& spec, const std::vector<engine::Cut>& cuts,
                         ActorId who) {
  std::string text;
  for (const engine::Cut& cut : cuts) {
    text += ", and ";
    if (cut.actor != who) text += actor_words(spec, cut.actor) + " ";
    text += cut.after == 0   ? "dies before it sends or does anything"
            : cut.after == 1 ? "dies after the first of what it sends and does"
                             : "dies after the first " + std::to_string(cut.after) +
                                   " of what it sends and does";
  }
  return text;
}

std::vector<scenario::OrderedDeath> ordered_deaths(const std::vector<engine::Cut>& cuts) {
  std::vector<scenario::OrderedDeath> deaths;
  deaths.reserve(cuts.size());
  for (const engine::Cut& cut : cuts) deaths.push_back({cut.actor, cut.after});
  return deaths;
}

}  // namespace

ToldRun told_run(const ExplorationRequest& request, const std::vector<Step>& steps) {
  const scenario::RunSpec& spec = request.spec;
  const auto all_starts = starts(request);
  engine::StepwiseEngine engine(engine::run_job(spec, request.seed, 0));
  follow(engine, request);
  ToldRun told;
  told.order.departures_wait = request.departures == Departures::any;
  for (const Step& step : steps) {
    std::string& words = told.words.emplace_back();
    std::string deaths;
    const engine::Decisions* decisions = &step.decisions;
    switch (step.kind) {
      case Step::Kind::begin: {
        const Start& start = all_starts[step.place];
        told.order.deaths_at_start = ordered_deaths(start.cuts);
        told.order.choices_at_start = start.decisions;
        decisions = &start.decisions;
        words = "all start";
        deaths = deaths_words(spec, start.cuts, kNobody);
        break;
      }
      case Step::Kind::take: {
        const engine::Choice& choice = engine.agenda().at(step.place);
        words = choice_words(spec, choice);
        deaths = deaths_words(spec, step.cuts(), choice.actor);
        told.order.steps.push_back(engine::ordered_step(engine.agenda(), step.place, step.cuts()));
        told.order.steps.back().choices = step.decisions;
        break;
      }
      case Step::Kind::kill:
        words = actor_words(spec, step.place) + " dies";
        told.order.steps.push_back({.event = scenario::OrderedEvent::death,
                                    .actor = step.place,
                                    .deaths = {},
                                    .choices = {}});
        break;
      case Step::Kind::lose:
        words = loss_words(spec, engine.agenda().at(step.place));
        told.order.steps.push_back(engine::ordered_step(engine.agenda(), step.place, {}));
        told.order.steps.back().event = scenario::OrderedEvent::loss;
        break;
      case Step::Kind::stall:
        words = stall_words(spec, step.place, request.stall_s);
        told.order.steps.push_back({.event = scenario::OrderedEvent::stall,
                                    .actor = step.place,
                                    .stall_s = request.stall_s,
                                    .deaths = {},
                                    .choices = {}});
        break;
    }
    try {
      take_step(engine, step, all_starts);
    } catch (const BrokenInvariant&) {
      // Only the last step can break an invariant, and the report states that elsewhere.
    }
    words += deaths + choices_words(engine, *decisions);
  }
  return told;
}

traces::RunTrace recorded_run(const ExplorationRequest& request, const Refutation& found) {
  const auto all_starts = starts(request);
  engine::StepwiseEngine engine(engine::run_job(request.spec, request.seed, 0));
  traces::TraceRecorder recorder(request.spec.platform.processes);
  engine.observe(recorder);
  follow(engine, request);
  if (request.timers == TimerRule::any) engine.set_step_time(kStep_s);
  for (const Step& step : found.steps) take_step(engine, step, all_starts);
  engine::RunResult result = engine.end();
  result.outcome = found.outcome;
  result.violations = found.violations;
  return recorder.finish(std::move(result));
}

json::JsonValue counterexample(json::JsonValue root, const scenario::RunOrder& order,
                               const std::string& name) {
  json::JsonValue* stop = root.find("stop");
  if (stop == nullptr) {
    root.set("stop", json::JsonValue::Object{});
    stop = root.find("stop");
  }
  stop->set("grace_s", traces::kOrderedGrace_s);
  stop->set("time_s", traces::kOrderedLongest_s);
  root.set("name", name);
  root.set("engine", "loggp");
  root.set("replications", 1);
  root.set("order", scenario::order_json(order));
  return root;
}

}  // namespace faultline::exploration
