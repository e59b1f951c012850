// SPDX-License-Identifier: Apache-2.0

// The four-counter algorithm on small cases that were worked out on paper.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/by_hand.hpp"

namespace faultline::termination {

using namespace test;

namespace {

Seen run(const std::vector<Doing>& doings, std::uint32_t processes, scenario::EngineKind engine) {
  Job job(processes);
  follow(job, doings, true);
  job.detector("four-counter", {{"control_bytes", 0}});
  return job.run(engine);
}

}  // namespace

TEST_CASE("four-counter by hand: no work takes two waves") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({}, 3, engine);
    // STOP at 12 and 13, REPEAT at 25 and 26, STOP at 37 and 38, announced at 50 and 51.
    CHECK(announced_s(seen) == by_hand(51, engine));
    CHECK(seen.metric("termination_time_s") == 0);
    CHECK(control(seen, "stop") == 4);
    CHECK(control(seen, "repeat") == 2);
    CHECK(control(seen, "announce") == 2);
    CHECK(seen.metric("control_messages") == 8);
    CHECK(seen.metric("waves") == 2);
  }
}

TEST_CASE("four-counter by hand: a message in flight makes the first wave differ") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen =
        run({{.rank = 0, .sends = {{1, 1}}}, {.rank = 1, .on = 1, .compute_s = 100}}, 2, engine);
    // Rank 1 stops at 0 and again when it is idle, at 112; its STOP are at rank 0 at 12 (one sent,
    // none received), at 124 (one and one: not those of before) and, after a REPEAT, at 148.
    CHECK(announced_s(seen) == by_hand(160, engine));
    CHECK(seen.metric("termination_time_s") == by_hand(112, engine));
    CHECK(seen.metric("waves") == 3);
    CHECK(control(seen, "stop") == 3);
    CHECK(control(seen, "repeat") == 2);
    CHECK(control(seen, "announce") == 1);
  }
}

TEST_CASE("four-counter by hand: an inner rank waits for its children") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({}, 4, engine);
    // Rank 3 hangs under rank 1: its STOP is there at 12, theirs at the root at 24. REPEAT to rank
    // 1 at 36 and on to rank 3 at 48, whose STOP is at rank 1 at 60 and at the root at 72. The end
    // is known to rank 1 at 84, to rank 2 at 85 and to rank 3 at 96.
    CHECK(announced_s(seen) == by_hand(96, engine));
    CHECK(seen.metric("waves") == 2);
    CHECK(seen.metric("control_messages") == 2 * 3 * 2);
  }
}

TEST_CASE("four-counter by hand: the root itself holds a wave up") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .compute_s = 100}}, 2, engine);
    // One wave ends at 100, the next at 124.
    CHECK(announced_s(seen) == by_hand(136, engine));
    CHECK(seen.metric("waves") == 2);
  }
}

TEST_CASE("four-counter by hand: a single process needs no second wave") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{0, 1}}}}, 1, engine);
    CHECK(announced_s(seen) == by_hand(4, engine));
    CHECK(seen.metric("control_messages") == 0);
    CHECK(seen.metric("waves") == 1);
  }
}

}  // namespace faultline::termination
