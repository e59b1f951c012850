// SPDX-License-Identifier: Apache-2.0

// Distances and bisections of networks, against search in small ones.

#include "sim/platform/network_figures.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "sim/platform/topology.hpp"
#include "tests/platform/network_graph.hpp"

namespace faultline::platform {
namespace {

/// By trying all pairs of the first nodes.
HopRange tried_hop_range(const Topology& topology, std::uint32_t nodes) {
  HopRange range{UINT32_MAX, 0};
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = 0; b < nodes; ++b) {
      if (a == b) continue;
      range.nearest = std::min(range.nearest, topology.hops(a, b));
      range.farthest = std::max(range.farthest, topology.hops(a, b));
    }
  }
  return range;
}

void check_hop_ranges(const TopologySpec& spec) {
  const Topology topology(spec, 0, 1);
  for (std::uint32_t nodes = 2; nodes <= topology.nodes(); ++nodes) {
    CAPTURE(describe(spec), nodes);
    const HopRange range = hop_range(spec, nodes);
    const HopRange tried = tried_hop_range(topology, nodes);
    CHECK(range.nearest == tried.nearest);
    CHECK(range.farthest == tried.farthest);
  }
}

TEST_CASE("the nearest and the farthest of the first nodes of a torus") {
  for (const std::vector<std::uint32_t>& dimensions : std::vector<std::vector<std::uint32_t>>{
           {2}, {9}, {1, 6}, {5, 4}, {4, 5}, {7, 7}, {2, 2, 3}, {3, 4, 5}, {4, 1, 6}, {2, 3, 2, 5}})
    check_hop_ranges(Torus{dimensions});
}

TEST_CASE("the nearest and the farthest of the first nodes of switched networks") {
  check_hop_ranges(Crossbar{7});
  for (const FatTree& tree : std::vector<FatTree>{{{6}, {1}, {1}},
                                                  {{4, 3}, {1, 2}, {1, 2}},
                                                  {{1, 4}, {1, 1}, {1, 1}},
                                                  {{3, 2, 4}, {1, 2, 3}, {1, 1, 1}},
                                                  {{2, 3, 1}, {1, 2, 2}, {1, 1, 1}}})
    check_hop_ranges(tree);
  for (const std::vector<std::uint32_t>& shape :
       std::vector<std::vector<std::uint32_t>>{{1, 1, 1, 4},
                                               {1, 1, 4, 2},
                                               {1, 4, 1, 1},
                                               {1, 3, 4, 2},
                                               {2, 3, 4, 2},
                                               {2, 1, 3, 1},
                                               {2, 4, 1, 2},
                                               {4, 2, 3, 1},
                                               {7, 1, 2, 2},
                                               {3, 1, 1, 1}})
    check_hop_ranges(Dragonfly{.groups = shape[0],
                               .chassis_per_group = shape[1],
                               .routers_per_chassis = shape[2],
                               .nodes_per_router = shape[3]});
}

/// Ford and Fulkerson: as many links as ways can be found from the sources to all other nodes, one
/// after the other. By duality, as many are the fewest that part them.
class LeastCut {
 public:
  using IsSource = std::function<bool(std::size_t node)>;

  LeastCut(const NetworkGraph& graph, std::size_t nodes, const IsSource& is_source)
      : size_(graph.vertices() + 2), left_(size_ * size_, 0) {
    for (const auto& cable : graph.cables()) {
      left(cable.a, cable.b) += cable.links;
      left(cable.b, cable.a) += cable.links;
    }
    for (std::size_t node = 0; node < nodes; ++node) {
      if (is_source(node))
        left(start(), node) = kPlenty;
      else
        left(node, end()) = kPlenty;
    }
  }

  std::uint32_t links() {
    std::uint32_t found = 0;
    while (take_way()) ++found;
    return found;
  }

 private:
  static constexpr std::uint32_t kPlenty = 100000;

  std::uint32_t& left(std::size_t from, std::size_t to) { return left_[from * size_ + to]; }
  [[nodiscard]] std::size_t start() const { return size_ - 2; }
  [[nodiscard]] std::size_t end() const { return size_ - 1; }

  bool take_way() {
    constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> before(size_, kUnseen);
    std::vector<std::size_t> queue{start()};
    for (std::size_t next = 0; next < queue.size() && before[end()] == kUnseen; ++next) {
      for (std::size_t to = 0; to < size_; ++to) {
        if (to == start() || before[to] != kUnseen || left(queue[next], to) == 0) continue;
        before[to] = queue[next];
        queue.push_back(to);
      }
    }
    if (before[end()] == kUnseen) return false;
    for (std::size_t to = end(); to != start(); to = before[to]) {
      --left(before[to], to);
      ++left(to, before[to]);
    }
    return true;
  }

