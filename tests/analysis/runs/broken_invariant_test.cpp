// SPDX-License-Identifier: Apache-2.0

// A broken invariant on its way to the user: one line, no result.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/runs/exit_code.hpp"
#include "analysis/runs/replications.hpp"
#include "sim/core/invariant.hpp"
#include "tests/support/job.hpp"

namespace faultline::runs {

using namespace test;

TEST_CASE("a replication in which an invariant breaks is an internal error, the others go on") {
  Job job(2);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 1) context.set_timer(1, 0.25);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) {
      invariant(context.job().replication != 1, "one is not two");
    };
    return handlers;
  });
  scenario::Scenario scenario;
  scenario.name = "a ring";
  scenario.seed = 5;
  scenario.replications = 3;
  scenario.points = {job.spec};
  scenario.point_labels = {""};
  const ReplicationRecord alone = simulated(scenario, 0, 1);
  CHECK_FALSE(alone.run);
  CHECK(exit_code(alone) == kExitRun);
  const std::string& error = alone.error;
  INFO(error);
  CHECK(error.rfind("internal error: one is not two (broken_invariant_test.cpp:", 0) == 0);
  const std::string end = "); actor 1, 0.25 s, seed 5, replication 1, scenario \"a ring\"";
  REQUIRE(error.size() > end.size());
  CHECK(error.substr(error.size() - end.size()) == end);
  std::vector<ReplicationRecord> records;
  run_replications(scenario, {.jobs = 2, .progress = false},
                   [&](const ReplicationRecord& record, const std::string& line) {
                     records.push_back(record);
                     CHECK(line.empty() == !record.run);
                   });
  REQUIRE(records.size() == 3);
  CHECK(records[0].run);
  CHECK(records[1].error == error);
  CHECK(records[2].run);
}

}  // namespace faultline::runs
