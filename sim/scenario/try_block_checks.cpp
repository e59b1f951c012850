// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/try_block_checks.hpp"

#include <algorithm>
#include <string>

#include "sim/scenario/alternatives.hpp"
#include "sim/scenario/may_err.hpp"

namespace faultline::scenario {
namespace {

/// Who would have to reject a TryBlock because of an error, and why it has none.
std::string without_try_blocks(const RunSpec& point) {
  if (const Registration* transactions = point.component(Family::transactions).registration)
    return "transactions " + transactions->name + " has none";
  if (const Registration* logging = point.component(Family::message_logging).registration)
    return "message_logging " + logging->name + " has none: a replay would repeat the error";
  return "a stack without transactions has none";
}

}  // namespace

bool has_try_blocks(const Registration& component) {
  return component.family == Family::workload
             ? static_cast<bool>(component.as<WorkloadTraits>().try_blocks)
             : component.as<RecoveryTraits>().commits_blocks;
}

/// Only a TryBlock can be rejected because of an error that kills nobody.
void check_soft_faults(const RunSpec& point, json::Problems& problems) {
  const auto first = std::find_if(point.faults.begin(), point.faults.end(),
                                  [](const faults::FaultSpec& fault) { return fault.soft; });
  if (first == point.faults.end()) return;
  const auto number = static_cast<std::size_t>(first - point.faults.begin());
  const std::string path = json::item_path("faults.at", number) + ".soft";
  const Registration* workload = point.component(Family::workload).registration;
  const Registration* transactions = point.component(Family::transactions).registration;
  if (workload != nullptr && !has_try_blocks(*workload))
    problems.add(path, "is raised in a TryBlock, and " + workload->name + " has none" +
                           alternatives(Family::workload, has_try_blocks));
  else if (transactions == nullptr || !has_try_blocks(*transactions))
    problems.add(path, "is raised in a TryBlock, and " + without_try_blocks(point) +
                           alternatives(Family::transactions, has_try_blocks));
}

void check_detector_of_blocks(const RunSpec& point, const ComponentPaths& paths,
                              json::Problems& problems) {
  const Registration* workload = point.component(Family::workload).registration;
  const Registration* detector = point.component(Family::termination).registration;
  const Registration* logging = point.component(Family::message_logging).registration;
  const bool replays = logging != nullptr && logging->as<RecoveryTraits>().recovers_singly &&
                       !logging->as<RecoveryTraits>().needs_order_free;
  const bool ranks_restart = point.has_faults() || (point.fences() && can_err(point));
  if (workload == nullptr || detector == nullptr || !replays || !has_try_blocks(*workload) ||
      !ranks_restart)
    return;
  problems.add(paths[index_of(Family::message_logging)],
               logging->name + " does not replay when the messages of " + workload->name +
                   " leave, and what " + detector->name +
                   " sends depends on that, expected termination none" + kOrAllow);
}

}  // namespace faultline::scenario
