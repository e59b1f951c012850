// SPDX-License-Identifier: Apache-2.0

// World: which actor is which rank after processes are lost and replaced.

#include "sim/core/world.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "sim/core/random.hpp"

namespace faultline {

namespace {

std::vector<ActorId> actors_of(const World& world) {
  std::vector<ActorId> actors;
  for (Rank rank = 0; rank < world.size(); ++rank) actors.push_back(world.actor_of(rank));
  return actors;
}

}  // namespace

TEST_CASE("in a new world, each rank is the actor of its number") {
  const World world(4);
  CHECK(actors_of(world) == std::vector<ActorId>{0, 1, 2, 3});
  CHECK(world.rank_of(3) == Rank{3});
  CHECK(world.rank_of(4) == std::nullopt);
  CHECK_THROWS_AS(world.actor_of(4), std::out_of_range);
}

TEST_CASE("ranks above a lost one move down, and a new process comes last (fampi-2015 Fig. 1a)") {
  World world(6);
  world.shrink({2});
  CHECK(actors_of(world) == std::vector<ActorId>{0, 1, 3, 4, 5});
  world.append(2);
  CHECK(actors_of(world) == std::vector<ActorId>{0, 1, 3, 4, 5, 2});
  CHECK(world.rank_of(5) == Rank{4});
  CHECK(world.rank_of(2) == Rank{5});
}

TEST_CASE("a world is what a list of actors is, whatever was lost and added") {
  Stream random(7, 0, Purpose::workload, 0);
  for (int run = 0; run < 200; ++run) {
    const auto size = 1 + static_cast<std::uint32_t>(random.below(12));
    World world(size);
    std::vector<ActorId> expected = actors_of(world);
    for (int change = 0; change < 6; ++change) {
      std::vector<Rank> lost;
      for (Rank rank = 0; rank < expected.size(); ++rank)
        if (random.chance(0.3)) lost.push_back(rank);
      std::vector<ActorId> dead;
      dead.reserve(lost.size());
      for (const Rank rank : lost) dead.push_back(expected[rank]);
      std::erase_if(expected, [&](ActorId actor) {
        return std::find(dead.begin(), dead.end(), actor) != dead.end();
      });
      world.shrink(lost);
      for (const ActorId actor : dead) {
        if (random.chance(0.2)) continue;
        world.append(actor);
        expected.push_back(actor);
      }
      REQUIRE(actors_of(world) == expected);
      for (ActorId actor = 0; actor < size; ++actor) {
        const auto place = std::find(expected.begin(), expected.end(), actor);
        CHECK(world.rank_of(actor).has_value() == (place != expected.end()));
        if (place != expected.end())
          CHECK(world.rank_of(actor) == static_cast<Rank>(place - expected.begin()));
      }
    }
  }
}

TEST_CASE("of two epochs, the one with more recoveries is the later one, or with more losses") {
  CHECK(WorldEpoch{1, 5} < WorldEpoch{2, 0});
  CHECK(WorldEpoch{2, 0} < WorldEpoch{2, 1});
}

}  // namespace faultline
