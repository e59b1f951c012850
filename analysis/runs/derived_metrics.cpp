// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/derived_metrics.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "sim/json/json_path.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::runs {

namespace {

/// What ends a run without regard to its program.
constexpr std::array kOtherEnds{scenario::StopWhen::time, scenario::StopWhen::all_reported};

}  // namespace

RunFrame frame_of(const scenario::RunSpec& spec) {
  return {.ends_with_program =
              std::find(kOtherEnds.begin(), kOtherEnds.end(), spec.stop.when) == kOtherEnds.end()};
}

RunFrame frame_of(const json::JsonValue& resolved) {
  const json::JsonValue* when = json::find_at(resolved, {"stop", "when"});
  if (when == nullptr || when->text() == nullptr) return {};
  return {.ends_with_program = std::none_of(
              kOtherEnds.begin(), kOtherEnds.end(),
              [&](scenario::StopWhen other) { return *when->text() == scenario::word_of(other); })};
}

std::optional<bool> completed(engine::Outcome outcome, const RunFrame& frame) {
  if (!frame.ends_with_program) return std::nullopt;
  return survived(outcome);
}

std::vector<RunMetric> derived_metrics(const RunRecord& run, const RunFrame& frame) {
  const std::optional<bool> truth = completed(run.outcome, frame);
  return {{kCompleted, truth ? std::optional(*truth ? 1.0 : 0.0) : std::nullopt}};
}

}  // namespace faultline::runs
