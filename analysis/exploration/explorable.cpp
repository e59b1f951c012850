// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/explorable.hpp"

#include <algorithm>
#include <string>

#include "sim/engine/engine.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/order.hpp"

namespace faultline::exploration {

namespace {

/// True if the detector needs heartbeats or probes. These never end, and mean something only in
/// time.
bool lives_by_clock(const scenario::RunSpec& spec, std::uint64_t seed) {
  engine::StepwiseEngine engine(engine::run_job(explored_spec(spec), seed, 0));
  engine.begin();
  return engine.state().schedule.background() > 0;
}

/// Adds the problems that the scenario's own checks find for a run in which somebody dies.
void check_with_deaths(scenario::RunSpec spec, json::Problems& problems) {
  spec.order = scenario::RunOrder{
      .deaths_at_start = {{.actor = 0, .after = 0}}, .choices_at_start = {}, .steps = {}};
  scenario::ComponentPaths paths;
  for (const StackPlace& place : kStack) paths[index_of(place.family)] = place.key;
  scenario::check_point(spec, paths, problems);
}

/// Refuses mishaps that cannot happen in this job, or that would change nothing.
void refuse_idle_mishaps(const scenario::RunSpec& spec, const ExplorationRequest& request,
                         json::Problems& problems) {
  const Registration* detector = spec.component(Family::failure_detection).registration;
  if (request.losses > 0 && (detector == nullptr || detector->message_kinds.empty()))
    problems.add("failure_detection",
                 "--losses: the network loses messages of failure detection only, and " +
                     scenario::protocol_of(spec, Family::failure_detection) +
                     " sends none; expected a detector that does");
  if (request.losses > 0 && scenario::job_shape(spec).nodes < 2)
    problems.add("platform.processes_per_node",
                 "--losses: nothing is lost within a node; expected two nodes or more");
  if (request.departures == Departures::at_once) return;
  const auto job = engine::run_job(explored_spec(spec), request.seed, 0);
  if (job->shape.nodes < 2 || !job->shares_nics())
    problems.add("platform.processes_per_node",
                 "--departures any: nothing overtakes a message that waits for a NIC, unless there "
                 "are several nodes and several actors on one");
}

}  // namespace

void refuse_unexplorable(const scenario::Scenario& scenario, const ExplorationRequest& request,
                         json::Problems& problems) {
  if (scenario.points.size() != 1) {
    problems.add("", "has " + std::to_string(scenario.points.size()) +
                         " points; expected one: choose a component with --set");
    return;
  }
  const scenario::RunSpec& spec = scenario.points.front();
  if (scenario.engine != scenario::EngineKind::loggp)
    problems.add("engine", "SimGrid cannot go back to an earlier state; expected loggp");
  if (spec.order) problems.add("order", "the search itself tries all orders; expected none");
  const std::uint32_t processes = spec.platform.processes;
  if (processes < kFewestExplored || processes > kMostExplored)
    problems.add("platform.processes", "expected " + std::to_string(kFewestExplored) + " to " +
                                           std::to_string(kMostExplored) + " to be explored, got " +
                                           std::to_string(processes));
  for (const OptionProblem& problem : scenario::what_needs_time(spec))
    problems.add(problem.option, "cannot be explored: " + problem.message);
  if (request.faults > 0) check_with_deaths(spec, problems);
  const scenario::ComponentChoice& workload = spec.component(Family::workload);
  if (problems.empty() && workload.registration != nullptr &&
      workload.registration->as<WorkloadTraits>().endless) {
    const std::string why = workload.registration->as<WorkloadTraits>().endless(
        workload.options, scenario::job_shape(spec));
    if (!why.empty())
      problems.add("workload", workload.registration->name +
                                   " cannot be explored, because its runs may never end: " + why);
  }
  if (problems.empty() && request.timers == TimerRule::any && lives_by_clock(spec, scenario.seed))
    problems.add("failure_detection",
                 scenario::protocol_of(spec, Family::failure_detection) +
                     " cannot be explored: it finds deaths by timers, and here any timer can run "
                     "out first; expected --timers patient, or oracle or another detector that "
                     "hears of deaths from the system");
  if (problems.empty()) refuse_idle_mishaps(spec, request, problems);
}

}  // namespace faultline::exploration
