// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "analysis/exploration/exploration.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

TEST_CASE("safra by hand: without any work one probe proves it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.detector("safra", {{"control_bytes", 0}});
    const Seen seen = job.run(engine);
    // The token reaches rank 2 at 12, rank 1 at 24 and the root at 36, which tells rank 1, and a
    // second later, when that has been sent, rank 2.
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.metric("announce_time_s") == Approx(49).epsilon(time_tolerance(engine)));
    CHECK(seen.metric("control_messages.token") == 3);
    CHECK(seen.metric("control_messages.announce") == 2);
    CHECK(seen.metric("waves") == 1);
  }
}

TEST_CASE("safra keeps its promise in random runs, and every probe takes P messages") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(200, engine); ++seed) {
      const auto processes = static_cast<std::uint32_t>(2 + seed % 16);
      Job job(processes, quick_machine());
      job.spec.platform.ordering =
          seed % 2 == 0 ? scenario::Ordering::fifo : scenario::Ordering::unordered;
      job.workload("random-tree", {{"minimum_height", 5},
                                   {"task_mapping", std::string("random")},
                                   {"task_compute_s", 1e-5}});
      job.detector("safra");
      const Seen seen = job.run(engine, seed);
      CAPTURE(engine_word(engine), seed, engine::outcome_word(seen.result.outcome));
      // The auditor knows the truth: had safra been early, this would be `premature`.
      REQUIRE(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.metric("control_messages") == seen.metric("waves") * processes + processes - 1);
    }
}

TEST_CASE("the invariant of EWD998 holds in every state of all task graphs with up to 3 messages") {
  Job job(3);
  job.workload("random-tree",
               {{"most_messages", 3}, {"pauses", true}, {"choices", std::string("all")}});
  job.detector("safra");
  const exploration::ExplorationResult result =
      exploration::explore({.spec = exploration::explored_spec(job.spec)});
  if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
}

TEST_CASE("safra can be named in a scenario, as anything that is registered") {
  const scenario::Scenario scenario = scenario::parse_scenario(R"({"schema_version": 1,
    "platform": {"machine": "mira", "processes": 64, "processes_per_node": 16},
    "workload": {"name": "token-ring", "stop_probability": 0.01},
    "termination": [{"name": "safra"}, {"name": "cda"}]})",
                                                               "safra.json");
  REQUIRE(scenario.points.size() == 2);
  const engine::RunResult result =
      engine::run_simulation(scenario.points[0], scenario::EngineKind::loggp, scenario.seed, 0);
  CHECK(result.outcome == engine::Outcome::terminated);
  CHECK(scenario::scenario_schema().find("\"safra\"") != std::string::npos);
}

}  // namespace faultline::termination
