// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/fencing_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/core/option_problem.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {
namespace {

/// Why what is stated of fencing has no effect in a point; without a message if it has one, or if
/// nothing is stated.
OptionProblem idle_fencing(const RunSpec& point) {
  const FencingSpec usual;
  const FencingSpec& fencing = point.platform.fencing;
  const Registration* detector = point.component(Family::failure_detection).registration;
  if (fencing == usual) return {};
  const std::string option = fencing.by                         ? "by"
                             : fencing.delay_s != usual.delay_s ? "delay_s"
                                                                : "reach";
  if (detector == nullptr) return {option, "has no effect: there is no failure detector"};
  if (detector->as<DetectorTraits>().accurate)
    return {option, "has no effect: " + detector->name + " never errs"};
  if (point.fences() || (fencing.delay_s == usual.delay_s && fencing.reach == usual.reach))
    return {};
  return {fencing.delay_s != usual.delay_s ? "delay_s" : "reach",
          R"(has no effect: "by" is "nobody")" +
              std::string(fencing.by ? "" : " without message logging and transactions")};
}

}  // namespace

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
  const auto isolates = [](const faults::FaultSpec& fault) {
    return fault.time_s == 0.0 && fault.repair_s == kNever &&
           std::ranges::count(fault.cut_off, NodeId{0}) > 0;
  };
  if (job.nodes + job.spare_nodes > 1 && std::ranges::any_of(point.faults, isolates))
    problems.add("platform.fencing.reach",
                 R"("connected" reaches nobody: the router of node 0, where the resource manager )"
                 R"(is, fails at the start for good; expected "all", or a repair_s)");
}

void note_fencing(const std::vector<RunSpec>& points, json::Problems& problems) {
  const bool has_effect = std::ranges::any_of(
      points, [](const RunSpec& point) { return idle_fencing(point).message.empty(); });
  if (points.empty() || has_effect) return;
  const OptionProblem first = idle_fencing(points.front());
  problems.note(json::member_path("platform.fencing", first.option), first.message);
}

}  // namespace faultline::scenario
