// SPDX-License-Identifier: Apache-2.0

// Which parts a machine has that fail as a whole, and how many nodes each holds.
#include "sim/platform/hardware.hpp"

#include <catch2/catch.hpp>

namespace faultline::platform {

namespace {

/// The sizes of router, rack and group; 0 where there is none.
std::vector<std::uint32_t> sizes_on(const TopologySpec& topology) {
  Machine machine;
  machine.name = "m";
  machine.topology = topology;
  std::vector<std::uint32_t> sizes;
  for (const Part part : {Part::router, Part::rack, Part::group})
    sizes.push_back(nodes_of(part, {.machine = &machine}).value_or(0));
  return sizes;
}

}  // namespace

TEST_CASE("routers, racks and groups are what the topology has of them") {
  using Sizes = std::vector<std::uint32_t>;
  CHECK(sizes_on(Torus{{8, 8, 16}}) == Sizes{1, 0, 0});
  CHECK(sizes_on(Crossbar{64}) == Sizes{64, 0, 0});
  CHECK(sizes_on(FatTree{{66}, {1}, {1}}) == Sizes{66, 0, 0});
  CHECK(sizes_on(FatTree{{20, 9}, {1, 8}, {1, 1}}) == Sizes{20, 20, 0});
  CHECK(sizes_on(FatTree{{20, 9, 36}, {1, 8, 18}, {1, 1, 1}}) == Sizes{20, 20, 180});
  CHECK(sizes_on(Dragonfly{7, 6, 16, 4}) == Sizes{4, 64, 384});
}

TEST_CASE("a power unit is stated, and every machine has nodes") {
  CHECK(nodes_of(Part::node, {}) == 1U);
  CHECK(nodes_of(Part::power_unit, {.nodes_per_power_unit = 12}) == 12U);
  CHECK_FALSE(nodes_of(Part::power_unit, {}));
  CHECK_FALSE(nodes_of(Part::router, {.nodes_per_power_unit = 12}));
}

TEST_CASE("what a machine lacks is said together with what it has") {
  Machine machine;
  machine.name = "jaguar";
  machine.topology = Torus{{4, 2}};
  CHECK(lacks(Part::rack, {.machine = &machine}) ==
        "the torus 4x2 of jaguar has no racks; expected node, router or power-unit");
  CHECK(lacks(Part::group, {}) ==
        "needs platform.machine, whose topology is known; expected node or power-unit");
  CHECK(lacks(Part::power_unit, {.machine = &machine}) ==
        "expected platform.nodes_per_power_unit beside it, the number of nodes of a power unit");
  CHECK(lacks(Part::rack, {.machine = &machine},
              {"nodes", "routers", "racks", "groups", "power_units"}) ==
        "the torus 4x2 of jaguar has no racks; expected nodes, routers or power_units");
  for (const std::string& word : part_words())
    CHECK(part_words().at(static_cast<std::size_t>(part_of_word(word))) == word);
}

}  // namespace faultline::platform
