// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/stacks.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/json/json_reader.hpp"
#include "sim/scenario/known_paths.hpp"
#include "sim/scenario/study.hpp"
#include "sim/scenario/sweep.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

/// The points of a scenario's tree: their labels and, after a colon, their scenarios.
std::vector<std::string> points_in(const std::string& text) {
  json::Problems problems("s.json");
  const Sweep sweep = read_sweep(json::parse_json(text, problems), problems);
  problems.throw_if_any();
  std::vector<std::string> points;
  for (std::size_t i = 0; i < sweep.combinations(); ++i) {
    const SweepPoint point = sweep_point(sweep, i, problems);
    problems.throw_if_any();
    if (point.wanted)
      points.push_back(parameters_text(sweep, point.parameters) + ": " +
                       json::to_json(point.scenario));
  }
  return points;
}

std::string refusal_in(const std::string& text) {
  try {
    points_in(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

/// The good scenario with more keys at its end.
std::string good_with(const std::string& keys) {
  std::string text = Workspace::good();
  return text.insert(text.rfind('}'), ", " + keys);
}

std::string study_refusal(const std::string& file, const std::vector<std::string>& sets = {}) {
  try {
    load_study(file, {.sets = sets});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a stack replaces whole objects, and a path in it sets one key") {
  CHECK(points_in(R"({"termination": {"name": "a", "x": 1}, "stop": {"time_s": 9},
                      "stacks": {"one": {"termination": {"name": "b"}, "stop.events": 5},
                                 "two + three": {"termination.x": 2, "transactions": {"name": "c"}}
                                }})") ==
        Words{R"(stacks=one: {"termination":{"name":"b"},"stop":{"time_s":9,"events":5}})",
              R"(stacks=two + three: {"termination":{"name":"a","x":2},"stop":{"time_s":9},)"
              R"("transactions":{"name":"c"}})"});
}

TEST_CASE("stacks are an axis, after lists of components and before those of the sweep") {
  CHECK(
      points_in(R"({"sweep": {"seed": [1, 2]}, "stacks": {"x": {"name": "a"}, "y": {"name": "b"}},
                      "termination": [{"name": "t"}, {"name": "u"}]})") ==
      Words{
          R"(termination=t, stacks=x, seed=1: {"termination":{"name":"t"},"name":"a","seed":1})",
          R"(termination=t, stacks=x, seed=2: {"termination":{"name":"t"},"name":"a","seed":2})",
          R"(termination=t, stacks=y, seed=1: {"termination":{"name":"t"},"name":"b","seed":1})",
          R"(termination=t, stacks=y, seed=2: {"termination":{"name":"t"},"name":"b","seed":2})",
          R"(termination=u, stacks=x, seed=1: {"termination":{"name":"u"},"name":"a","seed":1})",
          R"(termination=u, stacks=x, seed=2: {"termination":{"name":"u"},"name":"a","seed":2})",
          R"(termination=u, stacks=y, seed=1: {"termination":{"name":"u"},"name":"b","seed":1})",
          R"(termination=u, stacks=y, seed=2: {"termination":{"name":"u"},"name":"b","seed":2})"});
  // One is enough.
  CHECK(points_in(R"({"stacks": {"x": {"name": "a"}}})") == Words{R"(stacks=x: {"name":"a"})"});
}

TEST_CASE("stacks stand in a sweep, too, alone and zipped") {
  CHECK(points_in(R"({"sweep": {"seed": [1, 2], "stacks": {"x": {"name": "a"}}}})") ==
        Words{R"(seed=1, stacks=x: {"seed":1,"name":"a"})",
              R"(seed=2, stacks=x: {"seed":2,"name":"a"})"});
  CHECK(points_in(R"({"sweep": {"zip": [{"stacks": {"x": {"name": "a"}, "y": {"name": "b"}},
                                         "seed": [1, 2]}]}})") ==
        Words{R"(stacks=x, seed=1: {"name":"a","seed":1})",
              R"(stacks=y, seed=2: {"name":"b","seed":2})"});
  CHECK_THAT(
      refusal_in(R"({"sweep": {"zip": [{"stacks": {"x": {"name": "a"}}, "seed": [1, 2]}]}})"),
      Contains("sweep.zip[0]: \"stacks\" has 1 values and \"seed\" has 2"));
}

