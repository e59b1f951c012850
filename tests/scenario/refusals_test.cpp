// SPDX-License-Identifier: Apache-2.0

// What a scenario may not contain by itself: values, keys, files and options out of place.

#include <catch2/catch.hpp>

#include "tests/scenario/workspace.hpp"
#include "tests/support/temporary_directory.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace faultline::scenario {

TEST_CASE("every value out of place is refused with file, path and expectation") {
  const Workspace workspace;
  const auto [set, message] = GENERATE(table<std::string, std::string>({
      {"schema_version=2", "schema_version: expected an integer: 1, got 2"},
      {"schema_version=one", "schema_version: expected an integer: 1, got the string"},
      {"engine=simgird", "engine: expected one of loggp or simgrid, got \"simgird\", did you mean"},
      {"seed=-1", "seed: expected an integer of at least 0, got -1"},
      {"seed=0.5", "seed: expected an integer"},
      {"seed=9007199254740994", "seed: expected an integer"},
      {"seed=NaN", "seed: expected an integer of at least 0, got the string \"NaN\""},
      {"replications=0", "replications: expected an integer from 1 to 1000000, got 0"},
      {"replications=1000001", "replications: expected an integer from 1 to 1000000"},
      {"name=3", "name: expected a string, got 3"},
      {"colour=red", "colour: unknown key, expected schema_version"},
      {"platform=3", "platform: expected an object, got 3"},
      {"platform.processes=0", "platform.processes: expected an integer from 1"},
      {"platform.processes=-4", "platform.processes: expected an integer from 1"},
      {"platform.processes_per_node=0", "platform.processes_per_node: expected an integer from 1"},
      {"platform.mapping=blocked",
       "platform.mapping: expected one of block, round-robin or random,"
       " got \"blocked\", did you mean \"block\"?"},
      {"platform.unordered_delay_s=-1",
       "platform.unordered_delay_s: expected a number of at least "
       "0 in seconds, got -1"},
      {"platform.unordered_delay_ms=1", "expected \"unordered_delay_s\" in seconds"},
      {"platform.worker_cores=0", "platform.worker_cores: expected an integer from 1"},
      {"workload={}", "workload.name: missing"},
      {"workload=token-ring", "workload: expected an object such as {\"name\": \"token-ring\"}"},
      {"workload.name=tokenring",
       "workload.name: unknown workload \"tokenring\", did you mean "
       "\"token-ring\"?"},
      {"workload.name=cda", "workload.name: \"cda\" is for termination, not for workload"},
      {"workload.stop_probability=1.5",
       "workload.stop_probability: expected a number from 0 to 1, "
       "got 1.5"},
      {"workload.stop_probability=-0.1",
       "workload.stop_probability: expected a number from 0 to 1"},
      {"workload.stop_probabilty=0.1", "did you mean \"stop_probability\"?"},
      {"workload.step_compute_ms=2", "expected \"step_compute_s\" in seconds"},
      {"workload.step_compute_s=2 ms", "write a bare number, without quotes or unit: 0.002"},
      {"workload.bytes=-1", "workload.bytes: expected an integer"},
      {"workload=null", "workload: expected an object"},
      {"termination.name=cdaa",
       "termination.name: unknown termination \"cdaa\", did you mean "
       "\"cda\"?"},
      {"termination.initial_credit=0", "termination.initial_credit: expected an integer from 1"},
      {"termination=[]", "termination: expected a list of 1 to 1000 objects, got 0"},
      {"termination=[3]", "termination[0]: expected an object such as {\"name\": "},
      {R"(termination=[{"name": "cda"}, {"name": "cda"}])",
       "termination[1]: is the same as termination[0]"},
      {R"(termination={"name": "none", "x": 1})", "termination.x: unknown key"},
      {"faults=[]", "faults: expected an object, got an empty list"},
      {"faults.on=[]", "faults.on: unknown key"},
      {"faults.at={}", "faults.at: expected a list of objects, got an object"},
      {"stop.when=anounced",
       "stop.when: expected one of announced, all-reported, finished or time"},
      {"stop.time_s=0", "stop.time_s: expected a number above 0 in seconds, got 0"},
      {"stop.grace_ms=5", "expected \"grace_s\" in seconds"},
      {"stop.events=0", "stop.events: expected an integer of at least 1, got 0"},
  }));
  CAPTURE(set);
  const std::string error = workspace.errors_after({set});
  CHECK_THAT(error, StartsWith(workspace.path("s.json") + ": "));
  CHECK_THAT(error, Contains(message));
  CHECK(lines_in(error) == 1);
}

