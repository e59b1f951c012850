#pragma once

#include <cstdint>

#include "sim/platform/machine.hpp"

namespace faultline {

/// Links on the routes between the two nearest and the two farthest nodes of a job.
struct HopRange {
  std::uint32_t nearest = 0;
  std::uint32_t farthest = 0;

  bool operator==(const HopRange&) const = default;
};

/// Between the first `nodes` places, of which there are at least two. Throws UsageError as
/// check_topology does.
HopRange hop_range(const TopologySpec& spec, std::uint32_t nodes);

/// The least number of links of single width that a message from one half of all places to the
/// other must choose from; 0 for a single place. Halves are
///  - of a torus, the two sides of a plane through the middle, in the dimension with fewest links;
///  - of a fat tree, the subtrees of the topmost switches that have several;
///  - of a dragonfly, its groups; of a single group its chassis, of a single chassis its routers;
///  - of a crossbar, its nodes.
/// An odd one goes with the second half. Where nodes have links of their own, no more counts than
/// those of the first half.
double bisection_links(const TopologySpec& spec);

}  // namespace faultline
