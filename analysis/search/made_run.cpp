// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/made_run.hpp"

#include "analysis/runs/replications.hpp"
#include "analysis/runs/worker_process.hpp"
#include "sim/core/error.hpp"

namespace faultline::search {

ReplicationRecord made_run(const Scenario& scenario) {
  if (scenario.engine == EngineKind::loggp) return simulated(scenario, 0, 0);
  std::string written;
  try {
    in_processes(
        1,
        [&](unsigned, const WriteLine& write) {
          write(replication_line(scenario, simulated(scenario, 0, 0)));
        },
        [&](const std::string& line) { written = line; });
  } catch (const RunError& error) {
    return {.run = std::nullopt, .error = error.what()};
  }
  if (written.empty()) throw RunError("interrupted");
  return read_replication_line(written);
}

std::string kind_of_end(const RunRecord& run) {
  return run.violations.empty() ? engine::outcome_word(run.outcome) : run.violations.front().kind;
}

std::string text_of_end(const RunRecord& run) {
  if (run.violations.empty())
    return std::string("the run ended as ") + engine::outcome_word(run.outcome);
  const Violation& first = run.violations.front();
  return first.kind + ": " + first.detail;
}

}  // namespace faultline::search
