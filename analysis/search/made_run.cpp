// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/made_run.hpp"

#include "analysis/runs/replications.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"

namespace faultline::search {

runs::ReplicationRecord made_run(const scenario::Scenario& scenario) {
  if (scenario.engine == scenario::EngineKind::loggp) return runs::simulated(scenario, 0, 0);
  std::string written;
  try {
    runs::in_processes(
        1,
        [&](unsigned, const runs::WriteLine& write) {
          write(runs::replication_line(scenario, runs::simulated(scenario, 0, 0)));
        },
        [&](const std::string& line) { written = line; });
  } catch (const RunError& error) {
    return {.run = std::nullopt, .error = error.what()};
  }
  if (written.empty()) throw RunError("interrupted");
  return runs::read_replication_line(written);
}

std::string kind_of_end(const runs::RunRecord& run) {
  return run.violations.empty() ? engine::outcome_word(run.outcome) : run.violations.front().kind;
}

std::string text_of_end(const runs::RunRecord& run) {
  if (run.violations.empty())
    return std::string("the run ended as ") + engine::outcome_word(run.outcome);
  const audit::Violation& first = run.violations.front();
  return first.kind + ": " + first.detail;
}

}  // namespace faultline::search
