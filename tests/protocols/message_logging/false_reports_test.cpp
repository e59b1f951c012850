// SPDX-License-Identifier: Apache-2.0

// Programs with message logging whose failure detector takes a slow rank for dead.

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "tests/support/job.hpp"

namespace faultline::message_logging {

using namespace test;

TEST_CASE("a rank that is declared dead because it is slow is ended, and comes back") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string protocol :
         {"checkpoint-restart", "causal", "pessimistic", "send-deterministic", "fast"}) {
      CAPTURE(engine_word(engine), protocol);
      Job job(2, quick_machine());
      job.workload("stencil", {{"dimensions", std::int64_t{1}},
                               {"iterations", std::int64_t{4}},
                               {"compute_s", 0.1},
                               {"checkpoint_iterations", std::int64_t{1}}});
      job.use(Family::message_logging, protocol);
      job.use(Family::failure_detection, "ulfm", {{"heartbeat_period_s", 0.1}, {"timeout_s", 0.3}});
      job.spec.platform.spare_nodes = 1;
      job.spec.slow = {{.nodes = {1}, .factor = 1e7, .from_s = 0.15, .to_s = 2}};
      job.spec.stop.when = scenario::StopWhen::finished;
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.violations().empty());
      CHECK(seen.metric("false_reports") >= 1);
      CHECK(seen.metric("fenced_alive") >= 1);
      CHECK(seen.metric("failed_ranks") == 0);
    }
}

TEST_CASE("work that waits for the end of a rank that is declared dead is not late") {
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job job(3, quick_machine());
    job.workload("ordered-stencil", {{"checkpoint_iterations", std::int64_t{1}}});
    job.use(Family::termination, "hcda");
    job.use(Family::message_logging, "checkpoint-restart");
    job.use(Family::failure_detection, "erring-oracle");
    job.spec.platform.spare_nodes = 1;
    job.spec.stop.grace_s = 0;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("false_reports") == 1);
  }
}

}  // namespace faultline::message_logging
