// SPDX-License-Identifier: Apache-2.0

// The clock, the order of events, and what keeps a run alive.

#include <catch2/catch.hpp>

#include "sim/engine/events/schedule.hpp"

namespace faultline::engine {

TEST_CASE("an end of a computation keeps a run alive until it comes, and a wake-up does not") {
  Schedule schedule;
  schedule.add(2.0, EventKind::compute_done, 4, 1);
  schedule.add(1.0, EventKind::wake, 4, 0);
  CHECK(schedule.foreground() == 1);
  const Event wake = schedule.take_next();
  CHECK(wake.kind() == EventKind::wake);
  schedule.begin(wake);
  CHECK(schedule.foreground() == 1);
  const Event done = schedule.take_next();
  CHECK(schedule.foreground() == 1);  // it has been taken out, and has not begun
  schedule.begin(done);
  CHECK(schedule.foreground() == 0);
  CHECK(schedule.background() == 0);
  CHECK(schedule.empty());
}

TEST_CASE("messages and timers keep a run alive in the foreground or in the background") {
  Schedule schedule;
  Message heartbeat{};
  heartbeat.flags = kBackground;
  const Message work{};
  schedule.keep_alive(heartbeat);
  schedule.keep_alive(work);
  schedule.keep_alive(true);
  CHECK(schedule.foreground() == 1);
  CHECK(schedule.background() == 2);
  schedule.let_go(work);
  schedule.let_go(true);
  CHECK(schedule.foreground() == 0);
  CHECK(schedule.background() == 1);
}

TEST_CASE("events at one time come in the order in which they were added, and copies alike") {
  Schedule schedule;
  for (std::uint32_t actor = 0; actor < 5; ++actor) schedule.add(1.0, EventKind::wake, actor, 0);
  Schedule copy = schedule;
  schedule.add(1.0, EventKind::wake, 5, 0);
  copy.add(1.0, EventKind::wake, 6, 0);
  for (std::uint32_t actor = 0; actor < 5; ++actor) {
    CHECK(schedule.take_next().at.actor == actor);
    CHECK(copy.take_next().at.actor == actor);
  }
  CHECK(schedule.take_next().at.actor == 5);
  CHECK(copy.take_next().at.actor == 6);
}

}  // namespace faultline::engine
