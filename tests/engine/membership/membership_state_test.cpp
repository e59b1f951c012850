// SPDX-License-Identifier: Apache-2.0

// Which notices of a death nobody will hear of any more; which nodes are in operation.

#include "sim/engine/membership/membership_state.hpp"

#include <catch2/catch.hpp>

#include "sim/engine/events/schedule.hpp"

namespace faultline::engine {

namespace {

/// A notice for actor 0 of the first death.
Event notice(EventKind kind) {
  Schedule schedule;
  schedule.add(0.0, kind, 0, 0);
  return schedule.take_next();
}

/// Rank 1 is dead.
MembershipState one_death() {
  MembershipState state{faults::FaultPlan({}, JobShape{}), 0};
  state.deaths().add({.dead = {1, 0}, .daemon = {}, .time_s = 0.0, .silent = false});
  return state;
}

}  // namespace

TEST_CASE("the dead hear of nothing, and a connection that is closed does not break") {
  const MembershipState state = one_death();
  LargeVector<ActorState> actors(1);
  ActorState& listener = actors[0];
  CHECK_FALSE(state.has_no_effect(notice(EventKind::exit_notice), actors));
  CHECK_FALSE(state.has_no_effect(notice(EventKind::local_exit), actors));
  CHECK(state.has_no_effect(notice(EventKind::link_lost), actors));
  listener.rare().links = {{1, 1}};
  CHECK(state.has_no_effect(notice(EventKind::link_lost), actors));
  listener.rare().links = {{1, 0}};
  CHECK_FALSE(state.has_no_effect(notice(EventKind::link_lost), actors));
  listener.alive = false;
  for (const EventKind kind : {EventKind::exit_notice, EventKind::local_exit, EventKind::link_lost})
    CHECK(state.has_no_effect(notice(kind), actors));
}

TEST_CASE("a notice is about who is dead, and a restart about who starts again") {
  MembershipState state = one_death();
  CHECK(state.await({{2, 0}, 3, RestartOn::spare_node, {0, 0}}) == 0);
  CHECK(state.subject_of(notice(EventKind::exit_notice)) == Incarnation{1, 0});
  CHECK(state.subject_of(notice(EventKind::restart)) == Incarnation{2, 0});
}

TEST_CASE("a restart that waits for a death is taken when that has come, and no other is") {
  MembershipState state = one_death();
  state.await({{3, 0}, kNoNode, RestartOn::spare_node, {0, 0}});  // waits for a repair
  const std::uint32_t number = state.await_death({{2, 0}, kNoNode, RestartOn::spare_node, {0, 0}});
  CHECK_FALSE(state.take_waiting({3, 0}));
  CHECK(state.take_waiting({2, 0}) == number);
  CHECK_FALSE(state.take_waiting({2, 0}));
}

TEST_CASE("a node that fails again during its repair is back after the last repair") {
  MembershipState state{faults::FaultPlan({}, JobShape{}), 2};
  CHECK(state.is_up(1, 0.0));
  CHECK_FALSE(state.is_repaired(1, 0.0));
  state.fail(1, 8.0);
  state.fail(1, 5.0);
  CHECK_FALSE(state.is_up(1, 7.0));
  CHECK(state.repair_s(1, 7.0) == 8.0);
  CHECK(state.repair_s(1, 8.0) == kNever);
  CHECK(state.repair_s(0, 7.0) == kNever);
  CHECK_FALSE(state.is_repaired(1, 7.0));
  CHECK(state.is_up(1, 8.0));
  CHECK(state.is_repaired(1, 8.0));
  CHECK_FALSE(state.is_repaired(0, 8.0));
}

TEST_CASE("the first strike and the last are known") {
  MembershipState state{faults::FaultPlan({}, JobShape{}), 0};
  CHECK(state.strikes().count == 0);
  for (const double time_s : {2.0, 3.0, 5.0}) state.note_strike(time_s);
  CHECK(state.strikes().count == 3);
  CHECK(state.strikes().first_s == 2.0);
  CHECK(state.strikes().last_s == 5.0);
}

}  // namespace faultline::engine
