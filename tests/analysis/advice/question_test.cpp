// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/question.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"
#include "sim/core/error.hpp"

namespace faultline::advice {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string kJob = R"({"platform": {"machine": "stampede", "processes": 16, "spare_nodes": 2},
    "workload": {"name": "minife", "nx": 60, "ny": 60, "nz": 60, "iterations": 10,
                 "checkpoint_iterations": 5},
    "faults": {"poisson": {"mtbf_s": 1, "victims": "ranks"}}, "stop": {"when": "finished"}})";

std::string question_text(const std::string& keys) {
  return R"({"schema_version": 1, "scenario": )" + kJob + (keys.empty() ? "" : ", " + keys) + "}";
}

Question question(const std::string& keys) { return parse_question(question_text(keys), "q.json"); }

std::string errors(const std::string& keys) {
  try {
    field_of(question(keys));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> alternatives(const std::string& keys) {
  std::vector<std::string> list;
  for (const Alternative& one : field_of(question(keys)).alternatives) list.push_back(one.name);
  return list;
}

}  // namespace

TEST_CASE("a question is refused with the file, the place, and what was expected") {
  const auto [keys, message] = GENERATE(table<std::string, std::string>({
      {R"("choose": ["workload"])", "choose[0]: expected one of transactions, termination"},
      {R"("objective": "time_to_solutoin_s")", "did you mean \"time_to_solution_s\"?"},
      {R"("confidence": 1)", "confidence: expected"},
      {R"("equivalent_within": -0.1)", "equivalent_within: expected"},
      {R"("require": {})", "require: expected a list such as"},
      {R"("require": [{"metric": "completed"}])",
       "require[0]: bounds nothing, expected at_least or at_most"},
      {R"("require": [{"metric": "finished", "at_least": 1}])", "unknown metric \"finished\""},
      {R"("require": [{"metric": "completed", "at_least": 1, "at_most": 0.5}])",
       "at_least is above at_most"},
      {R"("chose": ["message_logging"])", "did you mean \"choose\"?"},
      {R"("stacks": [])", "stacks: expected an object such as"},
      {R"("stacks": {})", "stacks: expected an object such as"},
      {R"("stacks": {"a": 1})", "stacks.a: expected an object of families and paths, got 1"},
      {R"("choose": ["termination"], "stacks": {"a": {"seed": 2}})", "expected one of the two"},
      {R"("budget": {"events": 0})", "budget.events: expected"},
      {R"("compare_with": "causal")", "compare_with: expected an object such as"},
  }));
  CAPTURE(keys);
  const std::string found = errors(keys);
  CHECK_THAT(found, StartsWith("q.json: ") && Contains(message));
}

TEST_CASE("a question is about one job, and decides by itself how often to run it") {
  const auto refused = [](const std::string& key, const std::string& value) {
    std::string job = kJob;
    job.insert(1, "\"" + key + "\": " + value + ", ");
    try {
      parse_question(R"({"schema_version": 1, "scenario": )" + job + "}", "q.json");
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refused("replications", "3"), StartsWith("q.json: scenario.replications: "));
  CHECK_THAT(refused("sweep", R"({"seed": [1, 2]})"), StartsWith("q.json: scenario.sweep: "));
  CHECK_THAT(refused("stacks", R"({"a": {}})"), StartsWith("q.json: scenario.stacks: "));
}

TEST_CASE("choosing crosses families, and a recovery is of either family or none") {
  CHECK(alternatives(R"("choose": ["failure_detection"],
      "compare_with": {"transactions": {"name": "ulfm"}, "failure_detection": {"name": "swim"}}
      )") == std::vector<std::string>{"connection-loss", "rdaemon", "swim", "ulfm", "ulfm + swim"});
  const auto all = alternatives(R"("choose": ["message_logging", "transactions",
                                              "failure_detection"])");
  CHECK(all.size() == 36);  // nine recoveries, four detectors
  CHECK(std::count(all.begin(), all.end(), "fast + rdaemon") == 1);
  CHECK(std::count(all.begin(), all.end(), "fampi + swim") == 1);
  CHECK(std::count(all.begin(), all.end(), "no recovery + ulfm") == 1);
}

TEST_CASE("nobody is advised to use what nobody could build") {
  const std::string text = R"({"schema_version": 1, "scenario": {
      "platform": {"machine": "intrepid", "processes": 16}, "workload": {"name": "random-tree"},
      "failure_detection": {"name": "oracle"}, "faults": {"counts": {"size": 1, "time_s": 0.001}}},
      "choose": ["termination", "failure_detection"]})";
  const Field field = field_of(parse_question(text, "q.json"));
  for (const Alternative& one : field.alternatives)
    for (const std::string unusable : {"lai-wu", "venkatesan", "oracle"})
      CHECK_THAT(one.name, !Contains(unusable));
  // Those that cannot bear deaths are refused, each with the reason.
  REQUIRE_FALSE(field.refused.empty());
  CHECK(field.refused.front().name == "cda + connection-loss");
  CHECK_THAT(field.refused.front().why, StartsWith("termination") && !Contains("(point"));
}

TEST_CASE("what a question leaves open is told from the job") {
  const Question open = question("");
  const Field field = field_of(open);
  const RaceRules rules = rules_of(open, field);
  CHECK(rules.objective == "time_to_solution_s");
  REQUIRE(rules.require.size() == 1);
  CHECK(requirement_text(rules.require.front()) == "completed at least 0.95");
  CHECK(field.alternatives.size() == 36);
  // A scenario is a question, too.
  std::string job = kJob;
  job.insert(1, R"("schema_version": 1, )");
  CHECK(field_of(parse_question(job, "s.json")).study.hash == field.study.hash);
}

TEST_CASE("an alternative that equals what is used today is that, and not two") {
  const Field field = field_of(question(R"("stacks": {
      "a": {"message_logging": {"name": "causal"}, "failure_detection": {"name": "rdaemon"}},
      "b": {"transactions": {"name": "ulfm"}, "failure_detection": {"name": "rdaemon"}}},
      "compare_with": {"message_logging": {"name": "causal"},
                       "failure_detection": {"name": "rdaemon"}})"));
  REQUIRE(field.alternatives.size() == 2);
  CHECK(field.alternatives[0].is_todays);
  CHECK_FALSE(field.alternatives[1].is_todays);
}

TEST_CASE("a job that no alternative can run is refused as a scenario is") {
  std::string job = kJob;
  job.replace(job.find("stampede"), 8, "stampedo");
  try {
    field_of(parse_question(R"({"schema_version": 1, "scenario": )" + job + "}", "q.json"));
    FAIL("no error");
  } catch (const UsageError& error) {
    CHECK_THAT(
        error.what(),
        StartsWith(
            "q.json: scenario.platform.machine: unknown machine \"stampedo\", did you mean"));
  }
}

}  // namespace faultline::advice
