// SPDX-License-Identifier: Apache-2.0

// Sources of faults in scenario files: what they resolve to, their refusals and their hash.

#include <catch2/catch.hpp>

#include "sim/faults/fault_counts.hpp"
#include "sim/faults/fault_trace.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace faultline::scenario {

namespace {

const std::string kUnsafe = "allow_unsafe=true";

std::string sources(const std::string& json) { return "faults=" + json; }

}  // namespace

TEST_CASE("one source or a list of them, in the order of their names and then of the file") {
  const Workspace workspace;
  const Scenario scenario = workspace.scenario_after(
      {kUnsafe, sources(R"({"weibull": [{"mtbf_s": 2}, {"scale_s": 3, "shape": 1.5}],
                            "poisson": {"mtbf_s": 1}, "at": [{"time_s": 1, "ranks": [0]}]})")});
  const RunSpec& point = scenario.points.front();
  CHECK(point.has_faults());
  REQUIRE(point.fault_sources.size() == 3);
  CHECK(point.fault_sources[0].key == "poisson[0]");
  CHECK(point.fault_sources[1].key == "weibull[0]");
  CHECK(point.fault_sources[2].key == "weibull[1]");
  CHECK(point.fault_sources[2].options.at("shape") == OptionValue(1.5));
  CHECK_FALSE(faults::limit_of(point.fault_sources[0]));
  CHECK(faults::strikes_nodes(point.fault_sources[0]));
}

TEST_CASE("jaguar is read from the shipped counts, any other file from the scenario's folder") {
  const Workspace workspace;
  workspace.write("mine.json", R"({"schema_version": 1, "name": "m", "counts": {"2": 5, "4": 1}})");
  const Scenario scenario = workspace.scenario_after({kUnsafe, sources(R"({"jaguar": {"time_s": 1},
                            "counts": {"time_s": 1, "distribution": "mine.json"}})")});
  const auto& faults = scenario.points.front().fault_sources;
  const auto& mine = std::get<FaultCountsInput>(faults[0].options.at("distribution"));
  const auto& jaguar = std::get<FaultCountsInput>(faults[1].options.at("distribution"));
  CHECK(mine.content->total == 6);
  CHECK(jaguar.content->total == 1062);
  CHECK(faults::limit_of(faults[1]) == 1U);
}

TEST_CASE("bad options of a source are refused with their path") {
  const Workspace workspace;
  workspace.write("bad.json", R"({"schema_version": 1, "name": "b", "counts": {"0": 5}})");
  workspace.write("bad.csv", "what is this\n");
  workspace.write("p.profile", "5 0\n");
  const auto [faults, message] = GENERATE(table<std::string, std::string>({
      {R"({"poison": {}})", "faults.poison: unknown key, did you mean \"poisson\"?"},
      {R"({"poisson": 3})", "faults.poisson: expected an object, got 3"},
      {R"({"poisson": {}})", "faults.poisson.mtbf_s: missing"},
      {R"({"poisson": {"mtbf_s": 0}})", "faults.poisson.mtbf_s: expected a number above 0"},
      {R"({"poisson": {"mtbf_s": null}})",
       "faults.poisson.mtbf_s: expected a number above 0 in seconds, got null"},
      {R"({"poisson": [{"mtbf_s": 1}, {"mtbf_s": 1, "start_ms": 1}]})",
       "faults.poisson[1].start_ms: unknown key, expected \"start_s\" in seconds"},
      {R"({"weibull": {"mtbf_s": 1, "scale_s": 1}})",
       "faults.weibull.mtbf_s: expected exactly one of mtbf_s and scale_s"},
      {R"({"weibull": {"mtbf_s": 1, "shape": 0}})", "faults.weibull.shape: expected a number from"},
      {R"({"counts": {"time_s": 1, "size": 2, "distribution": "jaguar"}})",
       "faults.counts.distribution: expected one of distribution and size"},
      {R"({"jaguar": {"time_s": 1, "size": 2}})", "faults.jaguar.size: unknown key"},
      {R"({"poisson": {"mtbf_s": 1, "sizes": "jagar"}})",
       "faults.poisson.sizes: unknown fault distribution \"jagar\", did you mean \"jaguar\"?"},
      {R"({"poisson": {"mtbf_s": 1, "sizes": "bad.json"}})", "faults.poisson.sizes: "},
      {R"({"poisson": {"mtbf_s": 1, "sizes": "none.json"}})", "none.json: no such file"},
      {R"({"poisson": {"mtbf_s": 1, "placement": "rack"}})",
       "faults.poisson.placement: expected one of uniform, contiguous or related"},
      {R"({"poisson": {"mtbf_s": 1, "limit": 0}})", "faults.poisson.limit: expected an integer"},
      {R"({"poisson": {"mtbf_s": 1, "scope": "machine", "victims": "ranks"}})",
       "faults.poisson.victims: expected \"nodes\" with scope \"machine\""},
      {R"({"counts": {"time_s": 1}})",
       "faults.counts.distribution: expected one of distribution and size"},
      {R"({"jaguar": {}})", "faults.jaguar.time_s: missing"},
      {R"({"trace": {}})", "faults.trace.file: missing"},
      {R"({"trace": {"file": 3}})",
       "faults.trace.file: expected the path of a trace of failures, got 3"},
      {R"({"trace": {"file": "none.csv"}})", "none.csv: no such file"},
      {R"({"trace": {"file": "bad.csv"}})", "bad.csv: not a trace of failures"},
      {R"({"trace": {"file": "p.profile", "first_node": 4}})",
       "faults.trace.first_node: expected the job's node of the profile, 0 to 3"},
  }));
  CAPTURE(faults);
  const std::string error = workspace.errors_after({kUnsafe, sources(faults)});
  CHECK_THAT(error, StartsWith(workspace.path("s.json") + ": "));
  CHECK_THAT(error, Contains(message));
  CHECK(lines_in(error) == 1);
}

TEST_CASE("a protocol that tolerates no faults is refused under any source") {
  const Workspace workspace;
  const std::string poisson = R"("poisson": {"mtbf_s": 1})";
  CHECK_THAT(workspace.errors_after({sources("{" + poisson + "}")}),
             Contains("termination: cda tolerates no faults, expected no faults"));
  CHECK(workspace.errors_after({sources("{\"poisson\": []}")}).empty());
}

TEST_CASE("a run that waits for all deaths needs sources with an end") {
  const Workspace workspace;
  const std::vector<std::string> sets = {kUnsafe, "stop.when=all-reported",
                                         R"(failure_detection={"name": "oracle"})"};
  auto endless = sets;
  endless.push_back(sources(R"({"poisson": {"mtbf_s": 1}})"));
  CHECK_THAT(workspace.errors_after(endless),
             Contains("\"all-reported\" never comes under faults.poisson[0]"));
  auto limited = sets;
  limited.push_back(sources(R"({"poisson": {"mtbf_s": 1, "limit": 2}, "jaguar": {"time_s": 1}})"));
  CHECK(workspace.errors_after(limited).empty());
}

TEST_CASE("scope machine needs a machine whose nodes are known") {
  const Workspace workspace;
  workspace.write("p.xml", "<platform/>");
  CHECK_THAT(workspace.errors_after({kUnsafe, R"(platform={"xml": "p.xml", "processes": 4})",
                                     sources(R"({"poisson": {"mtbf_s": 1, "scope": "machine"}})")}),
             Contains("faults.poisson.scope: \"machine\" needs platform.machine"));
}

TEST_CASE("lines of a trace that cannot be read are told, with the trace's name") {
  const Workspace workspace;
  workspace.write("t.profile", "1 1\n5 0\nnonsense here\n7 1\n");
  const Scenario scenario =
      workspace.scenario_after({kUnsafe, sources(R"({"trace": {"file": "t.profile"}})")});
  REQUIRE(scenario.notes.size() == 1);
  CHECK_THAT(scenario.notes[0],
             StartsWith(workspace.path("s.json") + ": faults.trace.file: ") &&
                 Contains("t.profile: line 3 cannot be read: expected a date and a state"));
}

TEST_CASE("of a trace of several systems, only the lines of the one asked for are told") {
  const Workspace workspace;
  const auto row = [](const std::string& system, const std::string& node) {
    return system + ",cluster,49,6152,80,1," + node +
           ",5-Apr,5-Jun,current,part,80,1,1,0,compute,6/21/2005 10:54,6/21/2005 "
           "11:00,6,,Other,,,,,"
           "No\n";
  };
  workspace.write("lanl.csv", row("20", "0") + row("2", "") + row("20", "") + row("2", "1"));
  const auto notes = [&](const std::string& system) {
    return workspace
        .scenario_after(
            {kUnsafe, sources(R"({"trace": {"file": "lanl.csv", "system": )" + system + "}}")})
        .notes;
  };
  REQUIRE(notes("20").size() == 1);
  CHECK_THAT(notes("20")[0], Contains("lanl.csv: line 3 cannot be read: nodenumz"));
  REQUIRE(notes("2").size() == 1);
  CHECK_THAT(notes("2")[0], Contains("lanl.csv: line 2 cannot be read: nodenumz"));
}

TEST_CASE("the hash follows what a file of faults says, not where it lies") {
  const Workspace workspace;
  const std::string counts = R"({"schema_version": 1, "name": "x", "counts": {"2": 5, "4": 1}})";
  workspace.write("a.json", counts);
  workspace.write("b.json", R"({"schema_version": 1, "name": "y", "counts": {"4": 1, "2": 5}})");
  workspace.write("c.json", R"({"schema_version": 1, "name": "x", "counts": {"2": 5, "4": 2}})");
  workspace.write("a.profile", "5 0\n");
  workspace.write("b.profile", "6 0\n");
  const auto hash = [&](const std::string& kind, const std::string& file) {
    const std::string json = kind == "trace"
                                 ? R"({"trace": {"file": ")" + file + "\"}}"
                                 : R"({"counts": {"time_s": 1, "distribution": ")" + file + "\"}}";
    return workspace.scenario_after({kUnsafe, sources(json)}).hash;
  };
  CHECK(hash("counts", "a.json") == hash("counts", "b.json"));
  CHECK(hash("counts", "a.json") != hash("counts", "c.json"));
  CHECK(hash("trace", "a.profile") != hash("trace", "b.profile"));
}

}  // namespace faultline::scenario
