// SPDX-License-Identifier: Apache-2.0

// A program of TryBlocks without transactions, on both engines.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

constexpr double kNotice_s = 1e-5;

void set_up_none(Job& job) {
  job.workload("minife", {{"nx", std::int64_t{8}},
                          {"ny", std::int64_t{8}},
                          {"nz", std::int64_t{8}},
                          {"iterations", std::int64_t{4}}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", kNotice_s}});
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("without transactions a program finishes, and sends what it sends and no more") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine());
    set_up_none(job);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("control_messages") == 0.0);
  }
}

TEST_CASE("without transactions the first death of which anybody hears ends the job") {
  for (const scenario::EngineKind engine : engines())
    for (const Rank victim : {0U, 3U, 5U}) {
      Job job(6, quick_machine());
      set_up_none(job);
      job.kill(5e-5, {victim}).kill(1.0, {1});
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
      CHECK(seen.violations().empty());
      CHECK(seen.result.fatal_reason ==
            "a process has died, which ends the job of an MPI without transactions");
      CHECK(seen.metric("end_time_s") == Approx(5e-5 + kNotice_s).epsilon(0.1));
    }
}

}  // namespace faultline::transactions
