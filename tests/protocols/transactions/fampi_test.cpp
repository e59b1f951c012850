// SPDX-License-Identifier: Apache-2.0

// FA-MPI on both engines: the cost of a commit, and deaths at every stage.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// MiniFE under fampi, on nodes of one rank, with a detector and spare nodes.
void set_up_fampi(Job& job, const OptionValues& fampi = {}, const OptionValues& minife = {}) {
  OptionValues program{{"nx", std::int64_t{8}},
                       {"ny", std::int64_t{8}},
                       {"nz", std::int64_t{8}},
                       {"iterations", std::int64_t{4}}};
  for (const auto& [name, value] : minife) program[name] = value;
  job.workload("minife", program);
  job.use(Family::transactions, "fampi", fampi);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 3;
  job.spec.stop.when = scenario::StopWhen::finished;
}

double right_digest(std::uint32_t processes) {
  Job job(processes, quick_machine());
  set_up_fampi(job);
  return job.run().metric("state_digest");
}

double commits(const Seen& seen) {
  return seen.metric("control_messages.up") + seen.metric("control_messages.down");
}

}  // namespace

TEST_CASE("a commit is 2 (P - 1) messages, or 4 (P - 1) in two phases") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {1U, 2U, 7U, 16U})
      for (const std::string agreement : {"era", "two-phase", "star"}) {
        Job job(processes, quick_machine());
        set_up_fampi(job, {{"agreement", agreement}});
        const Seen seen = job.run(engine);
        const double each = (agreement == "two-phase" ? 4.0 : 2.0) * (processes - 1);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(commits(seen) == 4 * each);
        CHECK(seen.metric("control_messages") == 4 * each);
        CHECK(seen.metric("blocks_committed") == 4.0);
        CHECK(seen.metric("blocks_rejected") == 0.0);
      }
}

TEST_CASE("several iterations in a TryBlock are committed together") {
  Job job(6, quick_machine());
  set_up_fampi(job, {}, {{"iterations_per_block", std::int64_t{3}}});
  const Seen seen = job.run();
  CHECK(seen.metric("blocks_committed") == 2.0);
  CHECK(seen.metric("state_digest") == right_digest(6));
}

TEST_CASE("a rank that dies is replaced, and the TryBlock redone from the last checkpoint") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string checkpoint : {"none", "partner"}) {
      Job job(6, quick_machine());
      set_up_fampi(job, {{"checkpoint", checkpoint}, {"checkpoint_iterations", std::int64_t{1}}});
      job.spec.faults.push_back(at_mark("contributed", 3, {4}));
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("state_digest") == right_digest(6));
      CHECK(seen.metric("failed_ranks") == 0.0);
      CHECK(seen.metric("ranks_respawned") == 1.0);
      CHECK(seen.metric("blocks_rejected") == 1.0);
      // Everybody is ready once and is told of the new world once.
      CHECK(seen.metric("control_messages.ready") == 5.0);
      CHECK(seen.metric("control_messages.world") == 5.0);
      CHECK(seen.metric("control_messages.leader") == 1.0);
      CHECK(seen.metric("control_messages.restore") == (checkpoint == "partner" ? 1.0 : 0.0));
      CHECK(seen.metric("redone_iterations") >= (checkpoint == "partner" ? 0.0 : 2.0));
    }
}

TEST_CASE("a death at any stage is survived, of a rank, the first one, and the new process") {
  const double right = right_digest(6);
  for (const scenario::EngineKind engine : engines())
    for (const std::string agreement : {"era", "two-phase"})
      for (const std::string mark :
           {"contributed", "decided", "spawn", "join", "restore", "resume"})
        for (const std::int64_t value : {0, 1, 2})
          for (const Rank victim : {0U, 3U, 5U}) {
            INFO(mark << " " << value << " of " << victim << " under " << agreement);
            Job job(6, quick_machine());
            set_up_fampi(job, {{"agreement", agreement}});
            job.spec.faults.push_back(at_mark("contributed", 2, {3}));
            job.spec.faults.push_back(at_mark(mark, value, {victim}));
            const Seen seen = job.run(engine);
            CHECK(seen.result.outcome == engine::Outcome::finished);
            CHECK(seen.violations().empty());
            CHECK(seen.metric("state_digest") == right);
          }
}

TEST_CASE("a late notice says nothing of the process that has taken the place of the dead") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    set_up_fampi(job, {{"request_timeout_s", 1e-4}});
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}, {"spread_s", 5e-3}});
    job.spec.faults.push_back(at_mark("contributed", 2, {3}));
    const Seen seen = job.run(engine, 4);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("ranks_respawned") == 1.0);
    CHECK(seen.metric("state_digest") == right_digest(6));
  }
}

TEST_CASE("a TryBlock whose requests always time out is tried again as often as retries says") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4, quick_machine());
    set_up_fampi(job, {{"request_timeout_s", 1e-9}, {"retries", std::int64_t{2}}});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
    CHECK(seen.violations().empty());
    CHECK(seen.result.fatal_reason ==
          "a TryBlock has been rejected too often although nobody has died");
    CHECK(seen.metric("blocks_rejected") == 3.0);
    CHECK(seen.metric("timeouts") > 0.0);
  }
}

TEST_CASE("an invitation releases ranks that would wait for their requests to time out") {
  const auto end_s = [](scenario::EngineKind engine, const std::string& release) {
    Job job(12, quick_machine());
    // Rank 0 dies while all compute, before the second sum of the iteration.
    set_up_fampi(job, {{"release", release}, {"request_timeout_s", 0.5}},
                 {{"memory_bandwidth_Bps", 1e7}});
    job.kill(1e-3, {0});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("ranks_respawned") == 1.0);
    return seen.metric("time_to_solution_s");
  };
  for (const scenario::EngineKind engine : engines()) {
    CHECK(end_s(engine, "timeout") > 0.5);
    CHECK(end_s(engine, "invite") < 0.1);
  }
}

TEST_CASE("a new process takes the place of the dead after the time that a spawn takes") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    set_up_fampi(job, {{"spawn_s", 3.0}, {"spawn", std::string("same-node")}});
    job.spec.faults.push_back(at_mark("contributed", 1, {4}));
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("spawn_time_s") == Approx(3.0).epsilon(1e-4));
    CHECK(seen.metric("recovery_time_s") == Approx(3.0).epsilon(1e-4));
  }
}

}  // namespace faultline::transactions
