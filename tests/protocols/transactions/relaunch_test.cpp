// SPDX-License-Identifier: Apache-2.0

// A job that is started again from its last checkpoint, on both engines.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

void set_up_relaunch(Job& job, const OptionValues& relaunch) {
  job.workload("minife", {{"nx", std::int64_t{8}},
                          {"ny", std::int64_t{8}},
                          {"nz", std::int64_t{8}},
                          {"iterations", std::int64_t{6}}});
  job.use(Family::transactions, "relaunch", relaunch);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 2;
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("a relaunched job goes on from its last checkpoint, or from the beginning") {
  for (const scenario::EngineKind engine : engines()) {
    Job peaceful(6, quick_machine());
    set_up_relaunch(peaceful, {{"checkpoint", std::string("storage")},
                               {"checkpoint_iterations", std::int64_t{1}}});
    const Seen truth = peaceful.run(engine);
    for (const std::string checkpoint : {"none", "storage"}) {
      Job job(6, quick_machine());
      set_up_relaunch(job, {{"checkpoint", checkpoint},
                            {"checkpoint_iterations", std::int64_t{1}},
                            {"relaunch_s", 2.0}});
      // Far into the run: the iterations take 0.2 ms without checkpoints.
      job.kill(0.6 * truth.metric("time_to_solution_s"), {4});
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("state_digest") == truth.metric("state_digest"));
      CHECK(seen.metric("recovery_time_s") == Approx(2.0).epsilon(1e-2));
      if (checkpoint == "none") CHECK(seen.metric("redone_iterations") >= 3.0);
      if (checkpoint == "storage") CHECK(seen.metric("redone_iterations") <= 1.0);
    }
  }
}

TEST_CASE("a checkpoint takes as long as all ranks together need to write it") {
  Job job(6, quick_machine());
  set_up_relaunch(job, {{"checkpoint", std::string("storage")},
                        {"checkpoint_iterations", std::int64_t{1}},
                        {"storage_bandwidth_Bps", 1e3}});
  const Seen seen = job.run();
  // x, r and p of (8 + 1)^3 rows, if all ranks had as many.
  const double by_hand_s = 3 * 8 * 9 * 9 * 9 / 1e3;
  CHECK(seen.metric("checkpoint_time_s") == Approx(by_hand_s).epsilon(0.5));
  CHECK(seen.metric("checkpoint_time_s") > 0.8 * by_hand_s);
}

TEST_CASE("a relaunch ends what the program computes") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4, quick_machine());
    job.workload("try-blocks", {{"iterations", std::int64_t{2}}, {"compute_s", 100.0}});
    job.use(Family::transactions, "relaunch",
            {{"checkpoint", std::string("storage")},
             {"checkpoint_iterations", std::int64_t{1}},
             {"relaunch_s", 2.0}});
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
    job.spec.platform.spare_nodes = 1;
    job.spec.stop.when = scenario::StopWhen::finished;
    job.spec.stop.time_s = 1000.0;
    job.kill(110.0, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("time_to_solution_s") == Approx(110.0 + 2.0 + 100.0).epsilon(1e-4));
  }
}

}  // namespace faultline::transactions
