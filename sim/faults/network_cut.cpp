// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/network_cut.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace faultline::faults {

NetworkCut::NetworkCut(const std::vector<PartitionSpec>& partitions, std::uint32_t processes,
                       std::uint32_t nodes, const std::vector<Outage>& outages) {
  for (const PartitionSpec& spec : partitions) {
    std::vector<std::uint32_t> group_of(spec.of_ranks ? processes : nodes);
    for (std::size_t group = 0; group < spec.groups.size(); ++group)
      for (const std::uint32_t member : spec.groups[group])
        group_of[member] = static_cast<std::uint32_t>(group + 1);
    partitions_.push_back({spec.of_ranks, spec.from_s, spec.to_s, spec.waits, std::move(group_of)});
    (spec.waits ? delays_ : loses_) = true;
  }
  loses_ = loses_ || !outages.empty();
  if (!outages.empty()) outages_.resize(nodes);
  for (const Outage& outage : outages)
    outages_[outage.node].push_back({outage.from_s, outage.to_s});
  for (std::vector<Window>& windows : outages_) merge(windows);
}

/// A router that fails again while it is down is back after the later repair.
void NetworkCut::merge(std::vector<Window>& windows) {
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return a.from_s < b.from_s; });
  std::vector<Window> apart;
  for (const Window& next : windows)
    if (apart.empty() || next.from_s > apart.back().to_s)
      apart.push_back(next);
    else
      apart.back().to_s = std::max(apart.back().to_s, next.to_s);
  windows = std::move(apart);
}

/// The end of the outage of a node at that time; at_s if there is none.
double NetworkCut::out_until_s(NodeId node, double at_s) const {
  if (outages_.empty()) return at_s;
  const std::vector<Window>& windows = outages_[node];
  const auto after =
      std::upper_bound(windows.begin(), windows.end(), at_s,
                       [](double time_s, const Window& window) { return time_s < window.from_s; });
  return after == windows.begin() ? at_s : std::max(at_s, std::prev(after)->to_s);
}

/// The first moment from at_s on at which neither router is down; within a node, no router matters.
double NetworkCut::apart_until_s(End one, End other, double at_s) const {
  if (one.node == other.node) return at_s;
  return std::max(out_until_s(one.node, at_s), out_until_s(other.node, at_s));
}

bool NetworkCut::Partition::separates(End one, End other, double at_s) const {
  if (at_s < from_s || at_s >= to_s) return false;
  const std::uint32_t group_of_one = group(one);
  const std::uint32_t group_of_other = group(other);
  return group_of_one != group_of_other && group_of_one != 0 && group_of_other != 0;
}

bool NetworkCut::separates(End one, End other, double at_s) const {
  if (apart_until_s(one, other, at_s) > at_s) return true;
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
    const double apart_s = only_waits ? at_s : apart_until_s(one, other, at_s);
    is_moved = apart_s > at_s;
    at_s = apart_s;
    for (const Partition& partition : partitions_)
      if ((partition.waits || !only_waits) && partition.separates(one, other, at_s)) {
        at_s = partition.to_s;
        is_moved = true;
      }
  }
  return at_s;
}

}  // namespace faultline::faults
