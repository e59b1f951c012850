// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/topology.hpp"

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"
#include "tests/platform/network_graph.hpp"

namespace faultline::platform {
namespace {

using Catch::Matchers::Contains;

constexpr double kHopLatency_s = 1e-7;
constexpr double kLinkBandwidth_Bps = 4e8;

/// Pairs whose route differs from the shortest way through the cables; all pairs are tried.
template <typename Shape>
std::uint32_t pairs_not_shortest(const Shape& shape) {
  const Topology topology(shape, kHopLatency_s, kLinkBandwidth_Bps);
  const auto graph = graph_of(shape);
  std::uint32_t differences = 0;
  for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
    const auto distances = graph.distances(from);
    for (std::uint32_t to = 0; to < topology.nodes(); ++to) {
      differences += topology.route(from, to).hops != distances[to];
      differences += topology.hops(from, to) != distances[to];
    }
  }
  return differences;
}

TEST_CASE("torus routes are shortest ways, in 1 to 6 dimensions of odd and even sizes") {
  const auto dimensions = GENERATE(values<std::vector<std::uint32_t>>({{1},
                                                                       {2},
                                                                       {3},
                                                                       {17},
                                                                       {64},
                                                                       {600},
                                                                       {1, 7},
                                                                       {7, 1},
                                                                       {2, 2},
                                                                       {5, 4},
                                                                       {31, 20},
                                                                       {8, 8, 8},
                                                                       {10, 3, 7},
                                                                       {1, 2, 1},
                                                                       {2, 2, 2},
                                                                       {9, 1, 9},
                                                                       {3, 4, 5, 6},
                                                                       {4, 4, 4, 4, 2},
                                                                       {2, 3, 4, 3, 2},
                                                                       {3, 2, 3, 2, 3, 2},
                                                                       {1, 1, 1, 1, 1, 5}}));
  CHECK(pairs_not_shortest(Torus{dimensions}) == 0);
}

TEST_CASE("fat tree routes are shortest ways") {
  const auto tree = GENERATE(values<FatTree>({{{24}, {1}, {1}},
                                              {{1}, {1}, {1}},
                                              {{4, 3}, {1, 2}, {1, 2}},
                                              {{3, 5, 2}, {1, 2, 3}, {1, 1, 1}},
                                              {{2, 1, 4}, {1, 2, 1}, {1, 2, 1}},
                                              {{2, 2, 2, 2}, {1, 2, 2, 2}, {1, 1, 1, 1}},
                                              {{20, 9, 3}, {1, 8, 18}, {1, 2, 1}}}));
  CHECK(pairs_not_shortest(tree) == 0);
}

TEST_CASE("crossbar routes go up and down one link") {
  CHECK(pairs_not_shortest(FatTree{{5}, {1}, {1}}) == 0);
  const Topology topology(Crossbar{5}, kHopLatency_s, kLinkBandwidth_Bps);
  CHECK(topology.nodes() == 5);
  for (std::uint32_t from = 0; from < 5; ++from) {
    for (std::uint32_t to = 0; to < 5; ++to) CHECK(topology.hops(from, to) == (from == to ? 0 : 2));
  }
}

TEST_CASE("dragonfly routes are the shortest ways over at most one blue link") {
  // Groups, chassis, routers and nodes; with fewer and with more groups than a chassis or a whole
  // group has routers.
  const auto shape = GENERATE(values<std::vector<std::uint32_t>>({{1, 1, 1, 4},
                                                                  {1, 1, 5, 2},
                                                                  {1, 4, 3, 2},
                                                                  {5, 1, 6, 2},
                                                                  {4, 3, 5, 2},
                                                                  {3, 4, 1, 1},
                                                                  {6, 3, 2, 1},
                                                                  {7, 1, 3, 2},
                                                                  {13, 2, 3, 1},
                                                                  {9, 1, 1, 2}}));
  const Dragonfly dragonfly{.groups = shape[0],
                            .chassis_per_group = shape[1],
                            .routers_per_chassis = shape[2],
                            .nodes_per_router = shape[3]};
  CAPTURE(describe(dragonfly));
  CHECK(pairs_not_shortest(dragonfly) == 0);
}

TEST_CASE(
    "a dragonfly of more groups than routers of a chassis has blue links on further chassis") {
  // Groups of 96 routers, as Cray's machines have them. Router 14 of a group stands in its first
  // chassis, router 20 in its second.
  const Dragonfly dragonfly{
      .groups = 30, .chassis_per_group = 6, .routers_per_chassis = 16, .nodes_per_router = 4};
  CHECK(blue_router(dragonfly, 14) == 14);
  CHECK(blue_router(dragonfly, 20) == 20);
  CHECK(blue_router(Dragonfly{.groups = 30, .chassis_per_group = 2, .routers_per_chassis = 5},
                    27) == 7);
  const Topology topology(dragonfly, kHopLatency_s, kLinkBandwidth_Bps);
  const auto node = [](std::uint32_t group, std::uint32_t router) {
    return (group * 96 + router) * 4;
  };
  CHECK(topology.hops(node(0, 20), node(20, 0)) == 3);
  CHECK(topology.hops(node(0, 16), node(20, 0)) == 4);   // green to the blue link
  CHECK(topology.hops(node(0, 4), node(20, 16)) == 5);   // black to it, black behind it
  CHECK(topology.hops(node(0, 95), node(20, 95)) == 7);  // both on either side
}

TEST_CASE("the links of a torus route lead from its first node to its last one") {
  const auto sizes = GENERATE(values<std::vector<std::uint32_t>>(
      {{2}, {5}, {6}, {1, 7}, {4, 3}, {2, 2, 2}, {3, 4, 5}, {4, 3, 2, 2, 3}}));
  const Topology topology(Torus{sizes}, kHopLatency_s, kLinkBandwidth_Bps);
  CHECK(topology.links() == std::size_t{2} * topology.nodes() * sizes.size());
  for (std::uint32_t from = 0; from < topology.nodes(); ++from)
    for (std::uint32_t to = 0; to < topology.nodes(); ++to) {
      if (to == from) continue;
      std::uint32_t at = from;
      std::uint32_t count = 0;
      topology.for_each_link(from, to, [&](std::size_t link) {
        CHECK(link / topology.ports() == at);
        if (count++ == 0) CHECK(link % topology.ports() == topology.port(from, to));
        const std::size_t dimension = link % topology.ports() / 2;
        std::uint32_t stride = 1;
        for (std::size_t lower = 0; lower < dimension; ++lower) stride *= sizes[lower];
        const std::uint32_t coordinate = at / stride % sizes[dimension];
        const std::uint32_t step = link % 2 == 0 ? 1 : sizes[dimension] - 1;
        at += (coordinate + step) % sizes[dimension] * stride;
        at -= coordinate * stride;
      });
      CHECK(at == to);
      CHECK(count == topology.hops(from, to));
    }
}

TEST_CASE("the links of a dragonfly route are as many as its hops, and no two places share one") {
  const Dragonfly dragonfly{
      .groups = 4, .chassis_per_group = 3, .routers_per_chassis = 5, .nodes_per_router = 2};
  const Topology topology(dragonfly, kHopLatency_s, kLinkBandwidth_Bps);
  const std::uint32_t nodes = topology.nodes();
  const std::uint32_t of_group = nodes / dragonfly.groups;
  std::vector<std::uint32_t> used(topology.links());
  for (std::uint32_t from = 0; from < nodes; ++from)
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (to == from) continue;
      std::uint32_t count = 0;
      topology.for_each_link(from, to, [&](std::size_t link) {
        REQUIRE(link < used.size());
        ++used[link];
        ++count;
      });
      CHECK(count == topology.hops(from, to));
    }
  for (std::uint32_t node = 0; node < 2 * nodes; ++node) CHECK(used[node] == nodes - 1);
  // The last ones are blue: each carries what goes from one group to another.
  for (std::uint32_t a = 0; a < dragonfly.groups; ++a)
    for (std::uint32_t b = 0; b < dragonfly.groups; ++b)
      CHECK(used[used.size() - 16 + std::size_t{a} * 4 + b] == (a == b ? 0 : of_group * of_group));
  // The green link from router 4 to router 0 of the first chassis of group 0: neither of the two
  // has a blue link that the group uses, so it carries what two nodes send to three routers.
  const std::size_t green = 2 * std::size_t{nodes} + std::size_t{4} * dragonfly.routers_per_chassis;
  CHECK(used[green] == 2 * 2 * 3);
}

