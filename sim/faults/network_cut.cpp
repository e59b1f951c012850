// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/network_cut.hpp"

#include <algorithm>
#include <utility>

namespace faultline::faults {

NetworkCut::NetworkCut(const std::vector<PartitionSpec>& partitions, std::uint32_t processes,
                       std::uint32_t nodes) {
  for (const PartitionSpec& spec : partitions) {
    std::vector<std::uint32_t> group_of(spec.of_ranks ? processes : nodes);
    for (std::size_t group = 0; group < spec.groups.size(); ++group)
      for (const std::uint32_t member : spec.groups[group])
        group_of[member] = static_cast<std::uint32_t>(group + 1);
    partitions_.push_back({spec.of_ranks, spec.from_s, spec.to_s, spec.waits, std::move(group_of)});
    (spec.waits ? delays_ : loses_) = true;
  }
}

bool NetworkCut::Partition::separates(End one, End other, double at_s) const {
  if (at_s < from_s || at_s >= to_s) return false;
  const std::uint32_t group_of_one = group(one);
  const std::uint32_t group_of_other = group(other);
  return group_of_one != group_of_other && group_of_one != 0 && group_of_other != 0;
}

bool NetworkCut::separates(End one, End other, double at_s) const {
  return std::any_of(partitions_.begin(), partitions_.end(), [&](const Partition& partition) {
    return !partition.waits && partition.separates(one, other, at_s);
  });
}

double NetworkCut::connected_s(End one, End other, double from_s) const {
  return passes_s(one, other, from_s, false);
}

double NetworkCut::wait_s(End one, End other, double at_s) const {
  return passes_s(one, other, at_s, true) - at_s;
}

/// Whenever a cut ends, another one may have begun.
double NetworkCut::passes_s(End one, End other, double from_s, bool only_waits) const {
  double at_s = from_s;
  for (bool is_moved = true; is_moved && at_s < kNever;) {
    is_moved = false;
    for (const Partition& partition : partitions_)
      if ((partition.waits || !only_waits) && partition.separates(one, other, at_s)) {
        at_s = partition.to_s;
        is_moved = true;
      }
  }
  return at_s;
}

}  // namespace faultline::faults
