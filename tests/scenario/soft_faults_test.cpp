// SPDX-License-Identifier: Apache-2.0

// An error that a program finds in its data: in a TryBlock that can be rejected, or else the end of
// the process.
#include "sim/scenario/soft_faults.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "sim/engine/engine.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

namespace {

Scenario scenario_with(const std::string& workload, const std::string& recovery,
                       const std::string& fault) {
  return parse_scenario(
      R"({"schema_version": 1,
          "platform": {"machine": "stampede", "processes": 4, "spare_nodes": 1},
          "workload": {)" +
          workload + R"(, "iterations": 4, "checkpoint_iterations": 2},)" + recovery +
          R"("failure_detection": {"name": "oracle"},
             "faults": {"at": [{"time_s": 0.001, "ranks": [1], )" +
          fault + R"(}]}, "stop": {"when": "finished"}})",
      "s.json");
}

const std::string kTryBlocks = R"("name": "try-blocks", "compute_s": 0.001)";
const std::string kStencil = R"("name": "stencil", "compute_s": 0.001)";

}  // namespace

TEST_CASE("an error is raised where a TryBlock can be rejected for it, and else ends the process") {
  struct Case {
    std::string workload;
    std::string recovery;
    bool ends;
  };
  const Case cases[] = {{kTryBlocks, R"("transactions": {"name": "fampi"},)", false},
                        {kTryBlocks, R"("transactions": {"name": "ulfm"},)", false},
                        {kStencil, R"("transactions": {"name": "ulfm"},)", false},
                        {kTryBlocks, R"("transactions": {"name": "relaunch"},)", true},
                        {kTryBlocks, R"("message_logging": {"name": "causal"},)", true},
                        {kStencil, R"("message_logging": {"name": "fast"},)", true},
                        {kTryBlocks, "", true}};
  for (const Case& one : cases) {
    CAPTURE(one.workload, one.recovery);
    const Scenario soft = scenario_with(one.workload, one.recovery, R"("soft": true)");
    CHECK(soft.points.front().faults.front().soft == !one.ends);
    CHECK(soft.points.front().has_faults() == one.ends);
    std::size_t notes = 0;
    for (const std::string& note : soft.notes)
      if (note.find("faults.at[0].soft: ends the process, as a fault does") != std::string::npos)
        ++notes;
    CHECK(notes == (one.ends ? 1 : 0));
  }
}

TEST_CASE("errors that end processes are told of once, and a fault among them is not counted") {
  const Scenario several = scenario_with(
      kTryBlocks, "",
      R"("soft": true}, {"time_s": 2, "ranks": [2]}, {"time_s": 3, "ranks": [2], "soft": true)");
  const auto is_of_soft = [](const std::string& note) {
    return note.find(".soft: ends the process") != std::string::npos;
  };
  CHECK(std::count_if(several.notes.begin(), several.notes.end(), is_of_soft) == 1);
  const auto told = std::find_if(several.notes.begin(), several.notes.end(), is_of_soft);
  CHECK_THAT(*told, Catch::Matchers::Contains("faults.at[0].soft") &&
                        Catch::Matchers::Contains("as a fault does, and so does 1 more: "));
}

TEST_CASE("a process that an error ends is recovered as one that a fault ends") {
  for (const std::string recovery : {R"("transactions": {"name": "relaunch"},)",
                                     R"("message_logging": {"name": "causal"},)", ""}) {
    const auto run = [&](const std::string& fault) {
      const Scenario scenario = scenario_with(kTryBlocks, recovery, fault);
      return engine::run_simulation(scenario.points.front(), EngineKind::loggp, 1, 0);
    };
    CAPTURE(recovery);
    const engine::RunResult by_error = run(R"("soft": true)");
    const engine::RunResult by_fault = run(R"("soft": false)");
    CHECK(by_error.metrics.values() == by_fault.metrics.values());
    CHECK(by_error.metrics.values().at("faults_struck") == 1.0);
    CHECK(by_error.outcome ==
          (recovery.empty() ? engine::Outcome::fatal_reported : engine::Outcome::finished));
  }
}

}  // namespace faultline::scenario
