// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::workloads {

using namespace test;

TEST_CASE("laps by hand: a lap is a computation and a message for each rank") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.stop.when = scenario::StopWhen::finished;
    job.workload("laps", {{"laps", 2}, {"bytes", 100}, {"compute_s", 5.0}});
    const Seen seen = job.run(engine);
    // A rank computes for 5, and its message is handled 12 + 100/100 after its send began.
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("lap_time_s") == Approx(3 * 18).epsilon(time_tolerance(engine)));
    CHECK(seen.metric("application_messages") == 2 * 3);
  }
}

TEST_CASE("laps: every termination detector ends over it, and the auditor agrees") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors())
      for (const std::uint32_t processes : {1U, 2U, 7U}) {
        Job job(processes, quick_machine());
        job.workload("laps", {{"compute_s", 1e-5}});
        job.detector(detector);
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), detector, processes,
                engine::outcome_word(seen.result.outcome));
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.metric("application_messages") == 10 * processes);
      }
}

}  // namespace faultline::workloads
