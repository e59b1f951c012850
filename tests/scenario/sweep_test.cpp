// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/sweep.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/json/json_reader.hpp"
#include "sim/scenario/study.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

Sweep sweep_of(const std::string& text) {
  json::Problems problems("s.json");
  Sweep sweep = read_sweep(json::parse_json("{\"sweep\": " + text + "}", problems), problems);
  problems.throw_if_any();
  return sweep;
}

std::vector<std::string> points_of(const Sweep& sweep) {
  std::vector<std::string> points;
  for (std::size_t i = 0; i < sweep.combinations(); ++i) {
    json::Problems problems("s.json");
    const SweepPoint point = sweep_point(sweep, i, problems);
    problems.throw_if_any();
    if (point.wanted) points.push_back(parameters_text(sweep, point.parameters));
  }
  return points;
}

std::vector<std::string> points_of(const std::string& text) { return points_of(sweep_of(text)); }

std::string refusal(const std::string& text) {
  try {
    points_of(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string study_error(const std::string& path) {
  try {
    load_study(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the last axis of a sweep varies fastest") {
  CHECK(points_of(R"({"seed": [1, 2], "name": ["a", "b", "c"]})") ==
        Words{"seed=1, name=a", "seed=1, name=b", "seed=1, name=c", "seed=2, name=a",
              "seed=2, name=b", "seed=2, name=c"});
}

TEST_CASE("a range has exact ends and round values") {
  const auto values = [](const std::string& range) {
    const Sweep sweep = sweep_of("{\"seed\": " + range + "}");
    return json::to_json(sweep.dimensions.at(0).at(0).values);
  };
  CHECK(values(R"({"from": 64, "to": 1024, "times": 2})") == "[64,128,256,512,1024]");
  CHECK(values(R"({"from": 64, "to": 1000, "times": 2})") == "[64,128,256,512]");
  CHECK(values(R"({"from": 0.1, "to": 0.5, "step": 0.1})") == "[0.1,0.2,0.3,0.4,0.5]");
  CHECK(values(R"({"from": 1e-6, "to": 1e-3, "times": 10})") == "[1e-06,1e-05,1e-04,0.001]");
  CHECK(values(R"({"from": 3, "to": -1, "step": -2})") == "[3,1,-1]");
  CHECK(values(R"({"from": 8, "to": 1, "times": 0.5})") == "[8,4,2,1]");
  CHECK(values(R"({"from": 5, "to": 5, "step": 1})") == "[5]");
}

TEST_CASE("zipped axes advance together") {
  CHECK(points_of(R"({"zip": [{"seed": [1, 2], "name": ["a", "b"]}], "engine": ["loggp"]})") ==
        Words{"seed=1, name=a, engine=loggp", "seed=2, name=b, engine=loggp"});
}

TEST_CASE("derived values follow, and constraints see them") {
  CHECK(points_of(R"({"platform.processes": [4, 8, 16],
                      "derive": {"replications": "platform.processes / 4",
                                 "seed": "replications * 3"},
                      "where": ["seed > 3", "platform.processes != 16 or seed == 0"]})") ==
        Words{"platform.processes=8, replications=2, seed=6"});
}

TEST_CASE("whole objects are values, and go by what tells them apart") {
  CHECK(points_of(R"({"termination": [{"name": "a"}, {"name": "b", "x": 1}, {"name": "b"}]})") ==
        Words{"termination=a", "termination={\"name\":\"b\",\"x\":1}",
              "termination={\"name\":\"b\"}"});
  const Sweep sweep = sweep_of(R"({"termination": [{"name": "a"}], "termination.x": [1, 2]})");
  json::Problems problems("s.json");
  CHECK(json::to_json(sweep_point(sweep, 1, problems).scenario) ==
        R"({"termination":{"name":"a","x":2}})");
}

TEST_CASE("a sweep that cannot be read is refused with its place") {
  CHECK_THAT(refusal("[1]"), Contains("s.json: sweep: expected an object of paths"));
  CHECK_THAT(refusal(R"({"platfrom.processes": [1]})"),
             Contains("sweep[\"platfrom.processes\"]: a scenario has no key \"platfrom\", did you "
                      "mean \"platform\"?"));
  CHECK_THAT(refusal(R"({"seed": 3})"),
             Contains("sweep.seed: expected a list of values or a range"));
  CHECK_THAT(refusal(R"({"seed": []})"), Contains("sweep.seed: expected at least one value"));
  CHECK_THAT(refusal(R"({"a b..": [1]})"), Contains("expected a path"));
  CHECK_THAT(refusal(R"({"seed": {"from": 1, "to": 4}})"),
             Contains("exactly one of times and step"));
  CHECK_THAT(refusal(R"({"seed": {"from": 1, "to": 4, "step": -1}})"), Contains("does not lead"));
  CHECK_THAT(refusal(R"({"seed": {"from": 0, "to": 4, "times": 2}})"), Contains("does not lead"));
  CHECK_THAT(refusal(R"({"seed": {"from": 0, "to": 1e9, "step": 1}})"), Contains("at most 10000"));
  CHECK_THAT(refusal(R"({"seed": {"from": 0, "to": 4, "stepp": 1}})"), Contains("did you mean"));
  CHECK_THAT(refusal(R"({"zip": [{"seed": [1, 2], "name": ["a"]}]})"),
             Contains("sweep.zip[0]: \"seed\" has 2 values and \"name\" has 1"));
  CHECK_THAT(refusal(R"({"seed": [1], "derive": {"seed": "2"}})"), Contains("already swept"));
  CHECK_THAT(refusal(R"({"stop.time_s": [1], "stop": [{}]})"),
             Contains("would overwrite \"stop.time_s\""));
  CHECK_THAT(refusal(R"({"where": ["seed > 1", "sed > 1"]})"),
             Contains("sweep.where[1]: \"sed\" is no path of a scenario, did you mean \"seed\"?"));
  CHECK_THAT(refusal(R"({"where": ["platform.machine == mira"]})"),
             Contains("sweep.where[0]: \"mira\" is no path") &&
                 Contains("uote it if it is a text: 'mira'"));
  CHECK_THAT(refusal(R"({"derive": {"seed": "platform.proceses"}})"),
             Contains("sweep.derive.seed: \"platform.proceses\" is no path of a scenario, did you "
                      "mean \"platform.processes\"?") &&
                 !Contains("text"));
  CHECK_THAT(refusal(R"({"where": ["workload[0].name == 'b'", "sweep.seed == 1"]})"),
             Contains("sweep.where[0]: \"workload[0].name\" is no path") &&
                 Contains("sweep.where[1]: \"sweep.seed\" is no path"));
  CHECK_THAT(refusal(R"({"where": ["1 +"]})"), Contains("sweep.where[0]: column 4: expected"));
  CHECK_THAT(refusal(R"({"where": ["1 + 1"]})"),
             Contains("sweep.where[0]: the result of \"+\" is 2"));
  CHECK_THAT(refusal(R"({"precision": {"metric": "x"}})"), Contains("relative_half_width"));
  std::string big = R"({"where": [])";
  for (const char* key : {"seed", "replications", "stop.events", "stop.time_s"})
    big += std::string(", \"") + key + R"(": {"from": 1, "to": 100, "step": 1})";
  CHECK_THAT(refusal(big + "}"), Contains("combine to 1e+08 points"));
}

TEST_CASE("a study checks every point before anything runs, and tells one mistake once") {
  const Workspace workspace;
  std::string text = Workspace::good();
  text.insert(text.rfind('}'), R"(, "sweep": {"platform.processes": [0, 2], "seed": [1, 2]})");
  const std::string error = study_error(workspace.write("s.json", text));
  CHECK_THAT(error, Contains("s.json: platform.processes: expected an integer from 1"));
  CHECK_THAT(error, Contains("(point 0: platform.processes=0, seed=1, and 1 more)"));
  CHECK(std::count(error.begin(), error.end(), '\n') == 0);
}

TEST_CASE("points that say the same, and no points at all, are refused") {
  const Workspace workspace;
  const auto with = [&](const std::string& sweep) {
    std::string text = Workspace::good();
    text.insert(text.rfind('}'), ", \"sweep\": " + sweep);
    return study_error(workspace.write("s.json", text));
  };
  CHECK_THAT(with(R"({"platform.processes": [2, 3, 2]})"),
             Contains("this point equals point 0: platform.processes=2"));
  CHECK_THAT(with(R"({"seed": [2], "where": ["seed == 3"]})"), Contains("no point satisfies"));
  CHECK(with(R"({"seed": [2, 3]})") == "accepted");
}

TEST_CASE("a study's hash is of what its points say") {
  const Workspace workspace;
  const auto hash = [&](const std::string& sweep) {
    std::string text = Workspace::good();
    if (!sweep.empty()) text.insert(text.rfind('}'), ", \"sweep\": " + sweep);
    return load_study(workspace.write("s.json", text)).hash;
  };
  CHECK(hash(R"({"seed": [1, 2]})") == hash(R"({"seed": {"from": 1, "to": 2, "step": 1}})"));
  CHECK(hash(R"({"seed": [1, 2]})") != hash(R"({"seed": [1, 3]})"));
  CHECK(hash(R"({"name": ["other"]})") == hash(""));
  // A replication is the same however many there are.
  CHECK(hash(R"({"replications": [4]})") == hash(R"({"replications": [5]})"));
  CHECK(hash("") == hash(R"({"precision": {"metric": "m", "relative_half_width": 0.1}})"));
}

TEST_CASE("a study knows the points that it would make of other values") {
  const Workspace workspace;
  const auto study_of = [&](const std::string& keys) {
    std::string text = Workspace::good();
    return load_study(workspace.write("s.json", text.insert(text.rfind('}'), ", " + keys)));
  };
  const auto parameters = [](const Study& study) { return point_parameters(study, 0); };
  const std::string derive = R"("derive": {"platform.processes": "seed * 2"})";
  const Study study = study_of(R"("sweep": {"seed": [4, 6], )" + derive + "}");
  const Study other = study_of(R"("sweep": {"seed": [8], "where": ["seed > 7"], )" + derive + "}");
  REQUIRE(other.points[0].hash != study.points[0].hash);
  CHECK(would_make(study, parameters(other), other.points[0].hash));
  CHECK(would_make(other, parameters(study), study.points[0].hash));
  CHECK_FALSE(would_make(study, parameters(other), study.points[0].hash));
  for (const auto& [keys, expected] : std::vector<std::pair<std::string, bool>>{
           {R"("sweep": {"seed": [8], "platform.processes": [16]})", true},
           {R"("sweep": {"seed": [8], "platform.processes": [24]})", false},
           {R"("sweep": {"seed": [8]})", false},
           {R"("sweep": {"seed": [8], "platform.processes": [16], "name": ["x"]})", false},
           {R"("allow_unsafe": true, "sweep": {"seed": [8], "platform.processes": [16]})",
            false}}) {
    INFO(keys);
    const Study stranger = study_of(keys);
    CHECK(would_make(study, parameters(stranger), stranger.points[0].hash) == expected);
  }
  CHECK_FALSE(would_make(study, {{"seed", "x"}, {"platform.processes", 4}}, "h"));
  CHECK_FALSE(would_make(study, {}, "h"));
}

TEST_CASE("run refuses a sweep and says what carries it out") {
  const Workspace workspace;
  std::string text = Workspace::good();
  text.insert(text.rfind('}'), R"(, "sweep": {"seed": [1]})");
  CHECK_THAT(workspace.errors(text), Contains("faultline sweep FILE"));
}

TEST_CASE("the points of a study look into each file once") {
  const Workspace workspace;
  int inspections = 0;
  const auto inspect = [&](const std::string&, std::uint32_t) {
    ++inspections;
    return platform::XmlSummary{.hosts = 64};
  };
  workspace.write("p.xml", "<platform/>");
  const Study study = load_study(workspace.write("s.json", R"({"schema_version": 1, "name": "s",
    "replications": 3, "platform": {"xml": "p.xml", "processes": 4},
    "workload": {"name": "token-ring"}, "termination": {"name": "cda"},
    "sweep": {"seed": {"from": 1, "to": 50, "step": 1}, "platform.processes": [4, 8]}})"),
                                 {}, {.simgrid = true, .inspect_xml = inspect});
  CHECK(study.points.size() == 100);
  CHECK(inspections == 2);  // the routes of 4 hosts, and those of 8
  CHECK(study.points[99].replications == 3);
}

TEST_CASE("values are set at their paths in order, and what does not fit names its place") {
  json::Problems problems("s.json");
  const json::JsonValue plain = json::parse_json(R"({"seed": 1, "faults": {"at": []}})", problems);
  const json::JsonValue changed = with_values(plain,
                                              {{"name", "7"},
                                               {"faults.at[0]", json::JsonValue::Object{}},
                                               {"faults.at[0].time_s", 0.5},
                                               {"seed", 2}},
                                              "changes[3]", problems);
  CHECK(problems.empty());
  CHECK(json::to_json(changed) == R"({"seed":2,"faults":{"at":[{"time_s":0.5}]},"name":"7"})");
  CHECK(json::to_json(plain) == R"({"seed":1,"faults":{"at":[]}})");
  problems.add("seed", "is even");
  with_values(plain, {{"seed.x", 1}, {"..", 1}}, "changes[4]", problems);
  CHECK_THAT(problems.text(), Contains("seed: is even (from changes[3].seed)") &&
                                  Contains(R"(changes[4]["seed.x"]: )") &&
                                  Contains(R"(changes[4][".."]: expected a path such as)"));
}

}  // namespace faultline::scenario
