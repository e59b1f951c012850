// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "analysis/traces/run_trace.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::exploration {

/// A run as a scenario states it, and in words.
struct ToldRun {
  scenario::RunOrder order;
  /// A line for each step: "rank 1 receives work from rank 0, and dies after 2 things".
  std::vector<std::string> words;
};
ToldRun told_run(const ExplorationRequest& request, const std::vector<Step>& steps);

/// Records the run of a counterexample, which ends with its last step. Throws BrokenInvariant.
traces::RunTrace recorded_run(const ExplorationRequest& request, const Refutation& found);

/// A scenario with which `run` and `trace` repeat such a run. `root` is the explored scenario, as
/// JSON; `name` becomes the name.
json::JsonValue counterexample(json::JsonValue root, const scenario::RunOrder& order,
                               const std::string& name);

}  // namespace faultline::exploration
