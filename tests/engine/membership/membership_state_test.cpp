// SPDX-License-Identifier: Apache-2.0

// Which notices of a death nobody will hear of any more.

#include "sim/engine/membership/membership_state.hpp"

#include <catch2/catch.hpp>

#include "sim/engine/events/schedule.hpp"

using namespace faultline;
using namespace faultline::engine;

namespace {

/// A notice for actor 0 of the first death.
Event notice(EventKind kind) {
  Schedule schedule;
  schedule.add(0.0, kind, 0, 0);
  return schedule.take_next();
}

/// Rank 1 is dead.
MembershipState one_death() {
  MembershipState state{FaultPlan({}, JobShape{})};
  state.deaths.add({.dead = {1, 0}, .daemon = {}, .time_s = 0.0, .silent = false});
  return state;
}

}  // namespace

TEST_CASE("the dead hear of nothing, and a connection that is closed does not break") {
  const MembershipState state = one_death();
  ActorState listener;
  CHECK_FALSE(state.has_no_effect(notice(EventKind::exit_notice), listener));
  CHECK_FALSE(state.has_no_effect(notice(EventKind::local_exit), listener));
  CHECK(state.has_no_effect(notice(EventKind::link_lost), listener));
  listener.rare().links = {{1, 1}};
  CHECK(state.has_no_effect(notice(EventKind::link_lost), listener));
  listener.rare().links = {{1, 0}};
  CHECK_FALSE(state.has_no_effect(notice(EventKind::link_lost), listener));
  listener.alive = false;
  for (const EventKind kind : {EventKind::exit_notice, EventKind::local_exit, EventKind::link_lost})
    CHECK(state.has_no_effect(notice(kind), listener));
}

TEST_CASE("a notice is about who is dead, and a restart about who starts again") {
  MembershipState state = one_death();
  state.pending_restarts.push_back({{2, 0}, 3, RestartOn::spare_node, {0, 0}});
  CHECK(state.subject_of(notice(EventKind::exit_notice)) == Incarnation{1, 0});
  CHECK(state.subject_of(notice(EventKind::restart)) == Incarnation{2, 0});
}
