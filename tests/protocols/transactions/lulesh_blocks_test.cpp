// SPDX-License-Identifier: Apache-2.0

// LULESH's TryBlocks inside TryBlocks: what fails in an inner one is recovered by the outer one.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

constexpr std::int64_t kIterations = 6;

void set_up_lulesh_blocks(Job& job, const OptionValues& transactions) {
  job.spec.platform.spare_nodes = 2;
  job.workload("lulesh-mpi",
               {{"zones_per_side", 6}, {"iterations", kIterations}, {"zone_compute_s", 1e-7}});
  OptionValues options{{"request_timeout_s", 1e-3}, {"wait_timeout_s", 1.0}};
  for (const auto& [name, value] : transactions) options[name] = value;
  job.use(Family::transactions, "fampi", options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.stop.when = scenario::StopWhen::finished;
}

const std::string kPartner = "partner";

}  // namespace

TEST_CASE("lulesh-mpi under fampi commits each step once, whatever is inside it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(27, quick_machine());
    set_up_lulesh_blocks(job, {});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("blocks_committed") == kIterations);
    CHECK(seen.metric("blocks_rejected") == 0);
    CHECK(seen.metric("state_difference") == 0.0);
  }
}

TEST_CASE("lulesh-mpi goes on after a death at any time, to the same states") {
  Job without(27, quick_machine());
  set_up_lulesh_blocks(without, {});
  const Seen right = without.run();
  const double end_s = right.metric("time_to_solution_s");
  for (const scenario::EngineKind engine : engines())
    for (const bool is_ulfm : {false, true})
      for (int moment = 1; moment < 10; ++moment) {
        Job job(27, quick_machine());
        const OptionValues copies{{"checkpoint", kPartner}, {"checkpoint_iterations", 1}};
        set_up_lulesh_blocks(job, copies);
        if (is_ulfm) job.use(Family::transactions, "ulfm", copies);
        job.kill(end_s * moment / 10, {static_cast<Rank>(3 * moment - 1)});
        const Seen seen = job.run(engine);
        CAPTURE(moment, is_ulfm, engine_word(engine), seen.result.fatal_reason);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("ranks_respawned") == 1);
        CHECK(seen.metric("state_digest") == right.metric("state_digest"));
      }
}

}  // namespace faultline::transactions
