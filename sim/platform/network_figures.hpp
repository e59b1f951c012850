// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/platform/machine.hpp"

namespace faultline::platform {

/// The number of links between the two nearest and between the two farthest nodes of a job.
struct HopRange {
  std::uint32_t nearest = 0;
  std::uint32_t farthest = 0;

  bool operator==(const HopRange&) const = default;
};

/// The hop range of the first `nodes` places of a topology; `nodes` must be at least 2. Throws
/// UsageError as check_topology does.
HopRange hop_range(const TopologySpec& spec, std::uint32_t nodes);

/// The number of links between two halves of all places, in links of single width: a link of double
/// bandwidth counts as two. 0 for a single place. What is halved:
///  - a torus: cut by a plane through the middle, in the dimension where it cuts fewest links;
///  - a fat tree: the subtrees below the topmost switches that have more than one;
///  - a dragonfly: its groups; or the chassis of a single group; or the routers of a single
///  chassis;
///  - a crossbar: its nodes.
/// If the number is odd, the second half is the larger. Where each node has a link of its own, the
/// result is at most the number of these links in the first half.
double bisection_links(const TopologySpec& spec);

}  // namespace faultline::platform
