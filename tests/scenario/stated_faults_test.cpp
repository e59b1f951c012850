// SPDX-License-Identifier: Apache-2.0

// Entries of `faults.at` whose victims are parts of the machine, repairs, and what is refused of
// faults, repairs and traces.

#include <catch2/catch.hpp>

#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace faultline::scenario {

namespace {

const std::string kAllowUnsafe = "allow_unsafe=true";
using Nodes = std::vector<NodeId>;

/// a job of 4 nodes and 3 spare ones on a fat tree with 4 leaf switches of 2 nodes, in groups of 4.
std::string platform_of(const std::string& more = "") {
  return R"(platform={"machine": "tree.json", "processes": 16, "processes_per_node": 4,
             "spare_nodes": 3)" +
         more + "}";
}

void write_tree(const Workspace& workspace) {
  std::string machine = Workspace::machine_text();
  const std::string torus = R"({"kind": "torus", "dimensions": [4, 2]})";
  machine.replace(
      machine.find(torus), torus.size(),
      R"({"kind": "fat-tree", "children": [2, 2, 2], "parents": [1, 1, 1], "links": [1, 1, 1]})");
  workspace.write("tree.json", machine);
}

}  // namespace

TEST_CASE("parts of the machine stand for their nodes, spare ones included") {
  const Workspace workspace;
  write_tree(workspace);
  const auto fault = [&](const std::string& entry) {
    return workspace
        .scenario_after({kAllowUnsafe, platform_of(R"(, "nodes_per_power_unit": 3)"),
                         "faults.at=[" + entry + "]"})
        .points[0]
        .faults.at(0);
  };
  CHECK(fault(R"({"time_s": 1, "racks": [1, 3]})").nodes == Nodes{2, 3, 6});
  CHECK(fault(R"({"time_s": 1, "groups": [1]})").nodes == Nodes{4, 5, 6});
  CHECK(fault(R"({"time_s": 1, "power_units": [2], "nodes": [0]})").nodes == Nodes{0, 6});
  CHECK(fault(R"({"time_s": 1, "racks": [0], "nodes": [1]})").nodes == Nodes{1, 0});
  const faults::FaultSpec cut = fault(R"({"time_s": 1, "routers": [2], "repair_s": 4})");
  CHECK(cut.cut_off == Nodes{4, 5});
  CHECK(cut.nodes.empty());
  CHECK(cut.repair_s == 4.0);
  CHECK_FALSE(cut.kills());
  CHECK(fault(R"({"mark": {"name": "step", "value": 2}, "racks": [1]})").kills());
}

TEST_CASE("routers that fail are no faults that somebody must tolerate, but cut the network") {
  const Workspace workspace;
  const Scenario scenario =
      workspace.scenario_after({R"(faults.at=[{"time_s": 1, "routers": [1], "repair_s": 2}])"});
  CHECK_FALSE(scenario.points[0].has_faults());
  CHECK(scenario.points[0].is_ever_cut());
  const Scenario drawn =
      workspace.scenario_after({R"(faults={"poisson": {"mtbf_s": 10, "component": "router"}})"});
  CHECK_FALSE(drawn.points[0].has_faults());
  CHECK(drawn.points[0].is_ever_cut());
}

TEST_CASE("the words of platform.when_no_spare, and the hash of a scenario that has the default") {
  const Workspace workspace;
  const auto after = [&](const std::string& set) { return workspace.scenario_after({set}); };
  CHECK(after("seed=1").points[0].platform.when_no_spare == WhenNoSpare::wait);
  CHECK(after("platform.when_no_spare=give-up").points[0].platform.when_no_spare ==
        WhenNoSpare::give_up);
  CHECK(after("platform.when_no_spare=wait").hash == after("seed=1").hash);
  CHECK(after("platform.when_no_spare=give-up").hash != after("seed=1").hash);
  CHECK_THAT(workspace.errors_after({"platform.when_no_spare=hope"}),
             Contains("platform.when_no_spare: expected one of wait or give-up"));
}