TEST_CASE("a file that is not an object is refused") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors("[]"), Contains("s.json: expected an object, got an empty list"));
  CHECK_THAT(workspace.errors("3"), Contains("s.json: expected an object, got 3"));
}

TEST_CASE("what must be there and is not is named") {
  const Workspace workspace;
  const std::string error = workspace.errors("{}");
  CHECK_THAT(error, Contains("schema_version: missing"));
  CHECK_THAT(error, Contains("platform: missing"));
  CHECK_THAT(error, Contains("workload: missing"));
  CHECK(lines_in(error) == 3);
}

TEST_CASE("all errors of a file are reported at once, and nothing is written") {
  const Workspace workspace;
  const auto before = workspace.files();
  const std::string error = workspace.errors(R"({"schema_version": 2, "sed": 1, "seed": -1,
      "platform": {"machine": "tiny.json", "processes": 0, "proceses": 3},
      "workload": {"name": "token-ring", "stop_probability": 2},
      "termination": [{"name": "cdaa"}, {"name": "cda", "initial_credit": 0}],
      "faults": {"at": [{"time_s": -1, "nodes": [-1]}]}, "stop": {"time_s": 0}})");
  for (const std::string path :
       {"schema_version", "sed", "seed", "platform.processes", "platform.proceses",
        "workload.stop_probability", "termination[0].name", "termination[1].initial_credit",
        "faults.at[0].time_s", "faults.at[0].nodes[0]", "stop.time_s"}) {
    CAPTURE(path);
    CHECK_THAT(error, Contains(": " + path + ": "));
  }
  CHECK(lines_in(error) == 11);
  CHECK(workspace.files() == before);
}

TEST_CASE("a machine or a platform file must be given, and not both") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors_after({R"(platform={"processes": 4})"}),
             Contains("platform: expected machine (") && Contains(") or xml ("));
  CHECK_THAT(workspace.errors_after({"platform.xml=p.xml"}),
             Contains("platform: has both machine and xml"));
}

TEST_CASE("a scenario may state other costs than its machine's, within the same limits") {
  const Workspace workspace;
  const auto machine = [&](const std::vector<std::string>& sets) {
    return workspace.scenario_after(sets).points[0].platform.machine;
  };
  const platform::Machine own = machine({});
  const platform::Machine other =
      machine({"platform.overheads.nic_bandwidth_Bps=5e9", "platform.overheads.gap_s=null"});
  CHECK(other.nic_bandwidth_Bps == 5e9);
  CHECK(own.nic_bandwidth_Bps != 5e9);
  CHECK(other.gap_s == own.gap_s);
  CHECK(other.name == own.name);
  const auto [set, message] = GENERATE(table<std::string, std::string>({
      {"gap_s=-1", "platform.overheads.gap_s: expected"},
      {"gap_s=1e-16", "platform.overheads.gap_s: expected 0, or at least 1e-15 seconds"},
      {"hop_latency_s=2", "platform.overheads.hop_latency_s: expected"},
      {"link_bandwidth_Bps=0", "platform.overheads.link_bandwidth_Bps: expected"},
      {"cores_per_host=2", "platform.overheads.cores_per_host: unknown key"},
      {"nodes=2", "platform.overheads.nodes: unknown key"},
  }));
  CAPTURE(set);
  CHECK_THAT(workspace.errors_after({"platform.overheads." + set}), Contains(message));
}

TEST_CASE("an unknown machine is told the nearest name and all others") {
  const Workspace workspace;
  REQUIRE_FALSE(shipped_machines().empty());
  CHECK_THAT(workspace.errors_after({"platform.machine=intrepd"}),
             Contains("platform.machine: unknown machine \"intrepd\", did you mean \"intrepid\"?"));
  CHECK_THAT(workspace.errors_after({"platform.machine=nowhere-near-any"}),
             Contains("unknown machine \"nowhere-near-any\". Expected cori, "));
  CHECK_THAT(workspace.errors_after({"platform.machine=missing.json"}),
             Contains("missing.json: no such file"));
}

TEST_CASE("a data directory without machines is named where a machine is asked for") {
  const Workspace workspace;
  const TemporaryDirectory data;
  const ScopedVariable chosen("FAULTLINE_DATA", data.path().c_str());
  CHECK_THAT(workspace.errors_after({"platform.machine=intrepid"}),
             Contains("no machine is shipped in ") && Contains("holds machines/"));
}

