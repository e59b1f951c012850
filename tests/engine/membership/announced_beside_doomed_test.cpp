// SPDX-License-Identifier: Apache-2.0

// An announcement while a rank still works that was declared dead, and will be ended for that.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/engine/membership/erring.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 2 computes until it is ended, and sends to rank 1 at 7 s, which gets that at 19 s. Rank 1
/// computes for `rank_1_s`. Rank 0 announces at 6 s.
Seen announced(scenario::EngineKind engine, const std::vector<Report>& reports,
               double rank_1_s = 0.0, bool fences = true) {
  Job job(3);
  err(job, reports);
  if (fences) fence_after(job, 20);
  job.script(Family::workload, [&job, rank_1_s](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == 1 && rank_1_s > 0.0) context.compute(rank_1_s);
      if (self != 2) return;
      context.compute(7, 1);
      context.compute(1000, 2);
    };
    handlers.compute_done = [self](ScriptContext& context, std::uint64_t tag) {
      if (self == 2 && tag == 1) context.send(1, 0, 0);
    };
    handlers.message = [&job](ScriptContext& context, const Message&) { job.note(context, "got"); };
    return handlers;
  });
  job.script(Family::termination, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.set_timer(1, 6);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
    return handlers;
  });
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 50;
  return job.run(engine);
}

const std::vector<Report> kByBoth{{5, 0, 2}, {5, 1, 2}};

}  // namespace

TEST_CASE("an announcement is right if nothing goes on but what will be ended, and is refused") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = announced(engine, kByBoth);
    CHECK(seen.violations().empty());
    CHECK(seen.count("got") == 0);
    CHECK(seen.metric("fenced_alive") == 1);
  }
}

TEST_CASE("it was premature if a rank that will live handles a message of the one that will not") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = announced(engine, {{5, 0, 2}});
    REQUIRE(seen.result.violations.size() == 1);
    CHECK(seen.result.violations.front().kind == "premature");
    CHECK(seen.result.violations.front().actor == 0);
    CHECK(seen.result.violations.front().time_s == Approx(6));
    CHECK(seen.count("got") == 1);
  }
}

TEST_CASE("an announcement is premature if a rank goes on that nobody will end") {
  for (const scenario::EngineKind engine : engines()) {
    for (const Seen& seen : {announced(engine, kByBoth, 20), announced(engine, kByBoth, 0, false),
                             announced(engine, {})}) {
      REQUIRE(!seen.result.violations.empty());
      CHECK(seen.result.violations.front().kind == "premature");
      CHECK(seen.result.violations.front().time_s == Approx(6));
    }
  }
}

}  // namespace faultline::engine
