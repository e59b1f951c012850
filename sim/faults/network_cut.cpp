// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/network_cut.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

NetworkCut::NetworkCut(const std::vector<PartitionSpec>& partitions, std::uint32_t processes,
                       std::uint32_t nodes) {
  for (const PartitionSpec& spec : partitions) {
    std::vector<std::uint32_t> group_of(spec.of_ranks ? processes : nodes);
    for (std::size_t group = 0; group < spec.groups.size(); ++group)
      for (const std::uint32_t member : spec.groups[group])
        group_of[member] = static_cast<std::uint32_t>(group + 1);
    partitions_.push_back({spec.of_ranks, spec.from_s, spec.to_s, std::move(group_of)});
  }
}

bool NetworkCut::separates(End one, End other, double at_s) const {
  return std::any_of(partitions_.begin(), partitions_.end(), [&](const Partition& partition) {
    if (at_s < partition.from_s || at_s >= partition.to_s) return false;
    const std::uint32_t group = partition.group(one);
    const std::uint32_t other_group = partition.group(other);
    return group != other_group && group != 0 && other_group != 0;
  });
}

}  // namespace faultline
