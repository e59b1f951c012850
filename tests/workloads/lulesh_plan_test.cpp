// SPDX-License-Identifier: Apache-2.0

// LULESH over MPI: the messages of its exchanges, against nodes and zones that domains share.

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "workloads/lulesh_plan.hpp"

namespace faultline::workloads {

namespace {

using Messages = std::map<std::pair<Rank, Rank>, std::uint64_t>;

/// Bytes by sender and receiver, as the receivers or the senders have them.
Messages all_messages(const LuleshPlan& plan, std::size_t exchange, bool of_senders) {
  Messages messages;
  const Rank ranks = plan.side() * plan.side() * plan.side();
  for (Rank rank = 0; rank < ranks; ++rank) {
    const HaloExchange halo = plan.halo(rank, exchange);
    for (const HaloNeighbour& other : of_senders ? halo.sends : halo.receives) {
      const auto ends = of_senders ? std::pair(rank, other.rank) : std::pair(other.rank, rank);
      REQUIRE(messages.insert({ends, other.bytes}).second);
    }
  }
  return messages;
}

Rank owner_of_zone(std::array<std::uint32_t, 3> zone, std::uint32_t side, std::uint32_t zones) {
  return zone[0] / zones + side * (zone[1] / zones + side * (zone[2] / zones));
}

/// How many nodes each two domains have in common: a node belongs to the domains of all zones
/// around it.
Messages shared_nodes(std::uint32_t side, std::uint32_t zones) {
  Messages shared;
  const std::uint32_t last = side * zones;
  const auto around = [last](std::uint32_t node) {
    std::vector<std::uint32_t> found;
    if (node > 0) found.push_back(node - 1);
    if (node < last) found.push_back(node);
    return found;
  };
  for (std::uint32_t z = 0; z <= last; ++z)
    for (std::uint32_t y = 0; y <= last; ++y)
      for (std::uint32_t x = 0; x <= last; ++x) {
        std::set<Rank> domains;
        for (const std::uint32_t k : around(z))
          for (const std::uint32_t j : around(y))
            for (const std::uint32_t i : around(x))
              domains.insert(owner_of_zone({i, j, k}, side, zones));
        for (const Rank a : domains)
          for (const Rank b : domains)
            if (a != b) ++shared[{a, b}];
      }
  return shared;
}

/// How many zones of each domain lie face to face with one of another.
Messages facing_zones(std::uint32_t side, std::uint32_t zones) {
  Messages facing;
  const std::uint32_t count = side * zones;
  for (std::uint32_t z = 0; z < count; ++z)
    for (std::uint32_t y = 0; y < count; ++y)
      for (std::uint32_t x = 0; x < count; ++x)
        for (std::size_t d = 0; d < 3; ++d) {
          std::array<std::uint32_t, 3> next{x, y, z};
          if (++next[d] == count) continue;
          const Rank a = owner_of_zone({x, y, z}, side, zones);
          const Rank b = owner_of_zone(next, side, zones);
          if (a == b) continue;
          ++facing[{a, b}];
          ++facing[{b, a}];
        }
  return facing;
}

Messages scaled(Messages counts, std::uint64_t factor) {
  for (auto& [ends, count] : counts) count *= factor;
  return counts;
}

/// Only what goes to a rank with a lower number.
Messages downwards(Messages messages) {
  std::erase_if(messages,
                [](const auto& message) { return message.first.first < message.first.second; });
  return messages;
}

}  // namespace

TEST_CASE("lulesh: messages carry the nodes and zones that domains share", "[lulesh]") {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> cases{{1, 3}, {2, 1}, {2, 3},
                                                                   {3, 2}, {4, 1}, {3, 4}};
  for (const auto& [side, zones] : cases) {
    CAPTURE(side, zones);
    const LuleshPlan plan(side * side * side, zones, true);
    REQUIRE(plan.exchanges().size() == 4);
    const Messages nodes = shared_nodes(side, zones);
    const std::array<Messages, 4> expected{scaled(nodes, 24), downwards(scaled(nodes, 48)),
                                           scaled(facing_zones(side, zones), 24),
                                           downwards(scaled(nodes, 48))};
    for (std::size_t exchange = 0; exchange < expected.size(); ++exchange) {
      CHECK(all_messages(plan, exchange, true) == expected[exchange]);
      CHECK(all_messages(plan, exchange, false) == expected[exchange]);
    }
  }
}

TEST_CASE("lulesh: 1,000 ranks send 20,952 + 10,476 + 5,400 messages a step", "[lulesh]") {
  const LuleshPlan plan(1000, 50, false);
  REQUIRE(plan.side() == 10);
  REQUIRE(plan.exchanges().size() == 3);
  CHECK(all_messages(plan, 0, true).size() == 20952);
  CHECK(all_messages(plan, 1, true).size() == 10476);
  CHECK(all_messages(plan, 2, true).size() == 5400);
  CHECK(LuleshPlan(1000, 50, true).exchanges().size() == 4);
}

TEST_CASE("lulesh: sizes with 50^3 zones, and the neighbours of an inner rank", "[lulesh]") {
  const LuleshPlan plan(1000, 50, false);
  const Rank inner = 555;
  const auto sizes = [&](std::size_t exchange) {
    std::map<std::uint64_t, int> counts;
    for (const HaloNeighbour& to : plan.halo(inner, exchange).sends) ++counts[to.bytes];
    return counts;
  };
  CHECK(sizes(0) == std::map<std::uint64_t, int>{{62424, 6}, {1224, 12}, {24, 8}});
  CHECK(sizes(1) == std::map<std::uint64_t, int>{{124848, 3}, {2448, 6}, {48, 4}});
  CHECK(sizes(2) == std::map<std::uint64_t, int>{{60000, 6}});
  CHECK(plan.halo(inner, 1).sends.size() == 13);
  CHECK(plan.halo(inner, 1).receives.size() == 13);
  CHECK(static_cast<double>(plan.state_bytes()) == Approx(11.4e6).epsilon(0.005));
}

TEST_CASE("lulesh: ranks that form no cube are refused", "[lulesh]") {
  CHECK(cube_side(1) == 1U);
  CHECK(cube_side(27) == 3U);
  CHECK(cube_side(1000) == 10U);
  CHECK_FALSE(cube_side(999));
  CHECK_FALSE(cube_side(0xffffffffU));
  CHECK(lulesh_problems(64).empty());
  REQUIRE(lulesh_problems(30).size() == 1);
  CHECK(lulesh_problems(30)[0].message ==
        "lulesh-mpi needs a cube of platform.processes, such as 27 or 64");
  CHECK(lulesh_problems(2)[0].message ==
        "lulesh-mpi needs a cube of platform.processes, such as 1 or 8");
}

}  // namespace faultline::workloads
