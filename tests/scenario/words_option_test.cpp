// SPDX-License-Identifier: Apache-2.0

// Options that are lists of words, such as `as_printed` of a protocol.

#include <catch2/catch.hpp>

#include "sim/json/json_reader.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

std::string indep(const std::string& points) {
  return R"(termination={"name": "indep", "as_printed": )" + points + "}";
}

}  // namespace

TEST_CASE("a list of words is the same in any order, and when empty not part of the hash") {
  const Workspace workspace;
  const auto hash = [&](const std::string& set) { return workspace.scenario_after({set}).hash; };
  const std::string plain = hash(R"(termination={"name": "indep"})");
  CHECK(hash(indep("[]")) == plain);
  const std::string two = hash(indep(R"(["cornet", "child-flush"])"));
  CHECK(two != plain);
  CHECK(hash(indep(R"(["child-flush", "cornet"])")) == two);
  CHECK(hash(indep(R"(["cornet"])")) != two);
}

TEST_CASE("a list of words with a wrong one is refused by its place") {
  const Workspace workspace;
  const auto [points, message] = GENERATE(table<std::string, std::string>({
      {R"(["cornet", "old-note"])",
       "termination.as_printed[1]: expected one of cornet, old-notes, late-notes or child-flush, "
       "got \"old-note\", did you mean \"old-notes\"?"},
      {R"(["cornet", 3])", "termination.as_printed[1]: expected one of"},
      {R"(["cornet", "cornet"])", "termination.as_printed[1]: \"cornet\" is in this list already"},
      {R"("cornet")",
       "termination.as_printed: expected a list with any of cornet, old-notes, late-notes or "
       "child-flush, got the string \"cornet\""},
      {"null", "termination.as_printed: expected a list with any of"},
  }));
  CHECK_THAT(workspace.errors_after({indep(points)}), Contains(message));
}

TEST_CASE("what needs another option says so") {
  const Workspace workspace;
  const std::string cda = R"(termination={"name": "cda", "as_printed": ["unsigned-difference"])";
  CHECK_THAT(workspace.errors_after({cda + "}"}),
             Contains("termination.as_printed: \"unsigned-difference\" needs published_division"));
  CHECK(workspace.errors_after({cda + R"(, "published_division": true})"}).empty());
}

TEST_CASE("points that differ in a list of words are told apart by it") {
  const Workspace workspace;
  const Scenario scenario = workspace.scenario_after(
      {R"(termination=[{"name": "indep"}, {"name": "indep", "as_printed": ["cornet"]},)"
       R"( {"name": "indep", "as_printed": ["cornet", "old-notes"]}])"});
  REQUIRE(scenario.points.size() == 3);
  CHECK_THAT(scenario.point_labels[0], Contains("as_printed none"));
  CHECK_THAT(scenario.point_labels[1], Contains("as_printed cornet"));
  CHECK_THAT(scenario.point_labels[2], Contains("as_printed cornet+old-notes"));
}

TEST_CASE("the schema has a list of words as an array of different ones") {
  json::Problems problems("schema");
  const json::JsonValue schema = json::parse_json(scenario_schema(), problems);
  const std::string text = json::to_json(schema);
  CHECK_THAT(text, Contains(R"("enum":["unsigned-difference"])"));
  CHECK_THAT(text, Contains(R"("uniqueItems":true)"));
}

}  // namespace faultline::scenario
