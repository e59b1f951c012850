// SPDX-License-Identifier: Apache-2.0
#include "analysis/failures/trace_report.hpp"

#include <catch2/catch.hpp>

#include "sim/json/json_reader.hpp"

namespace faultline::failures {

using Catch::Matchers::Contains;

namespace {

/// Figures that no trace gives.
TraceReport by_hand() {
  TraceReport report{.file = "t.csv",
                     .window_s = 1.5,
                     .format = faults::TraceFormat::fta,
                     .other_events = 1,
                     .unreadable = {{.line = 7, .reason = "no number"}},
                     .summary = {}};
  TraceSummary& summary = report.summary;
  summary.failures = 4;
  summary.systems = {{.system = 3, .failures = 4, .nodes = 2}};
  summary.first_s = 100;
  summary.last_s = 100 + 2 * 86400;
  summary.by_size = {{1, 2}, {2, 1}};
  summary.faults = 3;
  summary.between_failures.simultaneous = 1;
  return report;
}

json::JsonValue parsed(const std::string& text) {
  json::Problems problems("out");
  return json::parse_json(text, problems);
}

}  // namespace

TEST_CASE("the sizes of faults are a file of counts") {
  CHECK(fault_counts_json(by_hand()) == R"({
  "schema_version": 1,
  "name": "t.csv",
  "description": "Nodes that failed within 1.5 s after the first of a fault",
  "counts": {
    "1": 2,
    "2": 1
  }
}
)");
}

TEST_CASE("a summary as JSON has null where there is nothing to fit") {
  const json::JsonValue json = parsed(trace_summary_json(by_hand()));
  CHECK(*json.find("trace_format")->text() == "fta");
  CHECK(json::number_of(*json.find("span_s")) == 172800);
  CHECK(json::number_of(*json.find("window_s")) == 1.5);
  CHECK(json::to_json(*json.find("systems")) == R"([{"system":3,"failures":4,"nodes":2}])");
  CHECK(json::to_json(*json.find("counts")) == R"({"1":2,"2":1})");
  CHECK(json::to_json(*json.find("unreadable")) == R"([{"line":7,"reason":"no number"}])");
  CHECK(json.find("repairs")->is_null());
  CHECK(json.find("between_failures")->find("weibull")->is_null());
}

TEST_CASE("a summary as a table counts in words, and has no table of laws without any") {
  TraceReport report = by_hand();
  const std::string table = trace_summary_table(report);
  CHECK_THAT(table, Contains("t.csv (fta): 4 failures of 1 system in 2 days; 1 other event, 1") &&
                        Contains("66.67") && Contains("without their 1 zero.") &&
                        !Contains("95 % interval"));
  report.summary.repair_law = LognormalFit{.mu = {.estimate = 1.25, .confidence_95 = {1, 2}},
                                           .sigma = {.estimate = 0.5, .confidence_95 = {0.25, 1}}};
  const std::string with_law = trace_summary_table(report);
  CHECK_THAT(with_law, Contains("95 % interval") && Contains("until repaired") &&
                           Contains("mu, ln s") && Contains("0.25 to 1"));
}

TEST_CASE("the faults of a scenario follow the laws that fit best, and the repairs") {
  TraceReport report = by_hand();
  CHECK_THROWS_WITH(faults_block_json(report, ""), Contains("too few faults"));
  GapSummary& gaps = report.summary.between_faults;
  gaps.weibull = {.shape = {0.7384912, {}}, .scale_s = {41292.4, {}}, .log_likelihood = -10};
  gaps.lognormal = {.mu = {9.5, {}}, .sigma = {1.25, {}}, .log_likelihood = -11};
  const json::JsonValue weibull = *parsed(faults_block_json(report, "")).find("faults");
  CHECK(json::to_json(weibull) == R"({"weibull":{"shape":0.73849,"scale_s":41292}})");
  gaps.lognormal->log_likelihood = -9;
  report.summary.repair_law = {.mu = {8.237, {}}, .sigma = {1.416, {}}, .log_likelihood = 0};
  const json::JsonValue lognormal = *parsed(faults_block_json(report, "sizes.json")).find("faults");
  CHECK(json::to_json(lognormal) == R"({"lognormal":{"mu":9.5,"sigma":1.25,"sizes":"sizes.json",)"
                                    R"("repair":{"law":"lognormal","mu":8.237,"sigma":1.416}}})");
}

}  // namespace faultline::failures
