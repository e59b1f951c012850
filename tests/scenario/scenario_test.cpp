// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/scenario.hpp"

#include <catch2/catch.hpp>

#include "sim/scenario/canonical.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

TEST_CASE("a scenario resolves to the values that it says and the defaults") {
  const Workspace workspace;
  const Scenario scenario = workspace.scenario_after({});
  CHECK(scenario.name == "good");
  CHECK(scenario.engine == EngineKind::loggp);
  CHECK(scenario.seed == 7);
  CHECK(scenario.replications == 2);
  REQUIRE(scenario.points.size() == 1);
  const RunSpec& point = scenario.points[0];
  CHECK(point.platform.machine.name == "tiny");
  CHECK(point.platform.machine.hop_latency_s == 5e-8);
  CHECK(point.platform.processes == 16);
  CHECK(point.platform.processes_per_node == 4);
  CHECK(point.platform.progress == Progress::dedicated);
  CHECK(point.component(Family::workload).registration->name == "token-ring");
  CHECK(std::get<double>(point.component(Family::workload).options.at("stop_probability")) == 0.1);
  CHECK(point.component(Family::termination).registration->name == "cda");
  CHECK(point.component(Family::message_logging).registration == nullptr);
  CHECK(point.stop.when == StopWhen::announced);
  CHECK(point.stop.grace_s == 1.0);
  CHECK(point.stop.time_s == 60.0);
  CHECK(point.stop.events == 1000000000);
  CHECK(point.faults.empty());
  CHECK(job_shape(point).nodes == 4);
  CHECK(job_shape(point).starts_at_root);
}

TEST_CASE("a scenario without a name is called after its file") {
  const Workspace workspace;
  CHECK(workspace.scenario_after({"name="}).name == "s");
}

TEST_CASE("words become the enumerators of the same name") {
  const Workspace workspace;
  const auto platform = [&](const std::string& set) {
    return workspace.scenario_after({set}).points[0].platform;
  };
  CHECK(platform("platform.mapping=block").mapping == Mapping::block);
  CHECK(platform("platform.mapping=round-robin").mapping == Mapping::round_robin);
  CHECK(platform("platform.mapping=random").mapping == Mapping::random);
  CHECK(platform("platform.progress=shared").progress == Progress::shared);
  CHECK(platform("platform.progress=between").progress == Progress::between);
  CHECK(platform("platform.ordering=unordered").ordering == Ordering::unordered);
  CHECK(workspace.scenario_after({"stop.when=time"}).points[0].stop.when == StopWhen::time);
  CHECK(workspace.scenario_after({"engine=simgrid"}).engine == EngineKind::simgrid);
}

TEST_CASE("a run stops by default on what its parts can say") {
  const Workspace workspace;
  const auto when = [&](const std::vector<std::string>& sets) {
    return workspace.scenario_after(sets).points[0].stop.when;
  };
  CHECK(when({}) == StopWhen::announced);
  CHECK(when({"termination=[{\"name\": \"none\"}]"}) == StopWhen::time);
  CHECK(when({"termination={\"name\": \"none\"}", "workload={\"name\": \"allreduce\"}"}) ==
        StopWhen::finished);
}

TEST_CASE("lists of components make the points of all combinations in file order") {
  const Workspace workspace;
  const Scenario scenario = workspace.scenario_after(
      {R"(termination=[{"name": "four-counter"}, {"name": "cda"}])",
       R"(failure_detection=[{"name": "oracle", "delay_s": 1}, {"name": "oracle", "delay_s": 2},
          {"name": "none"}])"});
  const std::vector<std::string> expected = {
      "four-counter / oracle, delay_s 1", "four-counter / oracle, delay_s 2", "four-counter / none",
      "cda / oracle, delay_s 1",          "cda / oracle, delay_s 2",          "cda / none"};
  CHECK(scenario.point_labels == expected);
  REQUIRE(scenario.points.size() == 6);
  CHECK(scenario.points[5].component(Family::termination).registration->name == "cda");
  CHECK(scenario.points[5].component(Family::failure_detection).registration == nullptr);
  CHECK(std::get<double>(
            scenario.points[1].component(Family::failure_detection).options.at("delay_s")) == 2.0);
}

TEST_CASE("a list of one entry is the same scenario as its entry alone") {
  const Workspace workspace;
  const Scenario one = workspace.scenario_after({R"(termination=[{"name": "cda"}])"});
  CHECK(one.hash == workspace.scenario_after({}).hash);
  CHECK(one.point_labels == std::vector<std::string>{""});
}

TEST_CASE("faults keep their moment and their victims") {
  const Workspace workspace;
  const Scenario scenario = workspace.scenario_after(
      {"allow_unsafe=true",
       R"(faults={"at": [{"time_s": 0.5, "nodes": [3]}, {"event": 9, "ranks": [0, 15]},
          {"mark": {"name": "step", "value": 100}, "daemons": [1]}]})"});
  const auto& faults = scenario.points[0].faults;
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].time_s == 0.5);
  CHECK(faults[0].nodes == std::vector<NodeId>{3});
  CHECK(faults[1].event == 9U);
  CHECK(faults[1].ranks == std::vector<Rank>{0, 15});
  CHECK(faults[2].mark->name == "step");
  CHECK(faults[2].mark->value == 100);
  CHECK(faults[2].daemons == std::vector<NodeId>{1});
}

