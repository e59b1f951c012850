// SPDX-License-Identifier: Apache-2.0

// What a recovery takes, by its stages, computed by hand.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

const Words kStages{"detection_time_s", "revoke_time_s",  "agreement_time_s", "shrink_time_s",
                    "spawn_time_s",     "rebuild_time_s", "restore_time_s",   "redone_time_s"};

double sum_of_stages_s(const Seen& seen) {
  double sum_s = 0;
  for (const std::string& stage : kStages) sum_s += seen.metric(stage);
  return sum_s;
}

/// Ranks on nodes of one rank, where a message of k bytes is handled 12 + k/100 s after its send
/// has begun. They compute for 1000 s in each of two TryBlocks.
void set_up_recovery_stages(Job& job, const std::string& protocol, const OptionValues& options) {
  job.workload("try-blocks", {{"iterations", std::int64_t{2}}, {"compute_s", 1000.0}});
  job.use(Family::transactions, protocol, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 50.0}});
  job.spec.platform.spare_nodes = 3;
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("the stages of a recovery are those computed by hand") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    set_up_recovery_stages(job, "fampi", {{"spawn_s", 300.0}, {"wait_timeout_s", 1e6}});
    job.kill(1500, {1});
    const Seen seen = job.run(engine);
    REQUIRE(seen.result.outcome == engine::Outcome::finished);
    const auto close_to = [engine](double time_s) {
      return Approx(time_s).epsilon(engine == scenario::EngineKind::loggp ? 1e-9 : 1e-6);
    };
    // Rank 0 is told at 1550. It has got an UP (92 bytes) at 1012.92, has decided, and has computed
    // again from 1013.92 to 2013.92, when it decides alone. It asks for a process, which starts
    // after 300 s, is told of its leader and reports that it is ready (32 bytes each). It hears of
    // the world (32 + 8 bytes), and both commit it (92 bytes each). The first iteration is done
    // again: 1 s to send DOWN, 1000 s, and its commit.
    CHECK(seen.metric("detection_time_s") == close_to(50));
    CHECK(seen.metric("revoke_time_s") == 0);
    CHECK(seen.metric("agreement_time_s") == close_to(2013.92 - 1550 + 2 * 12.92));
    CHECK(seen.metric("shrink_time_s") == 0);
    CHECK(seen.metric("spawn_time_s") == close_to(300 + 2 * 12.32));
    CHECK(seen.metric("rebuild_time_s") == close_to(12.4));
    CHECK(seen.metric("restore_time_s") == 0);
    CHECK(seen.metric("redone_time_s") == close_to(1000 + 12.92));
    const double resumed_s = 2013.92 + 300 + 2 * 12.32 + 12.4 + 2 * 12.92;
    CHECK(seen.metric("recovery_time_s") == close_to(resumed_s + 1000 + 12.92 - 1500));
    CHECK(seen.metric("recovery_time_s") == sum_of_stages_s(seen));
    CHECK(seen.metric("redone_iterations") == 1);
    CHECK(seen.metric("ranks_respawned") == 1);
    // Two commits, that of the recovery, and the one that a death has rejected.
    CHECK(seen.metric("agreement_messages") == 2 * (1 + 1 + 2));
    CHECK(seen.metric("blocks_committed") == 3);
    CHECK(seen.metric("blocks_rejected") == 1);
    CHECK(seen.metric("orphaned_decisions") == 0);
  }
}

TEST_CASE("stages add up to recoveries, however many die, and whenever") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol : {"fampi", "relaunch"})
      for (const double second_s : {1510.0, 2100.0, 2350.0, 2360.0, 3000.0}) {
        INFO(protocol << " " << second_s);
        Job job(3);
        OptionValues options{{"spawn_s", 300.0}, {"wait_timeout_s", 1e6}};
        if (protocol == "relaunch") options = {{"relaunch_s", 300.0}};
        set_up_recovery_stages(job, protocol, options);
        job.kill(1500, {1});
        job.kill(second_s, {2});
        const Seen seen = job.run(engine);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.metric("faults_struck") == 2);
        CHECK(seen.metric("recovery_time_s") == sum_of_stages_s(seen));
        CHECK(seen.metric("recovery_time_s") <= seen.metric("end_time_s") - 1500);
        CHECK(seen.metric("detection_time_s") >= 50);
        CHECK(seen.metric("spawn_time_s") >= 250 - 1);  // 50 s of detection
      }
}

TEST_CASE("a run in which nobody dies has no stages of recoveries") {
  Job job(3);
  set_up_recovery_stages(job, "fampi", {{"wait_timeout_s", 1e6}});
  const Seen seen = job.run();
  CHECK(seen.metric("recovery_time_s") == 0);
  CHECK(sum_of_stages_s(seen) == 0);
}

TEST_CASE("a program of TryBlocks that can never go on is hung") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4, quick_machine());
    // The sums are outside of TryBlocks, as in the authors' program: a rank that waits there for
    // the dead waits for ever.
    job.workload("minife", {{"nx", std::int64_t{6}},
                            {"ny", std::int64_t{6}},
                            {"nz", std::int64_t{6}},
                            {"iterations", std::int64_t{3}},
                            {"memory_bandwidth_Bps", 1e6},
                            {"dots", std::string("outside")}});
    job.use(Family::transactions, "fampi");
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
    job.spec.platform.spare_nodes = 1;
    job.spec.stop.when = scenario::StopWhen::finished;
    job.kill(1e-6, {2});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::hung);
    CHECK(seen.violations() == Words{"hung"});
  }
}

}  // namespace faultline::transactions
