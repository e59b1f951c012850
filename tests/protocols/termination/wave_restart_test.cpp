// SPDX-License-Identifier: Apache-2.0

// 4C: when a process passes a REPEAT on.

#include <catch2/catch.hpp>

#include "tests/protocols/termination/random_run.hpp"

namespace faultline::termination {

using namespace test;

TEST_CASE("four-counter: an active rank holds the wave back when paced by idleness, by hand") {
  // Rank 0 ends at 1000 with a message to rank 1 under way: the first wave fails. Its REPEAT finds
  // rank 1 at work until 1512. Passed on at once, rank 3 has long stopped by then; otherwise rank 1
  // still has to ask it, for two messages of 24 bytes.
  for (const scenario::EngineKind engine : engines()) {
    const auto run = [engine](const std::string& restart) {
      Job job(4);
      job.script(Family::workload,
                 [](ActorId self) {
                   Handlers handlers;
                   handlers.start = [self](ScriptContext& context) {
                     if (self == 0) context.compute(1000);
                   };
                   handlers.compute_done = [self](ScriptContext& context, std::uint64_t) {
                     if (self == 0) context.send(1, 0, 0);
                   };
                   handlers.message = [](ScriptContext& context, const Message&) {
                     context.compute(500);
                   };
                   return handlers;
                 },
                 {.traits = WorkloadTraits{.starts_at_root = true}});
      job.detector("four-counter", {{"restart", restart}});
      return job.run(engine);
    };
    const Seen at_once = run("immediate");
    const Seen paced = run("idle-paced");
    for (const Seen& seen : {at_once, paced}) {
      CHECK(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.metric("waves") == 3);
      CHECK(seen.metric("control_messages") == 3 * 3 + 2 * 3 + 3);
      CHECK(seen.violations().empty());
    }
    CHECK(paced.metric("announce_time_s") - at_once.metric("announce_time_s") ==
          Approx(2 * 12.24).margin(1e-3));
  }
}

TEST_CASE("four-counter: no wrong announcement in random runs paced by idleness") {
  const DetectorUnderTest paced = registered("four-counter", {{"restart", "idle-paced"}});
  CHECK(counterexample(paced, scenario::EngineKind::loggp, 800) == "");
}

TEST_CASE("ranks that were idle and became active are counted for every detector") {
  // Rank 1 handles two messages, one of them while it computes; rank 0 none.
  for (const std::string& detector : detectors()) {
    Job job(2);
    job.script(Family::workload,
               [](ActorId self) {
                 Handlers handlers;
                 handlers.start = [self](ScriptContext& context) {
                   if (self == 0) context.compute(100);
                 };
                 handlers.compute_done = [self](ScriptContext& context, std::uint64_t tag) {
                   if (self == 1) return;
                   context.send(1, 0, 0);
                   if (tag == 0) context.compute(20, 1);
                 };
                 handlers.message = [](ScriptContext& context, const Message&) {
                   context.compute(50);
                 };
                 return handlers;
               },
               {.traits = WorkloadTraits{.starts_at_root = true}});
    job.detector(detector);
    const Seen seen = job.run();
    INFO(detector);
    CHECK(seen.metric("busy_transitions") == 1);
    CHECK(seen.metric("idle_transitions") == 2 + 1);
  }
}

}  // namespace faultline::termination
