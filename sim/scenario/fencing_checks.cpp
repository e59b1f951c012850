// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/fencing_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace faultline::scenario {

void check_fencing(const RunSpec& point, json::Problems& problems) {
  if (!point.fences() || point.platform.fencing.reach != FencingReach::connected) return;
  const JobShape job = job_shape(point.platform);
  const auto cuts_off = [&](const faults::PartitionSpec& cut) {
    std::size_t members = 0;
    for (const auto& group : cut.groups) members += group.size();
    const auto is_manager = [](const auto& group) { return group == std::vector<NodeId>{0}; };
    return !cut.of_ranks && cut.from_s == 0.0 && cut.to_s == kNever &&
           members == std::size_t{job.nodes} + job.spare_nodes &&
           std::any_of(cut.groups.begin(), cut.groups.end(), is_manager);
  };
  if (std::any_of(point.partitions.begin(), point.partitions.end(), cuts_off))
    problems.add(
        "platform.fencing.reach",
        R"("connected" reaches nobody: faults.partition cuts node 0, where the resource )"
        R"(manager is, off from all others for good; expected "all", or a cut that heals)");
}

}  // namespace faultline::scenario
