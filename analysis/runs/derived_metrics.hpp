// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "sim/core/run_metrics.hpp"
#include "sim/engine/verdict/outcome.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::runs {

inline constexpr const char* kCompleted = run_metrics::kCompleted.name;

/// What the scenario tells of its runs that their derived metrics need.
struct RunFrame {
  bool ends_with_program = true;  ///< false if `stop.when` is `time` or `all-reported`
  double nodes = 0.0;             ///< that hold ranks at the start; 0 if that is not known
  double spare_nodes = 0.0;
};

RunFrame frame_of(const scenario::RunSpec& spec);

/// The frame of the runs of a resolved scenario, as a store keeps it.
RunFrame frame_of(const json::JsonValue& resolved);

/// Has a run that ended so completed its program? No value where runs do not end with it.
std::optional<bool> completed(engine::Outcome outcome, const RunFrame& frame);

/// The metrics that follow from the outcome of a run, its other metrics and its scenario. They are
/// not kept with the others, so a store that is older than they are has them, too.
std::vector<RunMetric> derived_metrics(const RunRecord& run, const RunFrame& frame);

}  // namespace faultline::runs