TEST_CASE("bad faults, repairs and traces are refused in one line with their place") {
  const Workspace workspace;
  write_tree(workspace);
  workspace.write("when.csv", "node,up\n1,10\n");
  const auto [faults, message] = GENERATE(table<std::string, std::string>({
      {R"({"at": [{"time_s": 1, "ranks": [1], "repair_s": 3}]})",
       "faults.at[0].repair_s: a rank or a daemon has nothing to repair"},
      {R"({"at": [{"time_s": 1, "nodes": [1], "repair_s": 0}]})",
       "faults.at[0].repair_s: expected a number above 0"},
      {R"({"at": [{"time_s": 1, "power_units": [1]}]})",
       "faults.at[0].power_units: expected platform.nodes_per_power_unit"},
      {R"({"at": [{"time_s": 1, "racks": [4]}]})",
       "faults.at[0].racks[0]: expected one of the job's racks, 0 to 3, got 4"},
      {R"({"at": [{"event": 1, "routers": [1]}]})", "faults.at[0].routers: expected time_s"},
      {R"({"at": [{"time_s": 1, "routers": [1], "ranks": [1]}]})",
       "faults.at[0].routers: expected routers alone"},
      {R"({"at": [{"time_s": 1, "racks": [1], "stall_s": 2}]})",
       "faults.at[0]: expected ranks alone with stall_s"},
      {R"({"poisson": {"mtbf_s": 1, "component": "power-unit"}})",
       "faults.poisson.component: expected platform.nodes_per_power_unit"},
      {R"({"poisson": {"mtbf_s": 1, "component": "cabinet"}})",
       "faults.poisson.component: expected one of node, router, rack, group or power-unit"},
      {R"({"weibull": {"mtbf_s": 0}})", "faults.weibull.mtbf_s: expected a number above 0"},
      {R"({"lognormal": {"mtbf_s": 0}})", "faults.lognormal.mtbf_s: expected a number above 0"},
      {R"({"weibull": {"scale_s": 0}})", "faults.weibull.scale_s: expected a number above 0"},
      {R"({"poisson": {"mtbf_s": 1, "repair": {"mean_s": 0}}})",
       "faults.poisson.repair.mean_s: expected a number above 0"},
      {R"({"poisson": {"mtbf_s": 1, "victims": "ranks", "repair": {"mean_s": 1}}})",
       "faults.poisson.repair: a rank has nothing to repair"},
      {R"({"poisson": {"mtbf_s": 1e-4, "component": "router"}})",
       "faults.poisson[0]: routers would fail every 1e-04 s until stop.time_s, "},
      {R"({"poisson": {"mtbf_s": 1e-4, "component": "router", "limit": 1000000}})",
       "; expected at most 100,000 failures in that time, or a limit of as many"},
      {R"({"poisson": {"mtbf_s": 1e-6, "component": "router", "start_s": 3, "end_s": 4}})",
       "faults.poisson[0]: routers would fail every 1e-06 s until end_s, 4; expected at most "},
      {R"({"at": [null]})", "faults.at[0]: expected an object, got null"},
      {R"({"poisson": {"mtbf_s": 1, "repair": {"law": "lognormal", "mean_s": 1}}})",
       "faults.poisson.repair: the law lognormal needs mu and sigma, and has no mean_s"},
      {R"({"trace": {"file": ""}})",
       "faults.trace.file: expected the path of a trace of failures, got \"\""},
      {R"({"trace": {"file": "when.csv"}})",
       "when.csv: a table of failures without a column down; expected node"},
  }));
  CAPTURE(faults);
  const std::string error =
      workspace.errors_after({kAllowUnsafe, platform_of(), "faults=" + faults});
  CHECK_THAT(error, StartsWith(workspace.path("s.json") + ": "));
  CHECK_THAT(error, Contains(message));
  CHECK(lines_in(error) == 1);
}

TEST_CASE("a torus has no racks and no groups, and a platform file shows none") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors_after({kAllowUnsafe, R"(faults.at=[{"time_s": 1, "racks": [0]}])"}),
             Contains("faults.at[0].racks: the torus 4x2 of tiny has no racks; expected nodes, "
                      "routers or power_units"));
  workspace.write("p.xml", "<platform/>");
  CHECK_THAT(
      workspace.errors_after({kAllowUnsafe, R"(platform={"xml": "p.xml", "processes": 4})",
                              R"(faults={"poisson": {"mtbf_s": 1, "component": "router"}})"}),
      Contains("faults.poisson.component: needs platform.machine, whose topology is known"));
}

TEST_CASE("routers that fail often, but not for long, are not too many") {
  const Workspace workspace;
  for (const std::string more : {R"("limit": 100000)", R"("end_s": 0.01)"})
    CHECK(workspace
              .errors_after(
                  {R"(faults={"poisson": {"mtbf_s": 1e-6, "component": "router", )" + more + "}}"})
              .empty());
}

TEST_CASE("routers that are not repaired may keep a death from being reported") {
  const Workspace workspace;
  const std::vector<std::string> sets = {kAllowUnsafe, "stop.when=all-reported",
                                         R"(failure_detection={"name": "oracle"})"};
  const auto errors = [&](const std::string& at) {
    std::vector<std::string> all = sets;
    all.push_back("faults.at=[" + at + "]");
    return workspace.errors_after(all);
  };
  CHECK_THAT(errors(R"({"time_s": 1, "routers": [0]})"),
             Contains("stop.when: \"all-reported\" may never come under routers"));
  CHECK(errors(R"({"time_s": 1, "routers": [0], "repair_s": 1})").empty());
}

TEST_CASE("message logging needs no spare node where nodes are repaired and somebody waits") {
  const Workspace workspace;
  const auto errors = [&](const std::string& fault, const std::string& no_spare) {
    return workspace.errors_after(
        {R"(platform={"machine": "tiny.json", "processes": 8, "processes_per_node": 2,
             "when_no_spare": ")" +
             no_spare + "\"}",
         R"(workload={"name": "stencil", "checkpoint_iterations": 2})",
         R"(termination={"name": "none"})", R"(message_logging={"name": "checkpoint-restart"})",
         R"(failure_detection={"name": "oracle"})", "faults=" + fault});
  };
  const std::string repaired = R"({"at": [{"time_s": 1, "nodes": [1], "repair_s": 5}]})";
  const std::string drawn = R"({"poisson": {"mtbf_s": 9, "repair": {"mean_s": 5}}})";
  for (const std::string& fault : {repaired, drawn}) {
    CHECK(errors(fault, "wait").empty());
    CHECK_THAT(errors(fault, "give-up"), Contains("platform.spare_nodes: checkpoint-restart"));
  }
  CHECK_THAT(errors(R"({"at": [{"time_s": 1, "nodes": [1]}]})", "wait"),
             Contains("platform.spare_nodes: checkpoint-restart"));
}

}  // namespace faultline::scenario
