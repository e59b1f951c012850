// SPDX-License-Identifier: Apache-2.0

// Which ranks are ready for the next world, and from which checkpoint all can go on there.

#include "protocols/transactions/roll_call.hpp"

#include <catch2/catch.hpp>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace faultline::transactions {

namespace {

/// A survivor of the first world that has its checkpoints up to `saved`, and keeps some for others.
Ready ready_survivor(ActorId actor, std::uint64_t saved, std::uint64_t oldest,
                     std::vector<checkpoints::HeldPoints> held = {}) {
  return {{actor, 0}, {{}, saved, oldest, 0, actor}, std::move(held)};
}
Ready ready_new(Incarnation process, std::uint64_t saved = 0, std::uint64_t oldest = 0) {
  return {process, {{}, saved, oldest, 1, kNobody}, {}};
}

RollCall roll_of(const std::vector<Ready>& all) {
  RollCall roll;
  for (const Ready& ready : all) roll.put(ready);
  return roll;
}

}  // namespace

TEST_CASE("an earlier report that comes late does not replace a later one") {
  Ready later = ready_survivor(1, 8, 4);
  later.words.epoch = {2, 2};
  Ready early = ready_survivor(1, 4, 0);
  early.words.epoch = {1, 1};
  RollCall roll = roll_of({later, early, ready_survivor(0, 8, 4)});
  REQUIRE(std::distance(roll.begin(), roll.end()) == 2);
  CHECK(roll.begin()->from.actor == 0);
  CHECK(std::next(roll.begin())->words.saved == 8);
  roll.erase({1, 0});
  CHECK(std::distance(roll.begin(), roll.end()) == 1);
}

TEST_CASE(
    "a world that replaces the dead needs all the living and the new "
    "processes") {
  WorldMembers members(3, 0);
  members.add_dead({2, 0});
  CHECK(!roll_of({ready_survivor(1, 0, 0)}).is_complete(members, false));
  CHECK(roll_of({ready_survivor(1, 0, 0), ready_new({2, 1})}).is_complete(members, false));
  CHECK(!roll_of({ready_survivor(1, 0, 0), ready_survivor(2, 0, 0)}).is_complete(members, false));
  members.add_dead({2, 1});  // the new process has died, too
  CHECK(!roll_of({ready_survivor(1, 0, 0), ready_new({2, 1})}).is_complete(members, false));
}

TEST_CASE("a world that shrinks needs the living alone") {
  WorldMembers members(3, 0);
  CHECK(!roll_of({ready_survivor(1, 0, 0)}).is_complete(members, true));
  members.add_dead({2, 0});
  CHECK(roll_of({ready_survivor(1, 0, 0)}).is_complete(members, true));
}

TEST_CASE(
    "a checkpoint in a common storage is there for all as soon as one "
    "knows it") {
  CHECK(point_in_storage(ready_survivor(0, 4, 0),
                         roll_of({ready_survivor(1, 8, 4), ready_new({2, 1})})) == 8);
}

TEST_CASE("on the nodes, all go on from the latest checkpoint that each has") {
  const Ready own = ready_survivor(0, 8, 4);
  CHECK(point_on_nodes(own, roll_of({ready_survivor(1, 4, 0)}), false) == 4);
  CHECK(point_on_nodes(own, roll_of({ready_survivor(1, 8, 4), ready_new({2, 1}, 4, 0)}), false) ==
        4);
  CHECK(point_on_nodes(own, roll_of({ready_new({2, 1})}), false) == std::nullopt);
}

TEST_CASE(
    "on the nodes, a checkpoint that all take together is complete if "
    "any rank says so") {
  const Ready own = ready_survivor(0, 4, 0);
  CHECK(point_on_nodes(own, roll_of({ready_survivor(1, 8, 4), ready_new({2, 1}, 8, 4)}), true) ==
        8);
  // A rank may have written the next one, of which nobody knows that it is complete.
  CHECK(point_on_nodes(own, roll_of({ready_survivor(1, 8, 4), ready_new({2, 1}, 12, 8)}), true) ==
        8);
  CHECK(point_on_nodes(own, roll_of({ready_survivor(1, 8, 4), ready_new({2, 1})}), true) ==
        std::nullopt);
}

TEST_CASE("with partners, a copy takes the place of the data of the dead") {
  WorldMembers members(3, 0);
  members.add_dead({2, 0});
  const RollCall roll = roll_of({ready_survivor(1, 8, 4), ready_new({2, 1})});
  CHECK(point_with_partners(ready_survivor(0, 8, 4, {{2, {4, 8}}}), roll, members, false) == 8);
  CHECK(point_with_partners(ready_survivor(0, 8, 4, {{2, {4}}}), roll, members, false) == 4);
  CHECK(point_with_partners(ready_survivor(0, 8, 4), roll, members, false) == std::nullopt);
  CHECK(point_with_partners(ready_survivor(0, 8, 4), roll, members, true) == 8);
}

TEST_CASE(
    "with partners, all begin again if a rank has died before its first "
    "checkpoint") {
  WorldMembers members(3, 0);
  members.add_dead({2, 0});
  const RollCall roll = roll_of({ready_survivor(1, 4, 0), ready_new({2, 1})});
  CHECK(point_with_partners(ready_survivor(0, 4, 0), roll, members, false) == 0);
}

}  // namespace faultline::transactions
