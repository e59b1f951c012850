// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/tuning.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/advice/reasons.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::advice {

using Catch::Matchers::Contains;

namespace {

std::string text(const json::JsonValue::List& values) { return json::to_json(values); }

/// What a question about a stencil under two recoveries and two detectors chooses from.
Field field(const std::string& keys) {
  return field_of(parse_question(
      R"({"schema_version": 1, "scenario": {"platform": {"machine": "cori", "processes": 16,
    "spare_nodes": 2}, "workload": {"name": "stencil", "iterations": 10, "checkpoint_iterations":
    5}, "faults": {"poisson": {"mtbf_s": 1}}, "stop": {"when": "finished"}},
    "stacks": {"fast": {"message_logging": {"name": "fast"}, "failure_detection": {"name": "ulfm"}},
      "ulfm": {"transactions": {"name": "ulfm"}, "failure_detection": {"name": "connection-loss"}}},
    )" + keys +
          "}",
      "q.json"));
}

std::vector<std::string> names_in(const Field& field) {
  std::vector<std::string> list;
  for (const Alternative& one : field.alternatives) list.push_back(one.name);
  return list;
}

std::string error(const std::string& keys) {
  try {
    field(keys);
  } catch (const UsageError& found) {
    return found.what();
  }
  return "";
}

}  // namespace

TEST_CASE("values of a range grow by one factor, from end to end") {
  CHECK(text(ladder({1, 64, true}, 8)) == "[1,2,4,8,16,32,64]");
  CHECK(text(ladder({1, 5, true}, 8)) == "[1,2,3,5]");
  CHECK(text(ladder({3, 4, true}, 8)) == "[3,4]");
  CHECK(text(ladder({0.1, 0.8, false}, 8)) == "[0.1,0.2,0.4,0.8]");
  CHECK(text(ladder({60, 60000, true}, 4)) == "[60,600,6000,60000]");
  CHECK(ladder({1e-9, 1e9, false}, 8).size() == 8);
  CHECK(text(ladder({123.456, 124, false}, 8)) == "[123.456,124]");
}

TEST_CASE("each stack comes as it is, and with each value of one option at a time") {
  const Field tuned = field(R"("tune": {"workload.checkpoint_iterations": [2, 5],
    "failure_detection.timeout_s": {"from": 4, "to": 16}})");
  CHECK(names_in(tuned) ==
        std::vector<std::string>{"fast", "fast, checkpoint_iterations 2", "fast, timeout_s 4",
                                 "fast, timeout_s 8", "fast, timeout_s 16", "ulfm",
                                 "ulfm, checkpoint_iterations 2"});  // 5 is what the scenario says
  CHECK(untuned_sentences(tuned) ==
        std::vector<std::string>{"failure_detection.timeout_s is not tuned in ulfm: "
                                 "connection-loss has no such option."});
  CHECK(tuned.alternatives[2].stack == "fast");
  const scenario::RunSpec spec = scenario::point_scenario(tuned.study, 4).points.front();
  CHECK(std::get<double>(spec.component(Family::failure_detection).options.at("timeout_s")) == 16);
  CHECK(spec.component(Family::message_logging).registration->name == "fast");
}

TEST_CASE("a value that the front end refuses is told apart, and no other") {
  const Field tuned = field(R"("tune": {"failure_detection.timeout_s": [-1, 20]})");
  CHECK(names_in(tuned) == std::vector<std::string>{"fast", "fast, timeout_s 20", "ulfm"});
  REQUIRE(tuned.refused.size() == 1);
  CHECK(tuned.refused[0].name == "fast, timeout_s -1");
  CHECK_THAT(tuned.refused[0].why, Contains("failure_detection.timeout_s: expected"));
}

TEST_CASE("what is wrong with values and ranges is said with its place") {
  const auto [keys, message] = GENERATE(table<std::string, std::string>({
      {R"("tune": [])", "q.json: tune: expected an object such as"},
      {R"("tune": {"workload.bytes": 5})", "tune[\"workload.bytes\"]: expected values such as"},
      {R"("tune": {"workload.bytes": "daly"})", "stands for values of checkpoint_iterations alone"},
      {R"("tune": {"workload.bytes": "dali"})", "a range such as"},
      {R"("tune": {"workload.bytes": []})", "expected at least one value"},
      {R"("tune": {"workload.bytes": {"from": 1}})", "expected a range such as"},
      {R"("over": {"workload.bytes": {"from": 0, "to": 1}})", "with numbers above 0"},
      {R"("over": {"workload.bytes": {"from": 2, "to": 1}})", "the larger one last"},
      {R"("over": {"workload.bytes": {"from": 1, "til": 2}})", "til"},
  }));
  CAPTURE(keys);
  CHECK_THAT(error(keys), Contains(message));
}

}  // namespace faultline::advice