TEST_CASE("a job that is larger than its machine is refused with what fits") {
  const Workspace workspace;
  CHECK(workspace.errors_after({"platform.processes=32"}).empty());
  CHECK_THAT(workspace.errors_after({"platform.processes=33"}),
             Contains("platform.processes: expected at most 32 (tiny has 8 nodes"));
  CHECK_THAT(workspace.errors_after({"platform.processes_per_node=5"}),
             Contains("platform.processes_per_node: expected at most 4, the hardware threads"));
  CHECK_THAT(workspace.errors_after({"platform.processes_per_node=1"}),
             Contains("expected at most 8 (") && Contains("processes_per_node of at least 2"));
  CHECK(workspace.errors_after({"platform.spare_nodes=4"}).empty());
  CHECK_THAT(workspace.errors_after({"platform.spare_nodes=5"}),
             Contains("platform.spare_nodes: expected at most 4"));
}

TEST_CASE("an entry of faults has one moment and victims within the job") {
  const Workspace workspace;
  const auto [fault, message] = GENERATE(table<std::string, std::string>({
      {R"({"nodes": [0]})", "faults.at[0]: expected exactly one of time_s, event and mark"},
      {R"({"time_s": 1, "event": 1, "nodes": [0]})", "expected exactly one of"},
      {R"({"time_s": 1})",
       "faults.at[0]: expected at least one victim in ranks, nodes, daemons, routers, racks, "
       "groups or power_units"},
      {R"({"time_s": 1, "nodes": []})", "expected at least one victim"},
      {R"({"time_s": 1, "nodes": [4]})",
       "faults.at[0].nodes[0]: expected one of the job's nodes, 0 to 3, got 4"},
      {R"({"time_s": 1, "daemons": [0, 9]})", "faults.at[0].daemons[1]: expected one of the job's"},
      {R"({"time_s": 1, "ranks": [16]})",
       "faults.at[0].ranks[0]: expected one of the job's ranks, 0 to 15, got 16"},
      {R"({"time_s": 1, "ranks": [1, 1]})", "faults.at[0].ranks[1]: 1 is in this list already"},
      {R"({"time_s": 1, "ranks": 3})", "faults.at[0].ranks: expected a list of ranks, got 3"},
      {R"({"time_s": 1, "ranks": ["a"]})", "got the string \"a\""},
      {R"({"time_s": -1, "ranks": [1]})", "faults.at[0].time_s: expected a number of at least 0"},
      {R"({"time_ms": 1, "ranks": [1]})", "expected \"time_s\" in seconds"},
      {R"({"event": 0, "ranks": [1]})", "faults.at[0].event: expected an integer of at least 1"},
      {R"({"mark": {"name": "step"}, "ranks": [1]})", "faults.at[0].mark.value: missing"},
      {R"({"mark": {"name": "stepp", "value": 1}, "ranks": [1]})",
       "got \"stepp\", did you mean \"step\"?"},
      {R"({"mark": 3, "ranks": [1]})", "faults.at[0].mark: expected an object, got 3"},
      {"3", "faults.at[0]: expected an object, got 3"},
  }));
  CAPTURE(fault);
  CHECK_THAT(workspace.errors_after({"allow_unsafe=true", "faults.at=[" + fault + "]"}),
             Contains(message));
}

TEST_CASE("a mark that no component sets is refused, and noted where that is allowed") {
  const Workspace workspace;
  const std::string fault =
      R"(faults.at=[{"mark": {"name": "decided", "value": 1}, "ranks": [1]}])";
  CHECK_THAT(workspace.errors_after({fault}),
             Contains("faults.at[0].mark.name: no component of the scenario sets \"decided\", "
                      "expected step"));
  const auto notes = workspace.scenario_after({fault, "allow_unsafe=true"}).notes;
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("no component sets \"decided\", and the fault does not strike"));
}

TEST_CASE("options that do not fit the job are refused by the component's own words") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors_after({R"(workload={"name": "uniform-traffic", "fanout": 16})"}),
             Contains("s.json: workload.fanout: expected at most 15"));
  CHECK(workspace.errors_after({R"(workload={"name": "uniform-traffic", "fanout": 15})"}).empty());
}

