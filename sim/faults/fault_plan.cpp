#include "sim/faults/fault_plan.hpp"

#include <algorithm>

namespace faultline {

FaultPlan::FaultPlan(const std::vector<FaultSpec>& faults, const JobShape& job) {
  for (const FaultSpec& fault : faults) {
    const auto index = static_cast<std::uint32_t>(victims_.size());
    std::vector<ActorId> victims(fault.ranks.begin(), fault.ranks.end());
    for (const NodeId node : fault.nodes) victims.push_back(job.processes + node);
    for (const NodeId node : fault.daemons) victims.push_back(job.processes + node);
    victims_.push_back(std::move(victims));
    if (fault.time_s) timed_.push_back({*fault.time_s, index});
    if (fault.event) counted_.push_back({*fault.event, index});
    if (fault.mark) marked_.push_back({*fault.mark, index});
  }
  std::stable_sort(timed_.begin(), timed_.end(),
                   [](const Timed& a, const Timed& b) { return a.time_s < b.time_s; });
  std::stable_sort(counted_.begin(), counted_.end(),
                   [](const Counted& a, const Counted& b) { return a.event < b.event; });
}

std::vector<std::uint32_t> FaultPlan::take_mark(std::string_view name, std::int64_t value) {
  std::vector<std::uint32_t> struck;
  std::erase_if(marked_, [&](const Marked& marked) {
    if (marked.mark.name != name || marked.mark.value != value) return false;
    struck.push_back(marked.index);
    return true;
  });
  return struck;
}

}  // namespace faultline
