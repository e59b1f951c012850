// SPDX-License-Identifier: Apache-2.0

// What follows the report that a live process is dead: the resource manager ends it, and only then
// does another one take its place.

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/engine/membership/erring.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;
using Catch::Matchers::Contains;

TEST_CASE("a process that is declared dead acts until the resource manager ends it") {
  for (const scenario::EngineKind engine : engines())
    for (const bool fences : {false, true}) {
      Job job(3);
      err(job, {{5, 0, 1}});
      talk(job, 38);
      if (fences) fence_after(job, 10);
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), fences);
      // Rank 2 knows of nothing, and gets what rank 1 sends until then, at 4, 8 and 12 s. Each is
      // handled 12 s later, the last two after the end of rank 1: nothing of it is lost.
      CHECK(seen.times_s(2, "got 1").size() == (fences ? 3 : 9));
      CHECK(seen.metric("false_reports") == 1);
      CHECK(seen.metric("failed_ranks") == (fences ? 1 : 0));
      CHECK(seen.metric("faults_struck") == 0);
      if (fences) {
        CHECK(seen.metric("fenced_alive") == 1);
        CHECK(seen.times_s(2, "got 1").back() > 23);
      }
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("whoever has declared a process dead is told nothing when it is ended, others hear") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.use(Family::failure_detection, "erring-oracle",
            {{"reporter", std::int64_t{0}},
             {"accused", std::int64_t{1}},
             {"report_s", 5.0},
             {"delay_s", 2.0},
             {"spreads", false}});
    talk(job, 38);
    fence_after(job, 10);
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "failed 1"), {5}, engine));
    CHECK(close(seen.times_s(2, "failed 1"), {17}, engine));
    CHECK(seen.metric("missed_reports") == 0);
  }
}

TEST_CASE("a process starts again only when its former life has ended") {
  for (const scenario::EngineKind engine : engines())
    for (const RestartOn where : {RestartOn::same_node, RestartOn::spare_node}) {
      Job job(3);
      job.spec.platform.spare_nodes = 1;
      job.spec.platform.restart_delay_s = 4;
      err(job, {{5, 0, 1}});
      talk(job, 58, where);
      fence_after(job, 10);
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine));
      CHECK(seen.values(1, "start") == Values{0, 1});
      CHECK(close(seen.times_s(1, "start"), {0, 19}, engine));
      CHECK(seen.values(1, "on") == Values{1, where == RestartOn::same_node ? 1 : 3});
      CHECK(seen.values(0, "restarted 1") == Values{1});
      CHECK(close(seen.times_s(0, "restarted 1"), {19}, engine));
      CHECK(seen.metric("fenced_alive") == 1);
      CHECK(seen.metric("failed_ranks") == 0);
    }
}

TEST_CASE("what is known of the first life is not held against the second") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.platform.restart_delay_s = 4;
    // Rank 2 declares the first life dead when the second one lives already.
    err(job, {{5, 0, 1}, {30, 2, 1}});
    talk(job, 58, RestartOn::same_node);
    fence_after(job, 10);
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "failed 1") == Values{0});
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("fenced_alive") == 1);
    CHECK(seen.values(1, "start") == Values{0, 1});
    // What the second life sends reaches rank 2 to the end, and nothing of it is refused.
    const Values lives = seen.values(2, "got 1");
    CHECK(std::count(lives.begin(), lives.end(), 0) == 3);
    CHECK(std::count(lives.begin(), lives.end(), 1) == 9);
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("a restart for which no node is left is refused when the process is ended") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    err(job, {{5, 0, 1}});
    talk(job, 30, RestartOn::spare_node);
    fence_after(job, 10);
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "refused 1"), {15}, engine));
    CHECK(seen.values(1, "start") == Values{0});
  }
}

TEST_CASE("all who have asked for the restart of a living process are answered when it is dead") {
  for (const scenario::EngineKind engine : engines())
    for (const bool dies : {false, true})
      for (const std::uint32_t spares : {0U, 1U}) {
        Job job(4);
        job.spec.platform.spare_nodes = spares;
        err(job, {{5, 0, 1}, {6, 2, 1}, {7, 3, 1}});
        talk(job, 58, RestartOn::spare_node);
        fence_after(job, 10);
        if (dies) job.kill(9, {0});
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), dies, spares);
        if (spares == 0) {
          for (const ActorId asker : {0U, 2U, 3U})
            CHECK(seen.values(asker, "refused 1").size() == (dies && asker == 0 ? 0 : 1));
        } else {  // the manager grants one request, and tells the first that has asked and lives
          CHECK(close(seen.times_s(dies ? 2 : 0, "restarted 1"), {15}, engine));
          CHECK(close(seen.times_s(1, "start"), {0, 15}, engine));
        }
      }
}

