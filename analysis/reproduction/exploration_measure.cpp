// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/exploration_measure.hpp"

#include <utility>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/goal.hpp"
#include "analysis/traces/space_time_svg.hpp"
#include "sim/core/interrupt.hpp"

namespace faultline::reproduction {

namespace {

exploration::ExplorationRequest request_of(const ExplorationMeasure& measure,
                                           const scenario::Scenario& scenario,
                                           const ReproductionSettings& settings) {
  exploration::ExplorationRequest request = measure.bounds;
  request.spec = exploration::explored_spec(scenario.points.front());
  request.seed = scenario.seed;
  request.jobs = settings.jobs;
  return request;
}

bool goes_on(const exploration::ExplorationProgress&) { return !InterruptGuard::interrupted(); }

/// The run that goes wrong, from left to right.
std::string picture_of(const exploration::ExplorationRequest& request, const std::string& scenario,
                       const exploration::Refutation& found) {
  const std::string title = scenario::protocol_of(request.spec, Family::termination) +
                            " as printed: " + request.goal->name + ". " + scenario;
  return traces::space_time_svg(exploration::recorded_run(request, found), request.spec, title);
}

}  // namespace

double work_of(const ExplorationMeasure&, const ReproductionSettings&) { return 2.0; }

Measured measure_exploration(const ExplorationMeasure& measure,
                             const ReproductionSettings& settings) {
  const InterruptGuard guard;
  Measured measured;
  const auto estimate = [&](const char* figure) -> statistics::Estimate& {
    const std::string detector =
        scenario::protocol_of(measure.printed.points.front(), Family::termination);
    return measured.estimates[{Family::termination, detector, figure}];
  };
  const auto worked = [&](const exploration::ExplorationResult& result) {
    measured.interrupted = result.limit == exploration::SearchLimit::interrupt;
    if (settings.worked) settings.worked(1.0);
    return !measured.interrupted;
  };
  exploration::ExplorationRequest printed = request_of(measure, measure.printed, settings);
  printed.goal = exploration::goal_named(printed.spec, measure.looked_for);
  const exploration::ExplorationResult wrong = exploration::explore(printed, goes_on);
  if (!worked(wrong)) return measured;
  estimate(exploration_figure::kGoesWrong).value = wrong.reached ? 1.0 : 0.0;
  if (wrong.reached) {
    estimate(exploration_figure::kSteps).value =
        static_cast<double>(wrong.reached->steps.size() - 1);
    measured.picture = picture_of(printed, measure.printed.name, *wrong.reached);
  } else {
    estimate(exploration_figure::kSteps).trouble = "no run goes wrong";
  }
  const exploration::ExplorationResult right =
      exploration::explore(request_of(measure, measure.corrected, settings), goes_on);
  if (!worked(right)) return measured;
  const bool all_seen = right.verdict == exploration::ExplorationResult::Verdict::exhausted ||
                        right.limit == exploration::SearchLimit::depth;
  const bool holds = all_seen && !right.refutation && !right.ends.contains(measure.looked_for);
  estimate(exploration_figure::kExhausted).value = holds ? 1.0 : 0.0;
  return measured;
}

}  // namespace faultline::reproduction