TEST_CASE("formulas see the name of a stack and what it sets") {
  CHECK(points_in(R"({"stacks": {"x": {"replications": 4}, "y": {"replications": 6},
                                 "z": {"replications": 8}},
                      "sweep": {"derive": {"seed": "replications / 2"},
                                "where": ["stacks != 'y'",
                                          "replications < 8 or stacks == 'y'"]}})") ==
        Words{R"(stacks=x, seed=2: {"replications":4,"seed":2})"});
  CHECK_THAT(refusal_in(R"({"stacks": {"x": {"seed": 4}}, "sweep": {"where": ["stacks.x == 1"]}})"),
             Contains("sweep.where[0]: \"stacks.x\" is no path of a scenario"));
  CHECK(KnownPaths::of_scenarios().contains(json::split_path("stacks")));
}

TEST_CASE("a family that the scenario does not have can be swept") {
  CHECK(points_in(R"({"sweep": {"transactions": [{"name": "fampi"}, {"name": "ulfm"}]}})") ==
        Words{R"(transactions=fampi: {"transactions":{"name":"fampi"}})",
              R"(transactions=ulfm: {"transactions":{"name":"ulfm"}})"});
  CHECK(points_in(R"({"sweep": {"zip": [{"transactions": [{"name": "a"}],
                                         "failure_detection": [{"name": "b"}]}]}})") ==
        Words{R"(transactions=a, failure_detection=b: {"transactions":{"name":"a"},)"
              R"("failure_detection":{"name":"b"}})"});
}