TEST_CASE("a route's latency is that of its links and its bandwidth that of one link") {
  const Topology topology(Torus{{8, 8, 8}}, kHopLatency_s, kLinkBandwidth_Bps);
  const Route far = topology.route(0, 4 + 8 * 4 + 64 * 4);
  CHECK(far == Route{12 * kHopLatency_s, kLinkBandwidth_Bps, 12});
  CHECK(topology.route(77, 77) == Route{0, kLinkBandwidth_Bps, 0});
}

TEST_CASE("the longest rings and the largest machines fit") {
  const Topology ring(Torus{{65536}}, kHopLatency_s, kLinkBandwidth_Bps);
  CHECK(ring.hops(0, 32768) == 32768);
  CHECK(ring.hops(65535, 0) == 1);
  CHECK(ring.hops(1, 65000) == 537);
  const Topology mira(Torus{{8, 12, 16, 16, 2}}, kHopLatency_s, kLinkBandwidth_Bps);
  CHECK(mira.nodes() == 49152);
  CHECK(mira.hops(0, 4 + 8 * (6 + 12 * (8 + 16 * (8 + 16 * 1)))) == 27);
  CHECK(mira.hops(49151, 0) == 5);
}

TEST_CASE("routes are those of the table where there is one") {
  const std::vector<Route> routes = {{0, 1e9, 0}, {1e-6, 2e8, 3}, {2e-6, 1e8, 4}};
  const Topology topology(RouteTable{2, routes, {0, 1, 2, 0}});
  CHECK(topology.nodes() == 2);
  CHECK(topology.route(0, 1) == routes[1]);
  CHECK(topology.route(1, 0) == routes[2]);
  CHECK(topology.hops(1, 0) == 4);
  CHECK(topology.route(1, 1) == routes[0]);
  CHECK_THROWS_AS(Topology(RouteTable{2, routes, {0, 1, 2}}), UsageError);
  CHECK_THROWS_AS(Topology(RouteTable{2, routes, {0, 1, 3, 0}}), UsageError);
  CHECK_THROWS_AS(Topology(RouteTable{}), UsageError);
}

