// SPDX-License-Identifier: Apache-2.0

// Programs of TryBlocks whose failure detector is wrong: a process is declared dead while it
// stalls, is slow, or is cut off. The resource manager ends it, and the others go on as after a
// death.

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

void set_up(Job& job, std::uint32_t spares, const std::string& transactions,
            const OptionValues& options = {}) {
  job.use(Family::transactions, transactions, options);
  job.spec.platform.spare_nodes = spares;
  job.spec.stop.when = scenario::StopWhen::finished;
}

void try_blocks(Job& job, std::int64_t iterations) {
  job.workload("try-blocks",
               {{"iterations", iterations}, {"compute_s", 0.1}, {"allreduces", std::int64_t{1}}});
}

void stall(Job& job, double time_s, Rank rank, double stall_s) {
  faults::FaultSpec fault;
  fault.time_s = time_s;
  fault.ranks = {rank};
  fault.stall_s = stall_s;
  job.spec.faults.push_back(fault);
}

void watch(Job& job, const std::string& detector, double period_s, double timeout_s) {
  job.use(Family::failure_detection, detector,
          {{"heartbeat_period_s", period_s}, {"timeout_s", timeout_s}});
}

}  // namespace

TEST_CASE("relaunch replaces a rank that stalls for longer than the detector waits") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2, quick_machine());
    try_blocks(job, 3);
    set_up(job, 1, "relaunch", {{"relaunch_s", 0.5}});
    watch(job, "ulfm", 0.1, 0.3);
    stall(job, 0.15, 1, 2);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("fenced_alive") == 1);
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("a program that waits across a cut recovers when the detector has noticed the cut") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2, quick_machine());
    try_blocks(job, 2);
    set_up(job, 0, "ulfm");
    watch(job, "rdaemon", 0.1, 0.2);
    job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 0.05}};
    const Seen seen = job.run(engine);
    // One side is ended, and no node is left on which it could start again.
    CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("fenced_alive") == 1);
  }
}

TEST_CASE("a program that waits across a cut goes on when it has a spare node on its side") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2, quick_machine());
    try_blocks(job, 2);
    set_up(job, 1, "ulfm");
    watch(job, "rdaemon", 0.1, 0.2);
    job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 0.05}};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("false_reports") >= 1);
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("a program goes on although some of those that are cut off, and declared dead, give up") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8, quick_machine());
    try_blocks(job, 30);
    set_up(job, 3, "fampi",
           {{"checkpoint", std::string("storage")},
            {"checkpoint_iterations", std::int64_t{1}},
            {"request_timeout_s", 0.3},
            {"wait_timeout_s", 0.3}});
    watch(job, "rdaemon", 0.1, 0.3);
    job.spec.platform.fencing.reach = scenario::FencingReach::connected;
    job.spec.partitions = {
        {.groups = {{0, 1, 2, 3, 4, 8, 9, 10}, {5, 6, 7}}, .from_s = 0.55, .to_s = 60}};
    const Seen seen = job.run(engine);
    CAPTURE(engine_word(engine));
    // The commits of two of the three time out, long before anybody can end them. The third one
    // waits for their return, and is ended when the cut heals.
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("ranks_respawned") == 3);
    CHECK(seen.metric("fenced_alive") == 1);
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("ulfm goes on without a rank that is a million times slower than the others") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4, quick_machine());
    job.workload("try-script",
                 {{"steps", std::vector<std::string>{"try", "exchange 8 B with +1", "finish"}},
                  {"iterations", std::int64_t{3}}});
    set_up(job, 2, "ulfm");
    watch(job, "rdaemon", 0.1, 0.2);
    job.spec.slow = {{.nodes = {2}, .factor = 1e6, .from_s = 0, .to_s = 4}};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("false_reports") >= 1);
  }
}

TEST_CASE("ulfm goes on without a rank that one other takes for dead") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3, quick_machine());
    try_blocks(job, 3);
    set_up(job, 1, "ulfm");
    job.use(Family::failure_detection, "erring-oracle",
            {{"reporter", std::int64_t{0}}, {"accused", std::int64_t{2}}, {"report_s", 0.15}});
    stall(job, 0.14, 2, 1);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("false_reports") == 1);
  }
}

TEST_CASE("fampi gives up after a false report only because no node is left") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t spares : {0U, 1U}) {
      CAPTURE(engine_word(engine), spares);
      Job job(3, quick_machine());
      job.workload("minife",
                   {{"nx", std::int64_t{11}}, {"ny", std::int64_t{11}}, {"nz", std::int64_t{11}}});
      set_up(job, spares, "fampi");
      job.use(Family::failure_detection, "erring-oracle", {{"spreads", false}});
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome ==
            (spares == 0 ? engine::Outcome::fatal_reported : engine::Outcome::finished));
      CHECK(seen.violations().empty());
      CHECK(seen.metric("false_reports") == 1);
      CHECK(seen.metric("fenced_alive") == 1);
    }
}

// Ranks 0 and 1 agree that rank 2 is dead, tell it so, and die. Rank 2 begins no world of its own.
TEST_CASE("a rank that knows that the others hold it for dead waits for its end, whoever dies") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string recovery : {"fampi", "ulfm"})
      for (const double death_s : {0.05, 0.11, 0.15, 0.2, 0.4, 0.9, 1.3}) {
        CAPTURE(engine_word(engine), recovery, death_s);
        Job job(3, quick_machine());
        try_blocks(job, 4);
        set_up(job, 1, recovery);
        job.use(Family::failure_detection, "erring-oracle", {{"spreads", false}});
        faults::FaultSpec fault;
        fault.time_s = death_s;
        fault.nodes = {0, 1};
        fault.repair_s = 0.3;
        job.spec.faults.push_back(fault);
        job.spec.stop.time_s = 100;
        const Seen seen = job.run(engine);
        for (const std::string& kind : seen.violations()) CHECK(kind != "broken-invariant");
      }
}

}  // namespace faultline::transactions
