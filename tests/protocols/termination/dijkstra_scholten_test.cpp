// SPDX-License-Identifier: Apache-2.0

// Dijkstra-Scholten on small cases that were worked out on paper.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/by_hand.hpp"

namespace faultline::termination {

using namespace test;

namespace {

Seen run(const std::vector<Doing>& doings, std::uint32_t processes, bool starts_at_root,
         scenario::EngineKind engine) {
  Job job(processes);
  follow(job, doings, starts_at_root);
  job.detector("dijkstra-scholten", {{"control_bytes", 0}});
  return job.run(engine);
}

}  // namespace

TEST_CASE("dijkstra-scholten by hand: one message") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{1, 1}}}}, 2, true, engine);
    // Handled at 12, acknowledged at 24, announced to rank 1 at 36.
    CHECK(announced_s(seen) == by_hand(36, engine));
    CHECK(seen.metric("termination_time_s") == by_hand(12, engine));
    CHECK(seen.metric("detection_latency_s") == by_hand(24, engine));
    CHECK(control(seen, "acknowledge") == 1);
    CHECK(seen.metric("control_messages") == 2);
    CHECK(seen.metric("engagements") == 1);
  }
}

TEST_CASE("dijkstra-scholten by hand: a chain that comes back to the root") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{1, 1}}},
                           {.rank = 1, .on = 1, .sends = {{2, 2}}},
                           {.rank = 2, .on = 2, .sends = {{0, 3}}}},
                          3, true, engine);
    // The root gets it at 36 and owes it at once: rank 2 is free at 48, rank 1 at 60, the root at
    // 72; it tells rank 1 by 84 and rank 2, one send overhead later, by 85.
    CHECK(announced_s(seen) == by_hand(85, engine));
    CHECK(seen.metric("termination_time_s") == by_hand(36, engine));
    CHECK(control(seen, "acknowledge") == 3);
    CHECK(control(seen, "announce") == 2);
    CHECK(seen.metric("engagements") == 2);
  }
}

TEST_CASE("dijkstra-scholten by hand: a parent that sends twice gets two acknowledgements") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen =
        run({{.rank = 0, .sends = {{1, 1}, {1, 2}}}, {.rank = 1, .on = 1, .compute_s = 100}}, 2,
            true, engine);
    // The second is acknowledged at 13, the one that engaged rank 1 when it is idle, at 112.
    CHECK(announced_s(seen) == by_hand(136, engine));
    CHECK(control(seen, "acknowledge") == 2);
    CHECK(seen.metric("engagements") == 1);
  }
}

TEST_CASE("dijkstra-scholten by hand: a rank that is free again is engaged again") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{1, 1}, {1, 2}}}}, 2, true, engine);
    // Handled at 12 and, as the first acknowledgement is being sent until 13, at 14: the second
    // acknowledgement is there at 26.
    CHECK(announced_s(seen) == by_hand(38, engine));
    CHECK(control(seen, "acknowledge") == 2);
    CHECK(seen.metric("engagements") == 2);
  }
}

TEST_CASE("dijkstra-scholten by hand: a message to itself is acknowledged like any other") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .sends = {{0, 1}}}}, 2, true, engine);
    // Within a node 4 s: handled at 4, acknowledged at 8; announced to rank 1 at 20.
    CHECK(announced_s(seen) == by_hand(20, engine));
    CHECK(control(seen, "acknowledge") == 1);
  }
}

TEST_CASE("dijkstra-scholten by hand: where all start with work the root has engaged them") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({}, 3, false, engine);
    // Two acknowledgements at 12, the second handled at 13; announced at 25 and 26.
    CHECK(announced_s(seen) == by_hand(26, engine));
    CHECK(control(seen, "acknowledge") == 2);
    CHECK(control(seen, "announce") == 2);
  }
}

TEST_CASE("dijkstra-scholten by hand: a single process announces when its work is done") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({{.rank = 0, .compute_s = 7}}, 1, true, engine);
    CHECK(announced_s(seen) == by_hand(7, engine));
    CHECK(seen.metric("control_messages") == 0);
  }
}

TEST_CASE("dijkstra-scholten says when a rank outside the computation sends") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen =
        run({{.rank = 0, .compute_s = 100}, {.rank = 1, .sends = {{0, 1}}}}, 2, true, engine);
    // Nobody has died: the workload is not what this detector is made for.
    CHECK(seen.result.outcome == engine::Outcome::violated);
    CHECK(seen.violations() == Words{"needless-fatal"});
    CHECK(seen.result.fatal_reason.find("outside the diffusing computation") != std::string::npos);
  }
}

}  // namespace faultline::termination
