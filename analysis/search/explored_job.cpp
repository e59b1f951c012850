// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/explored_job.hpp"

#include "analysis/exploration/explorable.hpp"
#include "analysis/search/unpromised.hpp"
#include "sim/scenario/may_err.hpp"

namespace faultline::search {

namespace {

/// Explores a job with that many deaths, if possible.
ExploredJob explored_with(const scenario::Scenario& small, std::uint32_t faults) {
  constexpr std::uint64_t kMostStates = 2000;
  exploration::ExplorationRequest request;
  request.faults = faults;
  request.recall = exploration::StepRecall::checked;
  request.states = kMostStates;
  request.seed = small.seed;
  json::Problems problems(small.file);
  exploration::refuse_unexplorable(small, request, problems);
  if (!problems.empty()) return {};
  request.spec = small.points.front();
  if (faults > 0 && !outlives_deaths(request.spec)) return {};
  const exploration::ExplorationResult result = exploration::explore(request);
  ExploredJob job{.explored = true, .finding = std::nullopt};
  if (result.refutation && !result.refutation->violations.empty()) {
    const audit::Violation& first = result.refutation->violations.front();
    job.finding =
        Finding{"explored: " + first.kind, first.kind + " in some order: " + first.detail};
  }
  return job;
}

}  // namespace

ExploredJob explored_job(const scenario::Scenario& scenario) {
  constexpr std::uint32_t kMostProcesses = 3;
  constexpr std::uint64_t kMostEvents = 3000;
  scenario::RunSpec plain = scenario.points.front();
  if (plain.platform.processes > kMostProcesses || scenario.engine != scenario::EngineKind::loggp)
    return {};
  if (scenario::errs_as_stated(plain)) return {};  // nothing is promised after a false report
  plain.faults.clear();
  plain.fault_sources.clear();
  plain.slow.clear();
  plain.partitions.clear();
  plain.platform.delay_noise.reset();
  plain.platform.os_noise.reset();
  plain.platform.start_delay_s = 0.0;
  plain.platform.detection_loss_probability = 0.0;
  scenario::Scenario small = scenario;
  small.points.front() = exploration::explored_spec(plain);
  // Heartbeats that leave no choice could go on for an hour.
  small.points.front().stop.events = kMostEvents;
  for (const std::uint32_t faults : {1U, 0U})
    if (ExploredJob job = explored_with(small, faults); job.explored) return job;
  return {};
}

}  // namespace faultline::search