TEST_CASE("a fault that comes before the fence answers the request, and no fence follows") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    err(job, {{5, 0, 1}});
    talk(job, 58, RestartOn::same_node);
    fence_after(job, 10);
    job.kill(8, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "start"), {0, 8}, engine));
    CHECK(seen.metric("fenced_alive") == 0);
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("the restart of a process that nobody ends waits, and a run that is stuck says so") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        context.declare_work(1);
        if (self == 0) context.restart(Incarnation{.actor = 1});
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::deadlock);
    REQUIRE(seen.result.violations.size() == 1);
    CHECK_THAT(seen.result.violations[0].detail,
               Contains("the restart of 1 for 0 waits, because it lives and nobody ends it"));
  }
}

TEST_CASE("of two that accuse each other, the one that is accused first is ended") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    err(job, {{5, 2, 1}, {6, 1, 2}, {7, 1, 0}, {8, 0, 1}});
    talk(job, 38);
    fence_after(job, 10);
    const Seen seen = job.run(engine);
    CHECK(seen.metric("false_reports") == 3);
    CHECK(seen.metric("fenced_alive") == 1);
    CHECK(seen.times_s(0, "got 2").size() == 9);
  }
}

TEST_CASE("the fence of a daemon takes the ranks of its node along, and counts them") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    talk(job, 38);
    err(job, {{5, 4, 5}}, std::nullopt, Residence::daemons);
    fence_after(job, 10);
    const Seen seen = job.run(engine);
    CHECK(seen.metric("fenced_alive") == 2);
    CHECK(seen.metric("failed_ranks") == 2);
  }
}

TEST_CASE("a manager that reaches its own side of a cut alone ends the others when it heals") {
  for (const scenario::EngineKind engine : engines())
    for (const double heals_s : {30.0, kNever}) {
      Job job(3);
      // Both sides accuse each other. That of node 0 is believed, although it is later.
      err(job, {{5, 2, 0}, {6, 0, 2}});
      talk(job, 58);
      fence_after(job, 10, scenario::FencingReach::connected);
      job.spec.partitions = {{.groups = {{0}, {2}}, .from_s = 2, .to_s = heals_s}};
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 70;
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), heals_s);
      const bool heals = heals_s < kNever;
      CHECK(seen.metric("fenced_alive") == (heals ? 1 : 0));
      CHECK(seen.times_s(1, "got 0").size() == 14);  // rank 0 lives to the end
      CHECK(seen.metric("failed_ranks") == (heals ? 1 : 0));
    }
}

TEST_CASE("a node in no group of a cut is reached by all, and a cut between ranks by the manager") {
  for (const scenario::EngineKind engine : engines())
    for (const bool of_ranks : {false, true}) {
      Job job(3);
      err(job, {{5, 0, 1}});
      talk(job, 38);
      fence_after(job, 10, scenario::FencingReach::connected);
      job.spec.partitions = {
          {.of_ranks = of_ranks, .groups = {{0}, {of_ranks ? 1U : 2U}}, .from_s = 2}};
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 50;
      CHECK(job.run(engine).metric("fenced_alive") == 1);
    }
}

TEST_CASE("the manager fences where message logging or transactions recover, unless told not to") {
  Job job(3);
  CHECK_FALSE(job.spec.fences());
  job.use(Family::message_logging, "checkpoint-restart");
  CHECK(job.spec.fences());
  job.spec.platform.fencing.by = scenario::FencedBy::nobody;
  CHECK_FALSE(job.spec.fences());
  Job other(3);
  other.use(Family::transactions, "ulfm");
  CHECK(other.spec.fences());
}

TEST_CASE("a fence is a step of its own, which may come before or after any other") {
  Job job(3);
  err(job, {{1, 0, 1}});
  talk(job, 3);
  fence_after(job, 10);
  StepwiseEngine engine(run_job(without_costs(job.spec), 1, 0));
  const auto place_of_fence = [&engine] {
    const std::vector<Choice>& agenda = engine.agenda();
    const auto found = std::find_if(agenda.begin(), agenda.end(),
                                    [](const Choice& one) { return one.kind == EventKind::fence; });
    return found == agenda.end() ? std::nullopt : std::optional(found - agenda.begin());
  };
  engine.begin();
  CHECK_FALSE(place_of_fence());
  const StateDigest before = engine.digest();
  take_timer(engine, 0);
  CHECK(engine.digest() != before);
  REQUIRE(place_of_fence());
  const Choice fence = engine.agenda()[static_cast<std::size_t>(*place_of_fence())];
  CHECK(fence.actor == 1);
  const RunState accused = engine.state().copy();
  engine.take(static_cast<std::size_t>(*place_of_fence()));
  CHECK_FALSE(engine.state().actors[1].alive);
  CHECK_FALSE(place_of_fence());
  engine.go_on_from(accused);
  engine.kill(1);  // it dies otherwise, and there is nobody to be ended
  CHECK_FALSE(place_of_fence());
}

}  // namespace faultline::engine