TEST_CASE("a rule of a script that cannot be read is named with its place and character") {
  const Workspace workspace;
  const auto refused = [&](const std::string& rules) {
    std::string error =
        workspace.errors_after({R"(workload={"name": "script", "rules": )" + rules + "}"});
    CHECK(lines_in(error) == 1);
    return error;
  };
  CHECK_THAT(refused(R"(["0 at start: send a to 1", "1 on a: send b to 16"])"),
             Contains("s.json: workload.rules[1]: character 19: expected a rank from 0 to 15, got "
                      "\"16\""));
  CHECK_THAT(refused(R"(["0 at start: send a to 1", 7])"),
             Contains("workload.rules[1]: expected a string, got 7"));
  CHECK_THAT(refused(R"("0 at start: send a to 1")"),
             Contains("workload.rules: expected a list of strings, got the string"));
  CHECK_THAT(refused("[]"), Contains("workload.rules: expected a list of 1 to 200 rules"));
  CHECK_THAT(workspace.errors_after({"workload.name=script"}), Contains("workload.rules: missing"));
}

TEST_CASE("choices that would have no end are refused") {
  const Workspace workspace;
  const auto refused = [&](const std::string& workload) {
    return workspace.errors_after({"workload=" + workload});
  };
  CHECK_THAT(refused(R"({"name": "token-ring", "choices": "all"})"),
             Contains("workload.choices: \"all\" needs most_steps"));
  CHECK_THAT(refused(R"({"name": "token-ring", "choices": "all", "walk_length": 3,
                         "branch_walk_probability": 0.5})"),
             Contains("workload.choices: \"all\" needs most_steps"));
  CHECK(refused(R"({"name": "token-ring", "choices": "all", "walk_length": 3})").empty());
  CHECK(refused(R"({"name": "token-ring", "choices": "all", "most_steps": 3})").empty());
  CHECK_THAT(refused(R"({"name": "random-tree", "choices": "all"})"),
             Contains("workload.choices: \"all\" needs most_messages"));
  CHECK_THAT(refused(R"({"name": "random-tree", "pauses": true})"),
             Contains("workload.pauses: needs most_messages"));
  CHECK_THAT(refused(R"({"name": "random-tree", "most_messages": 3, "lambda": 0.5})"),
             Contains("workload.most_messages: tasks choose their children and ranks"));
  CHECK(refused(R"({"name": "random-tree", "choices": "all", "most_messages": 3})").empty());
}

TEST_CASE("a default that is written out does not change a scenario's hash") {
  const Workspace workspace;
  const auto hash = [&](const std::vector<std::string>& sets) {
    return workspace.scenario_after(sets).hash;
  };
  const std::string before = hash({});
  CHECK(hash({"workload.choices=seeded"}) == before);
  CHECK(hash({"workload.most_steps=5"}) != before);
  CHECK(hash({"workload.most_steps=5", "workload.choices=all"}) != hash({"workload.most_steps=5"}));
}

TEST_CASE("failure detectors refuse times of 0, too many helpers and a tree without branches") {
  const Workspace workspace;
  const auto error = [&workspace](const std::string& detector, bool one_rank = false) {
    std::vector<std::string> sets{R"(failure_detection={"name": )" + detector + "}"};
    if (one_rank)
      sets.insert(sets.end(), {"platform.processes=1", R"(workload={"name": "flood"})"});
    return workspace.errors_after(sets);
  };
  for (const std::string option :
       {"heartbeat_period_s", "answer_timeout_s", "gossip_period_s", "push_pull_period_s"})
    for (const char* time_s : {"0", "-1"})
      CHECK_THAT(error(std::string(R"("swim", ")").append(option).append("\": ").append(time_s)),
                 Contains("s.json: failure_detection." + option + ": "));
  CHECK_THAT(error(R"("swim", "answer_timeout_s": 1)"),
             Contains("failure_detection.answer_timeout_s: expected less than heartbeat_period_s"));
  CHECK_THAT(error(R"("swim", "indirect_probes": 17)"),
             Contains("failure_detection.indirect_probes: expected at most the number of members, "
                      "which is 16"));
  CHECK_THAT(error(R"("connection-loss", "radix": 0)"),
             Contains("s.json: failure_detection.radix: "));
  for (const std::string detector : {R"("swim")", R"("connection-loss")"})
    CHECK_THAT(error(detector, true), Contains("failure_detection.members: expected at least two"));
  CHECK_THAT(error(R"("erring-oracle", "accused": 16)"),
             Contains("failure_detection.accused: expected a rank below 16, got 16"));
  CHECK_THAT(error(R"("erring-oracle", "reporter": 2)"),
             Contains("failure_detection.accused: expected another rank than the reporter, got 2"));
  for (const std::string good : {R"("swim", "indirect_probes": 16, "push_pull_period_s": null)",
                                 R"("connection-loss", "radix": 1, "members": "ranks")"})
    CHECK(error(good).empty());
}

