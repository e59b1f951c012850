// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/told_once.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/scenario/study.hpp"
#include "tests/scenario/workspace.hpp"

namespace faultline::scenario {

namespace {

const std::string kDetectors = R"([{"name": "lai-wu"}, {"name": "venkatesan"}])";
const std::string kLogging = R"([{"name": "causal"}, {"name": "pessimistic"}])";
const std::string kWhatWorks =
    "expected message_logging none, or above message logging cda, dijkstra-scholten, edod, "
    "four-counter, hcda, indep, rel-eager or rel-lazy, or set \"allow_unsafe\": true";

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("what would work is said with the first line that says it") {
  ToldOnce told;
  const std::string works = ", choose b or c, or set \"allow_unsafe\": true";
  CHECK(told.shortened("f: p: a does not" + works) == "f: p: a does not" + works);
  CHECK(told.shortened("f: q: d does not" + works + " (by --set)") ==
        "f: q: d does not (by --set)");
  // Something else would work there.
  const std::string other = "f: q: d does not, expected x none, or set \"allow_unsafe\": true";
  CHECK(told.shortened(other) == other);
  CHECK(told.shortened(other) == "f: q: d does not");
  // Errors of values stay whole.
  const std::string value = "f: p: wrong, expected an integer, got 1";
  CHECK(told.shortened(value) == value);
  CHECK(told.shortened(value) == value);
  CHECK(told_once("").empty());
}

TEST_CASE("a scenario of many points that do not work names what does once") {
  const Workspace workspace;
  const std::string error =
      workspace.errors_after({"termination=" + kDetectors, "message_logging=" + kLogging,
                              R"(workload={"name": "stencil"})"});
  CHECK(times(error, kWhatWorks) == 1);
  CHECK(times(error, " does not work above message logging (causal)") == 2);
  CHECK(lines_in(error) == 4);
}

TEST_CASE("a study of many points that do not work names what does once") {
  const Workspace workspace;
  std::string error;
  try {
    parse_study(R"({"schema_version": 1,
      "platform": {"machine": "tiny.json", "processes": 8, "processes_per_node": 4},
      "workload": {"name": "stencil"},
      "sweep": {"termination": )" +
                    kDetectors + R"(, "message_logging": )" + kLogging +
                    R"(, "platform.processes": [4, 8]}})",
                workspace.path("s.json"), {}, workspace.backends);
  } catch (const UsageError& problem) {
    error = problem.what();
  }
  CAPTURE(error);
  CHECK(times(error, kWhatWorks) == 1);
  CHECK(times(error, " does not work above message logging (pessimistic)") == 2);
  CHECK(times(error, ", and 1 more)") == 4);
  CHECK(lines_in(error) == 4);
}

}  // namespace faultline::scenario