TEST_CASE("the hash is of what determines results and of nothing else") {
  const Workspace workspace;
  const std::string hash = workspace.scenario_after({}).hash;
  CHECK(hash.size() == 16);
  CHECK(hash == workspace.scenario_after({}).hash);
  for (const std::string same :
       {"name=other", "seed=99", "replications=5", "engine=simgrid", "stop.time_s=60",
        "workload.stop_probability=1e-1", "platform.mapping=block"}) {
    CAPTURE(same);
    CHECK(workspace.scenario_after({same}).hash == hash);
  }
  for (const std::string other : {"platform.processes=15", "stop.time_s=61", "allow_unsafe=true",
                                  "workload.stop_probability=0.2", "termination.control_bytes=17",
                                  "platform.mapping=random"}) {
    CAPTURE(other);
    CHECK(workspace.scenario_after({other}).hash != hash);
  }
}

TEST_CASE("the hash follows a machine file's values and not its place") {
  const Workspace workspace;
  const std::string hash = workspace.scenario_after({}).hash;
  workspace.write("copy.json", Workspace::machine_text());
  CHECK(workspace.scenario_after({"platform.machine=./copy.json"}).hash == hash);
  std::string changed = Workspace::machine_text();
  changed.replace(changed.find("5e-8"), 4, "6e-8");
  workspace.write("copy.json", changed);
  CHECK(workspace.scenario_after({"platform.machine=copy.json"}).hash != hash);
}

TEST_CASE("canonical JSON is sorted JSON that holds seed, engine and all points") {
  const Workspace workspace;
  const Scenario scenario = workspace.scenario_after({});
  const json::JsonValue value = canonical(scenario);
  CHECK(json::to_json(json::sorted(value)) == json::to_json(value));
  CHECK(json::to_json(*value.find("seed")) == "7");
  CHECK(value.find("points")->list()->size() == 1);
  CHECK(json::to_json(*value.find("platform")->find("machine")->find("gap_s")) == "3e-07");
}

TEST_CASE("the option --set changes, creates and appends") {
  const Workspace workspace;
  CHECK(workspace.scenario_after({"seed=3"}).seed == 3);
  CHECK(workspace.scenario_after({"stop.time_s=2.5"}).points[0].stop.time_s == 2.5);
  CHECK(workspace.scenario_after({"seed=3", "seed=4"}).seed == 4);
  const Scenario listed = workspace.scenario_after(
      {"termination=[]", R"(termination[0]={"name": "cda"})", "termination[1].name=four-counter"});
  CHECK(listed.point_labels == std::vector<std::string>{"cda", "four-counter"});
  CHECK(workspace.scenario_after({R"(termination={"name":"four-counter"})"})
            .points[0]
            .component(Family::termination)
            .registration->name == "four-counter");
}

TEST_CASE("a --set that cannot be carried out is named") {
  const Workspace workspace;
  const auto [set, message] = GENERATE(table<std::string, std::string>({
      {"seed", "expected PATH=VALUE"},
      {"=3", "expected a path"},
      {"a..b=3", "expected a path"},
      {"a.=3", "expected a path"},
      {".a=3", "expected a path"},
      {"a[x]=3", "expected a path"},
      {"a[1=3", "expected a path"},
      {"a[-1]=3", "expected a path"},
      {"a[99999999999999999999]=3", "expected a path"},
      {"seed.x=1", "seed is 7 and has no key \"x\""},
      {"seed[0]=1", "seed is 7, not a list"},
      {"[0]=1", "not a list"},
      {"termination={\"name\":", "unexpected end of input"},
      {"termination={\"name\": 1, \"name\": 2}", "name: duplicate key"},
      {"name=", ""},
  }));
  CAPTURE(set);
  const std::string error = workspace.errors_after({set});
  if (message.empty()) {
    CHECK(error.empty());
    return;
  }
  CHECK_THAT(error, Contains("s.json"));
  CHECK_THAT(error, Contains("--set"));
  CHECK_THAT(error, Contains(message));
}

TEST_CASE("an index beyond the end of a list says where the end is") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors_after({"faults.at=[]", "faults.at[2].time_s=1"}),
             Contains("faults.at has 0 entries, expected an index of at most 0"));
}

TEST_CASE("an error that --set made says so") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors_after({"platform.processes=0"}),
             Contains("platform.processes: expected an integer from 1 to 1000000000, got 0 (from "
                      "--set \"platform.processes=0\")"));
  CHECK_THAT(workspace.errors_after({"platfrom.processes=3"}),
             Contains("platfrom: unknown key, did you mean \"platform\"?"));
}

}  // namespace faultline::scenario
