// SPDX-License-Identifier: Apache-2.0

// Worlds of which each half has taken the other for dead, while the network was cut.

#include <catch2/catch.hpp>
#include <string>

#include "sim/engine/engine.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::transactions {

// A process is told by the others' agreement that it is dead itself, and by its detector that they
// are. It looked for the first rank that lives beyond the last one.
TEST_CASE("a process that all others take for dead, as it takes them, seeks no leader among them") {
  for (const std::string name : {"fampi", "ulfm", "relaunch"}) {
    std::string text =
        R"({"schema_version": 1, "seed": 5, "platform": {"machine": "stampede", "processes": 8, )"
        R"("processes_per_node": 2, "spare_nodes": 2}, "workload": {"name": "try-blocks", )"
        R"("iterations": 20, "compute_s": 0.002, "allreduces": 1, "state_bytes": 1000}, )"
        R"("transactions": {"name": ")";
    text += name;
    text += R"("}, "failure_detection": {"name": "ulfm", "heartbeat_period_s": 0.005, )"
            R"("timeout_s": 0.02}, "stop": {"time_s": 60}, "faults": {"partition": )"
            R"({"nodes": [[0, 1], [2, 3]], "from_s": 0.01, "to_s": 0.1}}})";
    const scenario::Scenario scenario = scenario::parse_scenario(text, "s.json");
    CAPTURE(name);
    CHECK_NOTHROW(engine::run_simulation(scenario.points.front(), scenario::EngineKind::loggp,
                                         scenario.seed, 0));
  }
}

}  // namespace faultline::transactions
