// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/network_figures.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sim/platform/topology.hpp"

namespace faultline::platform {

namespace {

/// The first and the last of consecutive coordinates.
using Span = std::pair<std::uint32_t, std::uint32_t>;
using SpanBox = std::vector<Span>;

std::uint32_t whole_units(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Boxes that together are the first places of a torus: whole planes, then whole rows of the next
/// plane, and so on.
std::vector<SpanBox> boxes_of_first(const Torus& torus, std::uint64_t nodes) {
  std::uint64_t stride = 1;
  SpanBox box;
  for (const std::uint32_t size : torus.dimensions) {
    box.emplace_back(0, size - 1);
    stride *= size;
  }
  std::vector<SpanBox> boxes;
  for (std::size_t dimension = box.size(); dimension-- > 0;) {
    stride /= torus.dimensions[dimension];
    const auto full = static_cast<std::uint32_t>(nodes / stride);
    if (full > 0) {
      boxes.push_back(box);
      boxes.back()[dimension] = {0, full - 1};
    }
    box[dimension] = {full, full};
    nodes %= stride;
  }
  return boxes;
}

/// The largest number of links between a place of one span and a place of the other, on a ring.
std::uint32_t farthest_on_ring(const Span& a, const Span& b, std::uint32_t size) {
  const auto beyond = [](std::uint32_t high, std::uint32_t low) {
    return high > low ? high - low : 0;
  };
  const std::uint32_t least = std::max(beyond(b.first, a.second), beyond(a.first, b.second));
  const std::uint32_t most = std::max(beyond(b.second, a.first), beyond(a.second, b.first));
  return least > size / 2 ? size - least : std::min(most, size / 2);
}

std::uint32_t farthest(const Torus& torus, std::uint32_t nodes, const Topology& /*routes*/) {
  const std::vector<SpanBox> boxes = boxes_of_first(torus, nodes);
  std::uint32_t most = 0;
  for (const SpanBox& a : boxes) {
    for (const SpanBox& b : boxes) {
      std::uint32_t hops = 0;
      for (std::size_t i = 0; i < a.size(); ++i)
        hops += farthest_on_ring(a[i], b[i], torus.dimensions[i]);
      most = std::max(most, hops);
    }
  }
  return most;
}

/// No node differs from node 0 in a higher digit than the last node does.
std::uint32_t farthest(const FatTree& /*tree*/, std::uint32_t nodes, const Topology& routes) {
  return routes.hops(0, nodes - 1);
}

std::uint32_t farthest(const Crossbar& /*crossbar*/, std::uint32_t nodes, const Topology& routes) {
  return routes.hops(0, nodes - 1);
}

std::uint32_t farthest(const Dragonfly& d, std::uint32_t nodes, const Topology& /*routes*/) {
  const std::uint32_t of_group = d.chassis_per_group * d.routers_per_chassis;
  const std::uint32_t routers = whole_units(nodes, d.nodes_per_router);
  const std::uint32_t groups = whole_units(routers, of_group);
  // Two links lead from a router to one that differs in both coordinates. The first routers include
  // two such routers as soon as they are one more than a chassis. The first one has the blue link
  // to group 0, and a router that differs from it in both coordinates needs one router more.
  const auto within = [&d](std::uint32_t count, std::uint32_t one_chassis) {
    if (count == 1) return 0U;
    return count > one_chassis && d.routers_per_chassis > 1 ? 2U : 1U;
  };
  const std::uint32_t whole = within(of_group, d.routers_per_chassis);
  if (groups == 1) return 2 + within(routers, d.routers_per_chassis);
  if (groups > 2) return 3 + whole + whole;
  return 3 + whole + within(routers - of_group, d.routers_per_chassis + 1);
}

/// The smaller half of a number.
std::uint32_t half_of(std::uint32_t count) { return count / 2; }

double across(const Torus& torus) {
  const auto nodes = static_cast<double>(places(torus));
  double fewest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t size : torus.dimensions)
    if (size > 1) fewest = std::min(fewest, (size == 2 ? 1 : 2) * nodes / size);
  return nodes > 1 ? fewest : 0;
}

/// The routes between the halves meet at the topmost switches, which have members in both. So the
/// level with the fewest links on the way up there decides.
double across(const FatTree& tree) {
  std::size_t top = tree.children.size() - 1;
  while (top > 0 && tree.children[top] == 1) --top;
  double fewest = std::numeric_limits<double>::infinity();
  for (std::size_t level = 0; level <= top; ++level) {
    double members = half_of(tree.children[top]);
    for (std::size_t i = 0; i < top; ++i) members *= i < level ? tree.parents[i] : tree.children[i];
    fewest = std::min(fewest, members * tree.parents[level] * tree.links[level]);
  }
  return fewest;
}

double across(const Dragonfly& d) {
  /// Counts the links between two halves of `parts`, with `width` links between every two parts.
  /// The result is at most the number of nodes in the first half, because each node has one link.
  const auto between = [](std::uint32_t parts, double width, double nodes_of_part) {
    const double first = half_of(parts);
    return std::min(first * (parts - first) * width, first * nodes_of_part);
  };
  const double of_chassis = double{1} * d.routers_per_chassis * d.nodes_per_router;
  if (d.groups > 1) return between(d.groups, d.blue_links, of_chassis * d.chassis_per_group);
  if (d.chassis_per_group > 1)
    return between(d.chassis_per_group, double{1} * d.black_links * d.routers_per_chassis,
                   of_chassis);
  if (d.routers_per_chassis > 1)
    return between(d.routers_per_chassis, d.green_links, d.nodes_per_router);
  return half_of(d.nodes_per_router);
}

double across(const Crossbar& crossbar) { return half_of(crossbar.nodes); }

}  // namespace

HopRange hop_range(const TopologySpec& spec, std::uint32_t nodes) {
  const Topology routes(spec, 0, 1);
  const auto most = [&](const auto& topology) { return farthest(topology, nodes, routes); };
  // In every topology, places 0 and 1 are nearest neighbours.
  return {routes.hops(0, 1), std::visit(most, spec)};
}

double bisection_links(const TopologySpec& spec) {
  check_topology(spec);
  return std::visit([](const auto& topology) { return across(topology); }, spec);
}

}  // namespace faultline::platform