TEST_CASE("lists that combine to too many points are refused") {
  const Workspace workspace;
  std::string list;
  for (int i = 1; i <= 101; ++i)
    list += (list.empty() ? "" : ",") + std::string(R"({"name": "oracle", "delay_s": )") +
            std::to_string(i) + "}";
  std::string detectors;
  for (int i = 1; i <= 100; ++i)
    detectors += (detectors.empty() ? "" : ",") +
                 std::string(R"({"name": "cda", "control_bytes": )") + std::to_string(i) + "}";
  CHECK_THAT(workspace.errors_after(
                 {"failure_detection=[" + list + "]", "termination=[" + detectors + "]"}),
             Contains("combine to more than 10000 points"));
}

TEST_CASE("without SimGrid its engine and its platform files are refused by name") {
  Workspace workspace;
  workspace.backends = {.simgrid = false, .inspect_xml = {}};
  CHECK_THAT(workspace.errors_after({"engine=simgrid"}),
             Contains("engine: this program was built without SimGrid"));
  CHECK_THAT(workspace.errors_after({R"(platform={"xml": "p.xml", "processes": 4})"}),
             Contains("platform.xml: needs SimGrid"));
}

TEST_CASE("a platform file is looked into by whoever knows SimGrid") {
  Workspace workspace;
  workspace.write("p.xml", "<platform/>");
  std::string asked;
  workspace.backends.inspect_xml = [&](const std::string& path, std::uint32_t) {
    asked = path;
    return platform::XmlSummary{
        .hosts = 3, .cores_per_host = 2, .local_latency_s = 1e-6, .local_bandwidth_Bps = 1e9};
  };
  const std::string xml = R"(platform={"xml": "p.xml", "processes": 6, "processes_per_node": 2})";
  const Scenario scenario = workspace.scenario_after({xml, "platform.overheads.gap_s=1e-7"});
  CHECK(asked == workspace.path("p.xml"));
  CHECK(scenario.points[0].platform.xml_path == asked);
  CHECK(scenario.points[0].platform.machine.nodes == 3);
  CHECK(scenario.points[0].platform.machine.gap_s == 1e-7);
  CHECK(scenario.points[0].platform.machine.local_latency_s == 1e-6);
  CHECK_THAT(workspace.errors_after({xml, "platform.processes=7"}),
             Contains("platform.processes: expected at most 6"));
  CHECK_THAT(workspace.errors_after({xml, "platform.processes_per_node=3"}),
             Contains("platform.processes_per_node: expected at most 2") &&
                 Contains("platform.overheads.cores_per_host"));
  CHECK(workspace
            .errors_after(
                {xml, "platform.processes_per_node=3", "platform.overheads.cores_per_host=3"})
            .empty());
  CHECK_THAT(workspace.errors_after({xml, "platform.overheads.gap_us=1"}),
             Contains("platform.overheads.gap_us: unknown key, expected \"gap_s\" in seconds"));
}

TEST_CASE("a platform file that is missing or that SimGrid refuses is named") {
  Workspace workspace;
  const std::string xml = R"(platform={"xml": "p.xml", "processes": 4})";
  CHECK_THAT(workspace.errors_after({xml}),
             Contains("platform.xml: ") && Contains("p.xml cannot be read"));
  CHECK_THAT(workspace.errors_after({R"(platform={"xml": ".", "processes": 4})"}),
             Contains("is a directory"));
  workspace.write("p.xml", "<platform/>");
  workspace.backends.inspect_xml = [](const std::string& path, std::uint32_t) {
    throw UsageError(path + ": SimGrid says no");
    return platform::XmlSummary{};
  };
  CHECK_THAT(workspace.errors_after({xml}),
             Contains("s.json: platform.xml: ") && Contains("p.xml: SimGrid says no"));
}

TEST_CASE("the content of a platform file enters the hash") {
  const Workspace workspace;
  const std::string xml = R"(platform={"xml": "p.xml", "processes": 1})";
  workspace.write("p.xml", "one");
  const std::string hash = workspace.scenario_after({xml}).hash;
  workspace.write("p.xml", "two");
  CHECK(workspace.scenario_after({xml}).hash != hash);
}

}  // namespace faultline::scenario
