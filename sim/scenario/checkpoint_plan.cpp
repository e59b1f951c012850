// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/checkpoint_plan.hpp"

#include <cstdint>
#include <variant>

#include "sim/scenario/inherited_checkpoints.hpp"

namespace faultline::scenario {

namespace {

std::optional<CheckpointPlan> plan_by_iterations(const RunSpec& point, Family family) {
  constexpr const char* kIterations = "checkpoint_iterations";
  const auto count = number_among(point.component(family).options, kIterations);
  const auto each_s = iteration_compute_s(point);
  if (!count || !each_s) return std::nullopt;
  return CheckpointPlan{family, kIterations, *count * *each_s};
}

}  // namespace

std::optional<double> number_among(const OptionValues& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end()) return std::nullopt;
  if (const auto* number = std::get_if<double>(&found->second)) return *number;
  if (const auto* count = std::get_if<std::int64_t>(&found->second))
    return static_cast<double>(*count);
  return std::nullopt;
}

std::optional<double> iteration_compute_s(const RunSpec& point) {
  const auto compute_s = number_among(point.component(Family::workload).options, "compute_s");
  // The objects of a process may compute at the same time.
  return compute_s ? std::optional(*compute_s / point.platform.worker_cores) : std::nullopt;
}

std::optional<CheckpointPlan> plan_of(const RunSpec& point) {
  const OptionValues& transactions = point.component(Family::transactions).options;
  if (takes_checkpoints(transactions)) {
    if (const auto interval_s = number_among(transactions, "checkpoint_interval_s"))
      return CheckpointPlan{Family::transactions, "checkpoint_interval_s", *interval_s};
    if (const auto plan = plan_by_iterations(point, Family::transactions)) return plan;
  }
  const ComponentChoice& logs = point.component(Family::message_logging);
  if (const auto interval_s = number_among(logs.options, "checkpoint_interval_s"))
    return CheckpointPlan{Family::message_logging, "checkpoint_interval_s", *interval_s};
  if (logs.registration == nullptr && !takes_checkpoints(transactions)) return std::nullopt;
  return plan_by_iterations(point, Family::workload);
}

}  // namespace faultline::scenario