TEST_CASE("stacks that cannot be read are refused with their place") {
  for (
      const auto& [stacks, message] : std::vector<std::pair<std::string, std::string>>{
          {"[1]",
           "s.json: stacks: expected an object of names and the keys that each stack sets, "
           "got a list"},
          {"{}", "stacks: expected an object of names and the keys that each stack sets, got none"},
          {R"({"": {"seed": 1}})", R"(stacks[""]: expected a name for the stack, got "")"},
          {R"({"  ": {"seed": 1}})", R"(stacks["  "]: expected a name for the stack)"},
          {R"({"a\u001b[1m": {"seed": 1}})", R"(stacks["a\x1b[1m"]: expected a name of one line)"},
          {R"({"a\nb": {"seed": 1}})", "expected a name of one line without control characters"},
          {R"({"a": {"seed": 1}, "a": {"seed": 2}})", "stacks.a: duplicate key"},
          {R"({"a + b": {}})",
           R"(stacks["a + b"]: expected an object with the keys that the stack )"
           "sets, got none"},
          {R"({"a + b": 7})", R"(stacks["a + b"]: expected an object with the keys that the stack )"
                              "sets, got 7"},
          {R"({"a + b": {"failure_detecton": {"name": "swim"}}})",
           R"(stacks["a + b"].failure_detecton: a scenario has no key "failure_detecton", did you )"
           R"(mean "failure_detection"?)"},
          {R"({"a": {"sweep": {"seed": [1]}}})", R"(stacks.a.sweep: "sweep" makes points)"},
          {R"({"a": {"stacks": {"b": {"seed": 1}}}})", R"(stacks.a.stacks: "stacks" makes points)"},
          {R"({"a": {"x..": 1}})", R"(stacks.a["x.."]: expected a path)"},
          {R"({"a": {"termination": [{"name": "b"}]}})",
           "stacks.a.termination: expected one component, got a list"},
          {R"({"a": {"stop.time_s": 1, "stop": {}}})",
           R"(stacks.a.stop: would overwrite "stop.time_s", which must come after it)"}}) {
    INFO(stacks);
    CHECK_THAT(refusal_in("{\"stacks\": " + stacks + "}"), Contains(message));
  }
}

TEST_CASE("what a stack sets is set by no other axis") {
  const std::string stacks =
      R"("stacks": {"a": {"seed": 1}, "b + c": {"termination": {"name": "t"}, "stop.time_s": 2}})";
  for (const auto& [others, message] : std::vector<std::pair<std::string, std::string>>{
           {R"("sweep": {"termination": [{"name": "t"}]})",
            R"(stacks["b + c"].termination: is set by sweep.termination, too; expected one of the )"
            "two"},
           {R"("sweep": {"zip": [{"termination": [{"name": "t"}]}]})",
            R"(stacks["b + c"].termination: is set by sweep.zip[0].termination, too)"},
           {R"("termination": [{"name": "t"}, {"name": "u"}])",
            R"(stacks["b + c"].termination: is set by termination, too)"},
           {R"("sweep": {"stop": [{}]})",
            R"(stacks["b + c"]["stop.time_s"]: is set by sweep.stop, too)"},
           {R"("sweep": {"derive": {"seed": "1"}})", "stacks.a.seed: is set by sweep.derive.seed"},
           {R"("sweep": {"stacks": {"d": {"name": "n"}}})",
            R"(sweep.stacks: is already swept as "stacks")"},
           {R"("sweep": {"derive": {"stacks": "'a'"}})",
            R"(sweep.derive.stacks: "stacks" makes points and cannot be set)"}}) {
    INFO(others);
    std::string text = "{";
    text.append(stacks).append(", ").append(others).append("}");
    CHECK_THAT(refusal_in(text), Contains(message));
  }
  // What comes after a stack may set one key of an object that the stack sets.
  CHECK(points_in("{" + stacks + R"(, "sweep": {"termination.x": [1], "where": ["seed != 1"]}})") ==
        Words{R"(stacks=b + c, termination.x=1: {"termination":{"name":"t","x":1},)"
              R"("stop":{"time_s":2}})"});
}

TEST_CASE("an error of a point says which stack has set the value") {
  const Workspace workspace;
  const auto error = [&](const std::string& stacks, const std::vector<std::string>& sets = {}) {
    return study_refusal(workspace.write("s.json", good_with("\"stacks\": " + stacks)), sets);
  };
  CHECK_THAT(
      error(R"({"a + b": {"termination": {"name": "cdaa"}}, "c": {"seed": 1}})"),
      Contains(R"(s.json: termination.name: unknown termination "cdaa", did you mean "cda"?)") &&
          Contains(R"( (from stacks["a + b"].termination) (point 0: stacks=a + b))"));
  CHECK_THAT(error(R"({"a": {"platform": {"processes": 4}}})"),
             Contains("(from stacks.a.platform) (point 0: stacks=a)"));
  CHECK_THAT(error(R"({"a": {"seed": 1}, "b": {"seed.x": 1}})"),
             Contains(R"(stacks.b["seed.x"]: seed is 7 and has no key "x")"));
  // A value that another axis has set within the object of a stack is not the stack's.
  CHECK_THAT(error(R"({"a": {"termination": {"name": "cda"}}})",
                   {R"(sweep={"termination.initial_credit": [-1]})"}),
             Contains("termination.initial_credit: expected") && !Contains("from stacks"));
  CHECK_THAT(error(R"({"a": {"seed": 1}})", {"stacks.a.seed=-1"}), Contains("from stacks.a.seed"));
  CHECK(error(R"({"a": {"seed": 1}})", {"stacks.b + c.seed=2"}) == "accepted");
  CHECK_THAT(error(R"({"a": {"seed": 1}, "b": {"seed": 1}})"),
             Contains("this point equals point 0: stacks=a"));
}

TEST_CASE("the points of stacks have the hashes of scenarios that state the same") {
  const Workspace workspace;
  const auto study = [&](const std::string& keys) {
    return load_study(workspace.write("s.json", good_with(keys)));
  };
  const Study stacks =
      study(R"("stacks": {"a": {"termination": {"name": "four-counter"}}, "b": {"seed": 7}})");
  const Study swept =
      study(R"("sweep": {"termination": [{"name": "four-counter"}, {"name": "cda"}]})");
  REQUIRE(stacks.points.size() == 2);
  CHECK(stacks.points[0].hash == swept.points[0].hash);
  CHECK(stacks.points[1].hash == swept.points[1].hash);
  CHECK(point_label(stacks, 1) == "stacks=b");
  CHECK(json::to_json(point_parameters(stacks, 0)) == R"({"stacks":"a"})");
}

TEST_CASE("a study knows a stack by its name and by what it sets") {
  const Workspace workspace;
  const auto study = [&](const std::string& stacks) {
    return load_study(workspace.write("s.json", good_with("\"stacks\": " + stacks)));
  };
  const Study known = study(R"({"a": {"seed": 1}, "b": {"seed": 2}})");
  const auto makes = [&](const Study& other) {
    return would_make(known, point_parameters(other, 0), other.points[0].hash);
  };
  CHECK(makes(study(R"({"b": {"seed": 2}})")));
  CHECK_FALSE(makes(study(R"({"b": {"seed": 3}})")));
  CHECK_FALSE(makes(study(R"({"c": {"seed": 2}})")));
  CHECK_FALSE(would_make(known, {{"stacks", 2}}, known.points[0].hash));
}

TEST_CASE("run refuses stacks and names the verb that runs them") {
  const Workspace workspace;
  CHECK_THAT(workspace.errors(good_with(R"("stacks": {"a": {"seed": 1}})")),
             Contains("stacks: needs the verb sweep: faultline sweep FILE"));
}

}  // namespace faultline::scenario
