// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/exploration_measure.hpp"

#include <utility>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/goal.hpp"
#include "analysis/traces/space_time_svg.hpp"
#include "sim/core/interrupt.hpp"

namespace faultline {

namespace {

ExplorationRequest request_of(const ExplorationMeasure& measure, const Scenario& scenario,
                              const ReproductionSettings& settings) {
  ExplorationRequest request = measure.bounds;
  request.spec = explored_spec(scenario.points.front());
  request.seed = scenario.seed;
  request.jobs = settings.jobs;
  return request;
}

bool goes_on(const ExplorationProgress&) { return !InterruptGuard::interrupted(); }

/// The run that goes wrong, from left to right.
std::string picture_of(const ExplorationRequest& request, const std::string& scenario,
                       const Refutation& found) {
  const std::string title = protocol_of(request.spec, Family::termination) +
                            " as printed: " + request.goal->name + ". " + scenario;
  return space_time_svg(recorded_run(request, found), request.spec, title);
}

}  // namespace

double work_of(const ExplorationMeasure&, const ReproductionSettings&) { return 2.0; }

Measured measure_exploration(const ExplorationMeasure& measure,
                             const ReproductionSettings& settings) {
  const InterruptGuard guard;
  Measured measured;
  const auto estimate = [&](const char* figure) -> Estimate& {
    const std::string detector = protocol_of(measure.printed.points.front(), Family::termination);
    return measured.estimates[{Family::termination, detector, figure}];
  };
  const auto worked = [&](const ExplorationResult& result) {
    measured.interrupted = result.limit == SearchLimit::interrupt;
    if (settings.worked) settings.worked(1.0);
    return !measured.interrupted;
  };
  ExplorationRequest printed = request_of(measure, measure.printed, settings);
  printed.goal = goal_named(printed.spec, measure.looked_for);
  const ExplorationResult wrong = explore(printed, goes_on);
  if (!worked(wrong)) return measured;
  estimate(exploration_figure::kGoesWrong).value = wrong.reached ? 1.0 : 0.0;
  if (wrong.reached) {
    estimate(exploration_figure::kSteps).value =
        static_cast<double>(wrong.reached->steps.size() - 1);
    measured.picture = picture_of(printed, measure.printed.name, *wrong.reached);
  } else {
    estimate(exploration_figure::kSteps).trouble = "no run goes wrong";
  }
  const ExplorationResult right =
      explore(request_of(measure, measure.corrected, settings), goes_on);
  if (!worked(right)) return measured;
  const bool all_seen =
      right.verdict == ExplorationResult::Verdict::exhausted || right.limit == SearchLimit::depth;
  const bool holds = all_seen && !right.refutation && !right.ends.contains(measure.looked_for);
  estimate(exploration_figure::kExhausted).value = holds ? 1.0 : 0.0;
  return measured;
}

}  // namespace faultline
