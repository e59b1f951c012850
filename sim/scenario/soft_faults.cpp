// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/soft_faults.hpp"

#include <string>

#include "sim/scenario/alternatives.hpp"

namespace faultline::scenario {
namespace {

/// "" if TryBlocks of the stack can be rejected because of an error.
std::string why_none_is_rejected(const RunSpec& point) {
  const Registration* workload = point.component(Family::workload).registration;
  const Registration* transactions = point.component(Family::transactions).registration;
  if (transactions == nullptr) return "the stack has no transactions";
  if (!has_try_blocks(*transactions)) return transactions->name + " has no TryBlocks";
  if (workload != nullptr && !has_try_blocks(*workload))
    return workload->name + " has no TryBlocks";
  return {};
}

}  // namespace

void end_by_soft_faults(RunSpec& point, json::Problems& problems) {
  const std::string why = why_none_is_rejected(point);
  if (why.empty()) return;
  std::size_t first = 0;
  std::size_t ended = 0;
  for (std::size_t index = 0; index < point.faults.size(); ++index) {
    faults::FaultSpec& fault = point.faults[index];
    if (!fault.soft) continue;
    fault.soft = false;
    if (++ended == 1) first = index;
  }
  if (ended == 0) return;
  const std::string others = ended == 1   ? ""
                             : ended == 2 ? ", and so does 1 more"
                                          : ", and so do " + std::to_string(ended - 1) + " more";
  problems.note(json::item_path("faults.at", first) + ".soft",
                "ends the process, as a fault does" + others + ": " + why +
                    ", so that no TryBlock can be rejected for the error");
}

}  // namespace faultline::scenario
