// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/try_block_checks.hpp"

#include <algorithm>
#include <string>

#include "sim/scenario/alternatives.hpp"

namespace faultline::scenario {
namespace {

/// Why nothing in the stack can reject a TryBlock because of an error.
std::string without_try_blocks(const RunSpec& point) {
  if (const Registration* transactions = point.component(Family::transactions).registration)
    return "transactions " + transactions->name + " has none";
  if (const Registration* logging = point.component(Family::message_logging).registration)
    return "message_logging " + logging->name + " has none: a replay would repeat the error";
  return "a stack without transactions has none";
}

}  // namespace

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

}  // namespace faultline::scenario