TEST_CASE("sizes that are not a topology are refused by name") {
  const auto refused = [](const TopologySpec& spec, const std::string& reason) {
    CHECK_THROWS_WITH(check_topology(spec), Contains(reason));
    CHECK_THROWS_AS(Topology(spec, kHopLatency_s, kLinkBandwidth_Bps), UsageError);
  };
  refused(Torus{}, "dimensions of a torus must not be empty");
  refused(Torus{{4, 0, 4}}, "must be positive, got 4, 0, 4");
  refused(Torus{{2, 2, 2, 2, 2, 2, 2}}, "at most 6 dimensions");
  refused(Torus{{65537}}, "at most 65536");
  refused(Torus{{65536, 65536}}, "65536x65536 is too large");
  refused(Torus{{5000, 5000}}, "more than 16777216 places");
  refused(FatTree{{4, 4}, {1}, {1, 1}}, "one entry for each level");
  refused(FatTree{{4}, {0}, {1}}, "parents of a fat tree must be positive");
  refused(FatTree{{4000000000, 4000000000}, {1, 1}, {1, 1}}, "too large");
  refused(Dragonfly{}, "dragonfly must be positive");
  refused(
      Dragonfly{
          .groups = 4097, .chassis_per_group = 1, .routers_per_chassis = 1, .nodes_per_router = 1},
      "at most 4096 groups, got 4097");
  refused(Crossbar{}, "nodes of a crossbar must be positive");
  refused(Crossbar{4000000000}, "more than 16777216 places");
}

TEST_CASE("a dragonfly whose routes SimGrid could not list in time is refused by name") {
  Dragonfly dragonfly{
      .groups = 62, .chassis_per_group = 8, .routers_per_chassis = 16, .nodes_per_router = 2};
  CHECK_THROWS_WITH(check_simgrid_can_hold(dragonfly),
                    Contains("engine simgrid cannot hold a dragonfly 62x8x16x2") &&
                        Contains("routes between routers of its groups are 1015808") &&
                        Contains("at most 1000000"));
  dragonfly.groups = 61;
  CHECK_NOTHROW(check_simgrid_can_hold(dragonfly));
  dragonfly.nodes_per_router = 4;
  CHECK_THROWS_WITH(check_simgrid_can_hold(dragonfly),
                    Contains("places for nodes times its routers are 243859456"));
  CHECK_NOTHROW(check_simgrid_can_hold(Torus{{256, 256, 256}}));
}

TEST_CASE("a topology is described by its kind and sizes") {
  CHECK(describe(Torus{{40, 32, 32}}) == "torus 40x32x32");
  CHECK(describe(FatTree{{20, 9}, {1, 8}, {1, 2}}) == "fat tree 20x9");
  CHECK(describe(Crossbar{66}) == "crossbar 66");
  CHECK(
      describe(Dragonfly{
          .groups = 7, .chassis_per_group = 6, .routers_per_chassis = 16, .nodes_per_router = 4}) ==
      "dragonfly 7x6x16x4");
}

}  // namespace
}  // namespace faultline::platform
