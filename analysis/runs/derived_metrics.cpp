// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/derived_metrics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "sim/core/run_metrics.hpp"
#include "sim/json/json_path.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::runs {

namespace {

/// What ends a run without regard to its program.
constexpr std::array kOtherEnds{scenario::StopWhen::time, scenario::StopWhen::all_reported};

/// The count above 0 at a path; none if there is no such number.
std::optional<std::int64_t> count_at(const json::JsonValue& tree, const json::JsonPath& path) {
  const json::JsonValue* value = json::find_at(tree, path);
  const auto* count = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return count != nullptr && *count > 0 ? std::optional(*count) : std::nullopt;
}

/// The job keeps its spare nodes, too, until it ends.
std::optional<double> node_hours(const RunRecord& run, const RunFrame& frame) {
  constexpr double kHour_s = 3600.0;
  const auto end_s = run.number(run_metrics::kEndTime.name);
  return end_s && frame.nodes > 0.0
             ? std::optional((frame.nodes + frame.spare_nodes) * *end_s / kHour_s)
             : std::nullopt;
}

/// Messages of the failure detector in a second of each node.
std::optional<double> detection_rate(const RunRecord& run, const RunFrame& frame) {
  const auto messages = run.number(run_metrics::kDetectionMessages.name);
  const double node_time_s = frame.nodes * run.number(run_metrics::kEndTime.name).value_or(0.0);
  return messages && node_time_s > 0.0 ? std::optional(*messages / node_time_s) : std::nullopt;
}

}  // namespace

RunFrame frame_of(const scenario::RunSpec& spec) {
  return {.ends_with_program =
              std::find(kOtherEnds.begin(), kOtherEnds.end(), spec.stop.when) == kOtherEnds.end(),
          .nodes = static_cast<double>(scenario::job_shape(spec.platform).nodes),
          .spare_nodes = static_cast<double>(spec.platform.spare_nodes)};
}

RunFrame frame_of(const json::JsonValue& resolved) {
  RunFrame frame;
  const json::JsonValue* when = json::find_at(resolved, {"stop", "when"});
  if (when != nullptr && when->text() != nullptr)
    frame.ends_with_program = std::none_of(
        kOtherEnds.begin(), kOtherEnds.end(),
        [&](scenario::StopWhen other) { return *when->text() == scenario::word_of(other); });
  const auto processes = count_at(resolved, {"platform", "processes"});
  const auto of_node = count_at(resolved, {"platform", "processes_per_node"});
  if (processes && of_node) {
    const std::int64_t nodes = (*processes - 1) / *of_node + 1;
    frame.nodes = static_cast<double>(nodes);
  }
  if (const auto spare = count_at(resolved, {"platform", "spare_nodes"}))
    frame.spare_nodes = static_cast<double>(*spare);
  return frame;
}

std::optional<bool> completed(engine::Outcome outcome, const RunFrame& frame) {
  if (!frame.ends_with_program) return std::nullopt;
  return survived(outcome);
}

std::vector<RunMetric> derived_metrics(const RunRecord& run, const RunFrame& frame) {
  const std::optional<bool> truth = completed(run.outcome, frame);
  std::vector<RunMetric> derived = {
      {kCompleted, truth ? std::optional(*truth ? 1.0 : 0.0) : std::nullopt},
      {run_metrics::kNodeHours.name, node_hours(run, frame)}};
  if (run.has_number(run_metrics::kDetectionMessages.name))
    derived.push_back({run_metrics::kDetectionRate.name, detection_rate(run, frame)});
  return derived;
}

}  // namespace faultline::runs
