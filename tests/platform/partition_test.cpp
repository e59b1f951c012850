// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "sim/core/error.hpp"
#include "sim/platform/topology.hpp"

namespace faultline::platform {
namespace {

using Catch::Matchers::Contains;
using Sizes = std::vector<std::uint32_t>;

Machine machine_of(const TopologySpec& topology, std::uint32_t nodes = 0) {
  Machine machine;
  machine.name = "test";
  machine.topology = topology;
  machine.nodes = nodes == 0 ? static_cast<std::uint32_t>(places(topology)) : nodes;
  return machine;
}

Sizes box(const Sizes& dimensions, std::uint32_t nodes) {
  return std::get<Torus>(partition(machine_of(Torus{dimensions}), nodes)).dimensions;
}

std::uint32_t diameter(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0U,
                         [](std::uint32_t sum, std::uint32_t size) { return sum + size / 2; });
}

TEST_CASE("a job on a torus takes the box of fewest places and least diameter") {
  const Sizes intrepid = {40, 32, 32};
  CHECK(box(intrepid, 1) == Sizes{1, 1, 1});
  CHECK(box(intrepid, 8) == Sizes{2, 2, 2});
  CHECK(box(intrepid, 16) == Sizes{2, 2, 4});
  CHECK(box(intrepid, 27) == Sizes{3, 3, 3});
  CHECK(box(intrepid, 256) == Sizes{4, 8, 8});
  CHECK(box(intrepid, 512) == Sizes{8, 8, 8});
  CHECK(box(intrepid, 1024) == Sizes{8, 8, 16});
  CHECK(box(intrepid, 4096) == Sizes{16, 16, 16});
  CHECK(box({8, 12, 16, 16, 2}, 512) == Sizes{4, 4, 4, 4, 2});
  CHECK(box({8, 12, 16, 16, 2}, 32) == Sizes{2, 2, 2, 2, 2});
  CHECK(box({100}, 7) == Sizes{7});
}

TEST_CASE("a job of an awkward number of nodes does not get a strip of the torus") {
  const Sizes intrepid = {40, 32, 32};
  CHECK(box(intrepid, 31) == Sizes{2, 4, 4});
  CHECK(box(intrepid, 62) == Sizes{3, 3, 7});
  CHECK(box(intrepid, 61) == Sizes{3, 3, 7});
}

TEST_CASE("every job size gives a box that fits, suffices and is nearly as tight as any") {
  const auto dimensions = GENERATE(
      values<Sizes>({{40, 32, 32}, {25, 32, 24}, {8, 12, 16, 16, 2}, {5, 1, 7}, {3, 300}, {97}}));
  const Machine machine = machine_of(Torus{dimensions});
  std::mt19937 random(7);
  std::uniform_int_distribution<std::uint32_t> sizes(1, machine.nodes);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t nodes = sizes(random);
    const TopologySpec part = partition(machine, nodes);
    const Sizes sides = std::get<Torus>(part).dimensions;
    CAPTURE(dimensions, nodes, sides);
    REQUIRE(sides.size() == dimensions.size());
    for (std::size_t d = 0; d < sides.size(); ++d) CHECK(sides[d] <= dimensions[d]);
    CHECK(places(part) >= nodes);
    CHECK(diameter(sides) <= diameter(dimensions));
    CHECK(part == partition(machine, nodes));
  }
}

TEST_CASE("no box with fewer places is as tight as the one chosen") {
  const Sizes limits = {6, 5, 7};
  const Machine machine = machine_of(Torus{limits});
  for (std::uint32_t nodes = 1; nodes < machine.nodes; ++nodes) {
    const TopologySpec part = partition(machine, nodes);
    const Sizes chosen = std::get<Torus>(part).dimensions;
    for (std::uint32_t x = 1; x <= limits[0]; ++x) {
      for (std::uint32_t y = 1; y <= limits[1]; ++y) {
        for (std::uint32_t z = 1; z <= limits[2]; ++z) {
          const std::uint32_t volume = x * y * z;
          if (volume < nodes || diameter({x, y, z}) > diameter(chosen)) continue;
          CAPTURE(nodes, chosen, x, y, z);
          CHECK(volume >= places(part));
          if (volume == places(part)) CHECK(diameter({x, y, z}) == diameter(chosen));
        }
      }
    }
  }
}

TEST_CASE("the whole machine keeps its topology, places without a node included") {
  const Machine jaguar = machine_of(Torus{{25, 32, 24}}, 18688);
  CHECK(partition(jaguar, 18688) == jaguar.topology);
  CHECK(partition(jaguar, 10, true) == jaguar.topology);
  CHECK(partition(jaguar, 10) != jaguar.topology);
}

TEST_CASE("a job on a fat tree takes the first leaves and what they need above") {
  const FatTree stampede{{20, 9, 36}, {1, 8, 18}, {1, 2, 1}};
  const auto part = [&stampede](std::uint32_t nodes) {
    return std::get<FatTree>(partition(machine_of(stampede, 6400), nodes));
  };
  CHECK(part(7) == FatTree{{7}, {1}, {1}});
  CHECK(part(20) == FatTree{{20}, {1}, {1}});
  CHECK(part(21) == FatTree{{20, 2}, {1, 8}, {1, 2}});
  CHECK(part(180) == FatTree{{20, 9}, {1, 8}, {1, 2}});
  CHECK(part(181) == FatTree{{20, 9, 2}, {1, 8, 18}, {1, 2, 1}});
  CHECK(part(1024) == FatTree{{20, 9, 6}, {1, 8, 18}, {1, 2, 1}});
  CHECK(part(6400) == stampede);
}

TEST_CASE("a job on a dragonfly stays within a router, chassis or group while it can") {
  const Dragonfly cori{.groups = 7,
                       .chassis_per_group = 6,
                       .routers_per_chassis = 16,
                       .nodes_per_router = 4,
                       .blue_links = 2};
  const auto part = [&cori](std::uint32_t nodes) {
    const auto cut = std::get<Dragonfly>(partition(machine_of(cori, 2388), nodes));
    CHECK(cut.blue_links == 2);
    return Sizes{cut.groups, cut.chassis_per_group, cut.routers_per_chassis, cut.nodes_per_router};
  };
  CHECK(part(3) == Sizes{1, 1, 1, 3});
  CHECK(part(4) == Sizes{1, 1, 1, 4});
  CHECK(part(5) == Sizes{1, 1, 2, 4});
  CHECK(part(64) == Sizes{1, 1, 16, 4});
  CHECK(part(65) == Sizes{1, 2, 16, 4});
  CHECK(part(384) == Sizes{1, 6, 16, 4});
  CHECK(part(385) == Sizes{2, 6, 16, 4});
  CHECK(part(2388) == Sizes{7, 6, 16, 4});
}

TEST_CASE("a job on a crossbar takes as many ports as nodes") {
  CHECK(partition(machine_of(Crossbar{66}), 5) == TopologySpec(Crossbar{5}));
}

TEST_CASE("a job of no nodes, or of more than the machine has, is refused by name") {
  const Machine jaguar = machine_of(Torus{{25, 32, 24}}, 18688);
  CHECK_THROWS_WITH(partition(jaguar, 0), Contains("at least one node"));
  CHECK_THROWS_WITH(partition(jaguar, 18689), Contains("needs 18689 nodes, the machine has 18688"));
  CHECK_THROWS_AS(partition(jaguar, 18689, true), UsageError);
  const Machine boastful = machine_of(Crossbar{4}, 9);
  CHECK_THROWS_WITH(partition(boastful, 5), Contains("the machine has 4"));
}

}  // namespace
}  // namespace faultline::platform
