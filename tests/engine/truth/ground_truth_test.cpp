// SPDX-License-Identifier: Apache-2.0

// What the rooms tell the ground truth of a run, and what it makes of that.

#include "sim/engine/truth/ground_truth.hpp"

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

TEST_CASE("once something is sent again, it is no longer audited what a protocol conserves") {
  const Job job;
  GroundTruth truth(*run_job(job.spec, 1, 0));
  CHECK_FALSE(truth.audits_conserved());
  truth.conserve(3);
  CHECK(truth.audits_conserved());
  truth.replayed(2, 1);
  CHECK_FALSE(truth.audits_conserved());
  CHECK(truth.auditor().application_resent() == 2);
  CHECK(truth.auditor().application_discarded() == 1);
}

TEST_CASE("work is over when the last rank that could have done some dies, started or not") {
  for (const bool had_started : {false, true}) {
    const Job job;
    GroundTruth truth(*run_job(job.spec, 1, 0));
    truth.auditor().started();
    if (had_started) truth.auditor().started();
    truth.auditor().turn_over(false, false, true, 1.0);
    CHECK(truth.auditor().over_since_s() == (had_started ? 1.0 : kNever));
    truth.died({1, 0}, false, had_started, 2.0, {});
    CHECK(truth.auditor().over_since_s() == (had_started ? 1.0 : 2.0));
  }
}

TEST_CASE("a job that can lose no rank keeps no ledgers") {
  const Job job;
  const GroundTruth truth(*run_job(job.spec, 1, 0));
  CHECK_FALSE(truth.channels());
  CHECK_FALSE(truth.blocks());
  CHECK(truth.ledger_of(0, 7) == nullptr);
  CHECK(truth.ledger_of(0).empty());
}

}  // namespace faultline::engine