  std::size_t size_;
  std::vector<std::uint32_t> left_;
};

TEST_CASE("the bisection of a torus is the least cut by a plane through its middle") {
  for (const std::vector<std::uint32_t>& dimensions : std::vector<std::vector<std::uint32_t>>{
           {2}, {5}, {8}, {2, 3}, {3, 4}, {5, 5}, {2, 2, 2}, {4, 2, 3}, {1, 6, 1}}) {
    const Torus torus{dimensions};
    const auto nodes = static_cast<std::size_t>(places(torus));
    std::uint32_t fewest = UINT32_MAX;
    std::size_t stride = 1;
    for (const std::uint32_t size : dimensions) {
      const auto first_half = [&](std::size_t node) { return node / stride % size < size / 2; };
      if (size > 1) fewest = std::min(fewest, LeastCut(graph_of(torus), nodes, first_half).links());
      stride *= size;
    }
    CAPTURE(dimensions);
    CHECK(bisection_links(torus) == fewest);
  }
  CHECK(bisection_links(Torus{{1, 1}}) == 0);
  CHECK(bisection_links(Torus{{40, 32, 32}}) == 2048);
}

TEST_CASE("the bisection of a fat tree is the least cut between the halves under its top") {
  struct Case {
    FatTree tree;
    std::size_t under;  ///< nodes in a subtree of the topmost switches with several
  };
  for (const auto& [tree, under] :
       std::vector<Case>{{{{24}, {1}, {1}}, 1},
                         {{{5}, {1}, {2}}, 1},
                         {{{4, 3}, {1, 2}, {1, 2}}, 4},
                         {{{4, 4}, {1, 2}, {1, 1}}, 4},
                         {{{3, 5, 2}, {1, 2, 3}, {1, 1, 1}}, 15},
                         {{{2, 1, 4}, {1, 2, 1}, {1, 2, 1}}, 2},
                         {{{4, 3, 1}, {1, 2, 2}, {1, 1, 1}}, 4},
                         {{{2, 2, 2, 2}, {1, 2, 1, 2}, {1, 1, 1, 1}}, 8}}) {
    const auto nodes = static_cast<std::size_t>(places(tree));
    const std::size_t in_half = nodes / under / 2 * under;
    LeastCut cut(graph_of(tree), nodes, [&](std::size_t node) { return node < in_half; });
    CAPTURE(describe(tree));
    CHECK(bisection_links(tree) == cut.links());
  }
  CHECK(bisection_links(FatTree{{1}, {1}, {1}}) == 0);
  CHECK(bisection_links(Crossbar{7}) == 3);
}

/// The routers come after the nodes.
NetworkGraph whole_graph_of(const Dragonfly& dragonfly) {
  const auto nodes = static_cast<std::size_t>(places(dragonfly));
  NetworkGraph graph(nodes + nodes / dragonfly.nodes_per_router);
  for (std::size_t node = 0; node < nodes; ++node)
    graph.connect(node, nodes + node / dragonfly.nodes_per_router);
  const auto lay = [&](std::size_t a, std::size_t b, std::uint32_t links, bool /*blue*/) {
    graph.connect(nodes + a, nodes + b, links);
  };
  for_each_cable(dragonfly, lay);
  return graph;
}

TEST_CASE("the bisection of a dragonfly is the least cut between the halves of its groups") {
  struct Case {
    Dragonfly dragonfly;
    std::size_t parts;  ///< that are halved: groups, chassis, routers or nodes
  };
  for (const auto& [dragonfly, parts] : std::vector<Case>{{{4, 2, 3, 2, 1, 1, 1}, 4},
                                                          {{5, 1, 2, 1, 1, 1, 1}, 5},
                                                          {{3, 2, 2, 3, 2, 3, 2}, 3},
                                                          {{7, 1, 3, 2, 1, 1, 1}, 7},
                                                          {{1, 4, 3, 2, 1, 1, 1}, 4},
                                                          {{1, 3, 2, 4, 1, 1, 1}, 3},
                                                          {{1, 3, 2, 4, 1, 2, 1}, 3},
                                                          {{1, 1, 6, 4, 1, 1, 1}, 6},
                                                          {{1, 1, 5, 1, 1, 1, 1}, 5},
                                                          {{1, 1, 1, 5, 1, 1, 1}, 5}}) {
    const auto nodes = static_cast<std::size_t>(places(dragonfly));
    const std::size_t in_half = nodes / parts * (parts / 2);
    LeastCut cut(whole_graph_of(dragonfly), nodes,
                 [&](std::size_t node) { return node < in_half; });
    CAPTURE(describe(dragonfly));
    CHECK(bisection_links(dragonfly) == cut.links());
  }
}

}  // namespace
}  // namespace faultline::platform
