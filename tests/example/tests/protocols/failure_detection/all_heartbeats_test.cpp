// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/protocols/failure_detection/detector_runs.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr double kPeriod_s = 0.01;
constexpr double kTimeout_s = 0.025;
/// Far above the time of a few messages on quick_machine, far below a period.
constexpr double kFewMessages_s = 1e-4;

void use_all_heartbeats(Job& job) {
  job.use(Family::failure_detection, "all-heartbeats",
          {{"heartbeat_period_s", kPeriod_s}, {"timeout_s", kTimeout_s}});
}

}  // namespace

TEST_CASE("all-heartbeats: everybody hears of a death from eta - delta to eta after it") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(40, engine); ++seed) {
      Job job(5, quick_machine());
      note_deaths(job);
      use_all_heartbeats(job);
      job.kill(0.1, {3});
      stop_at(job, 0.2);
      const Seen seen = job.run(engine, seed);
      CAPTURE(engine_word(engine), seed);
      const Times told = told_s(seen, 3);
      REQUIRE(told.size() == 4);
      CHECK(told.front() > 0.1 + kTimeout_s - kPeriod_s);
      CHECK(told.back() <= 0.1 + kTimeout_s + kFewMessages_s);
      CHECK(messages(seen, "verdict") == 4);
      CHECK(seen.metric("false_reports") == 0);
      CHECK(seen.metric("missed_reports") == 0);
    }
}

TEST_CASE("all-heartbeats: a process that is too slow is told to stop") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    note_deaths(job);
    use_all_heartbeats(job);
    job.spec.slow = {{.nodes = {2}, .factor = 1e5, .from_s = 0.1, .to_s = 0.2}};
    stop_at(job, 0.5);
    const Seen seen = job.run(engine);
    CHECK(told_s(seen, 2).size() == 4);
    CHECK(seen.metric("false_reports") >= 1);
    CHECK(seen.metric("failed_ranks") == 1);
  }
}

TEST_CASE("all-heartbeats: a rank that is started again before the timeout is dead once") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5, quick_machine());
    job.script(Family::workload, [&job](ActorId self) {
      return Handlers{
          .start =
              [self](ScriptContext& context) {
                if (self == 0) context.set_timer(1, 0.11);
              },
          .timer =
              [](ScriptContext& context, std::uint64_t) {
                context.restart({3, 0}, RestartOn::same_node);
              },
          .peer_failed = [&job](ScriptContext& context,
                                Incarnation peer) { job.note(context, "failed", peer.actor); }};
    });
    use_all_heartbeats(job);
    job.kill(0.1, {3});
    stop_at(job, 0.3);
    const Seen seen = job.run(engine);
    CHECK(told_s(seen, 3).size() == 4);
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("missed_reports") == 0);
  }
}

TEST_CASE("all-heartbeats: indep ends over it, and the auditor agrees") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(100, engine); ++seed) {
      const auto processes = static_cast<std::uint32_t>(3 + seed % 8);
      Job job(processes, quick_machine());
      job.workload("random-tree", {{"minimum_height", 5},
                                   {"task_mapping", std::string("random")},
                                   {"task_compute_s", 1e-5}});
      job.detector("indep");
      use_all_heartbeats(job);
      job.kill(1e-5 * static_cast<double>(seed), {1 + static_cast<Rank>(seed) % (processes - 1)});
      const Seen seen = job.run(engine, seed);
      CAPTURE(engine_word(engine), seed, engine::outcome_word(seen.result.outcome));
      const bool ended = seen.result.outcome == engine::Outcome::terminated ||
                         seen.result.outcome == engine::Outcome::fatal_reported;
      REQUIRE(ended);
      CHECK(seen.metric("false_reports") == 0);
    }
}

}  // namespace faultline::failure_detection
