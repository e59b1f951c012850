// SPDX-License-Identifier: Apache-2.0

// Which processes are in a world, and which of them are dead.

#include "protocols/transactions/world_members.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace faultline::transactions {

namespace {

/// The world of four in which process 1 is new, as rank 3.
std::shared_ptr<const WorldNews> news_of_merged() {
  World world(4);
  world.shrink({1});
  world.append(1);
  return std::make_shared<const WorldNews>(WorldNews{world, {{{1, 1}}, {1}, 0}, 1});
}

}  // namespace

TEST_CASE("a process of the start is in the first world, in which nobody is new") {
  const WorldMembers members(3, 2);
  CHECK(members.rank() == 2);
  CHECK(members.life_of(1) == 0);
  CHECK(!members.is_fresh(1));
  CHECK(members.has(2));
  CHECK(!members.has(3));
  CHECK(members.leader() == 0);
}

TEST_CASE(
    "the first live rank leads, and a process that knows of no other "
    "leads itself") {
  WorldMembers members(3, 2);
  CHECK(members.add_dead({0, 0}));
  CHECK(members.leader() == 1);
  CHECK(members.add_dead({1, 0}));
  CHECK(members.leader() == 2);
  CHECK(members.add_dead({2, 0}));  // the others have agreed that it is dead
  CHECK(members.leader() == 2);
}

TEST_CASE("a death is noted once, and a later one of the actor replaces it") {
  WorldMembers members(3, 0);
  CHECK(members.add_dead({1, 0}));
  CHECK(!members.add_dead({1, 0}));
  CHECK(members.has_died({1, 0}));
  CHECK(!members.has_died({1, 1}));
  CHECK(members.add_dead({1, 1}));
  CHECK(!members.add_dead({1, 0}));
  CHECK(members.dead() == std::vector<Incarnation>{{1, 1}});
}

TEST_CASE(
    "a new world knows its processes, and forgets the dead that it has "
    "replaced") {
  WorldMembers members(4, 0);
  members.add_dead({1, 0});
  members.add_dead({2, 0});
  members.enter({1, 1}, news_of_merged());
  CHECK(members.life_of(1) == 1);
  CHECK(members.is_fresh(1));
  CHECK(members.is_replaced({1, 0}));
  CHECK(!members.is_replaced({1, 1}));
  CHECK(members.dead() == std::vector<Incarnation>{{2, 0}});
  CHECK(members.is_gone(1));  // rank 1 is process 2 now
  CHECK(members.actors_of({1, 3}) == std::vector<ActorId>{2, 1});
}

TEST_CASE("a process that a world has left out is dead in it") {
  WorldMembers members(3, 0);
  members.add_dead({1, 0});
  const World smaller = members.next("shrink");
  CHECK(smaller.size() == 2);
  members.enter({1, 1}, std::make_shared<const WorldNews>(WorldNews{smaller, {{}, {}, 0}, 1}));
  CHECK(members.dead().empty());
  CHECK(members.is_dead(1));
  CHECK(members.is_past({1, 0}));
}

TEST_CASE(
    "the next world has new processes in the places of the dead, behind "
    "all, or none") {
  WorldMembers members(4, 0);
  members.add_dead({1, 0});
  CHECK(members.next("rebuild").actor_of(1) == 1);
  CHECK(members.next("merge").actor_of(1) == 2);
  CHECK(members.next("merge").actor_of(3) == 1);
  CHECK(members.next("shrink").size() == 3);
  CHECK(members.next("shrink").actor_of(1) == 2);
}

}  // namespace faultline::transactions
