// SPDX-License-Identifier: Apache-2.0

// erring-oracle: one false report at its moment, to one rank or to all, and real deaths as oracle.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

using Ranks = std::vector<std::int64_t>;

constexpr double kReport_s = 3.0;
constexpr double kDeath_s = 30.0;
constexpr double kEnd_s = 100.0;

/// Four ranks, of which 1 takes 2 for dead after 3 s; rank 3 really dies after 30 s.
Seen run_erring(scenario::EngineKind engine, bool spreads) {
  Job job(4);
  job.script(Family::workload, [&job](ActorId) {
    return Handlers{.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
    }};
  });
  job.use(Family::failure_detection, "erring-oracle",
          {{"report_s", kReport_s}, {"spreads", spreads}, {"delay_s", 1.0}});
  job.kill(kDeath_s, {3});
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = kEnd_s;
  return job.run(engine);
}

}  // namespace

TEST_CASE(
    "erring-oracle errs towards the reporter alone, and tells all live ranks of real deaths") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run_erring(engine, false);
    INFO(engine_word(engine));
    CHECK(seen.values(0, "failed") == Ranks{3});
    CHECK(seen.values(1, "failed") == Ranks{2, 3});
    CHECK(seen.values(2, "failed") == Ranks{3});
    CHECK(seen.times_s(1, "failed").front() == Approx(kReport_s));
    CHECK(seen.times_s(0, "failed").front() == Approx(kDeath_s + 1.0));
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("detection_messages") == 0);
  }
}

TEST_CASE("erring-oracle spreads its mistake to all ranks, and the accused stops") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run_erring(engine, true);
    INFO(engine_word(engine));
    CHECK(seen.values(0, "failed") == Ranks{2, 3});
    CHECK(seen.values(1, "failed") == Ranks{2, 3});
    CHECK(seen.values(2, "failed").empty());  // it has stopped before rank 3 dies
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("detection_messages") == 3);
  }
}

}  // namespace faultline::failure_detection
