// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <variant>

#include "analysis/reproduction/figure.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/verdicts.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

/// No scenario has a termination detector: the sums and the row of objects finish by themselves,
/// and the other ends when the death has been reported.
constexpr const char* kScenarios = R"({"schema_version": 1, "title": "t", "time_s": 1,
  "quick_time_s": 1, "evidence": "own theory", "scenarios": {
    "sums": {"schema_version": 1,
      "platform": {"machine": "intrepid", "processes": 8, "processes_per_node": 4},
      "workload": [{"name": "allreduce", "repetitions": 3, "bytes": 8},
                   {"name": "ping-pong", "repetitions": 5, "bytes": 8}],
      "failure_detection": [{"name": "none"}, {"name": "oracle"}]},
    "a row": {"schema_version": 1, "stop": {"when": "finished"},
      "platform": {"machine": "intrepid", "processes": 2, "processes_per_node": 1,
                   "progress": "shared"},
      "workload": {"name": "stencil", "dimensions": 1, "periodic": false,
                   "objects_per_process": 2, "compute_s": 10},
      "message_logging": [{"name": "none"},
        {"name": "fast", "bookkeeping_s": 0.5, "log_message_s": 0, "log_byte_s": 0},
        {"name": "send-deterministic", "bookkeeping_s": 1, "log_message_s": 0, "log_byte_s": 0}]},
    "a death": {"schema_version": 1, "allow_unsafe": true, "stop": {"when": "all-reported"},
      "platform": {"machine": "intrepid", "processes": 8, "processes_per_node": 1},
      "workload": {"name": "uniform-traffic", "hops": 100, "fanout": 2},
      "faults": {"at": [{"time_s": 0.001, "ranks": [7]}]},
      "failure_detection": {"name": "oracle"}}},)";

std::string item_text(const std::string& measures, const std::string& cells) {
  return std::string(kScenarios) + R"("measures": {)" + measures +
         R"(}, "groups": [{"place": "p", "why": "w", "cells": [)" + cells + "]}]}";
}

ReproductionItem item_of(const std::string& measures, const std::string& cells) {
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write("item.json", item_text(measures, cells)));
}

std::string refusal_of(const std::string& measures, const std::string& cells) {
  try {
    item_of(measures, cells);
  } catch (const UsageError& error) {
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

std::string runs(const std::string& more) {
  return R"("m": {"kind": "runs", "scenario": "sums", "metric": "application_messages",
                  "replications": 2, "quick_replications": 1, )" +
         more + "}";
}

constexpr const char* kLatencies = R"("latency": {"kind": "series", "scenario": "a death",
    "family": "failure_detection", "over": "failure_detection.delay_s",
    "changes": [{"failure_detection.delay_s": 0.25}, {"failure_detection.delay_s": 0.5}],
    "metrics": ["failure_report_latency_max_s", "survived"],
    "replications": [2, 1], "quick_replications": 1, "quick_points": 1})";

/// Two ranks send and get nine messages each before they end. Each of these takes 0.5 s of a worker
/// under one protocol, and 1 s under the other.
constexpr const char* kLogging = R"("m": {"kind": "series", "scenario": "a row",
    "family": "message_logging", "over": "workload.iterations",
    "changes": [{"workload.iterations": 3}], "metrics": ["time_to_solution_s", "survived"],
    "replications": [2], "quick_replications": 1, "quick_points": 1})";

}  // namespace

TEST_CASE("results are told apart by the protocols of the family that a measure states") {
  const ItemResult result =
      reproduce_item(item_of(runs(R"("family": "failure_detection")"),
                             R"({"cell": "a", "measure": "m", "detector": "oracle", "derived": 41},
                                {"cell": "b", "measure": "m", "detector": "none"},
                                {"cell": "c", "measure": "m", "detector": "cda"})"),
                     {});
  // Both workloads count: 72 messages of the sums, 10 of the ping-pong.
  CHECK(result.cells[0].verdict == Verdict::match);
  CHECK(*result.cells[1].measured.value == 41);
  CHECK_THAT(result.cells[2].reason, Contains("the scenario has no detector cda"));
  const auto& estimates = result.measured[0].estimates;
  REQUIRE(estimates.size() == 2);
  CHECK(estimates.begin()->first ==
        EstimateKey{Family::failure_detection, "none", "application_messages"});
  CHECK(*estimates.at({Family::failure_detection, "oracle", "application_messages"}).value == 41);
}

TEST_CASE("a workload is one of its family as well, and has its word there") {
  const std::string cells = R"({"cell": "a", "measure": "m", "workload": "allreduce"},
                               {"cell": "b", "measure": "m", "workload": "ping-pong"})";
  const ItemResult result = reproduce_item(item_of(runs(R"("family": "workload")"), cells), {});
  CHECK(*result.cells[0].measured.value == 72);
  CHECK(*result.cells[1].measured.value == 10);
  const ItemResult ratios = reproduce_item(
      item_of(runs(R"("family": "workload", "relative_to": "ping-pong")"), cells), {});
  CHECK(*ratios.cells[0].measured.value == Approx(7.2));
  CHECK(*ratios.cells[1].measured.value == 1);
}

TEST_CASE("a run that finishes has ended well, without a termination detector, too") {
  const ItemResult result =
      reproduce_item(item_of(runs(R"("family": "termination")"),
                             R"({"cell": "a", "measure": "m", "detector": "none", "derived": 41})"),
                     {});
  CHECK(result.cells[0].verdict == Verdict::match);
  const ItemResult limited =
      reproduce_item(item_of(runs(R"("changes": [{"stop.events": 5}])"),
                             R"({"cell": "a", "measure": "m", "detector": "none", "derived": 41})"),
                     {});
  CHECK(limited.cells[0].verdict == Verdict::not_comparable);
  CHECK(limited.cells[0].reason == "a run ended as limit");
}

TEST_CASE("a series of a failure detector has its latency, and its runs have survived") {
  const std::string cells =
      R"({"cell": "a", "measure": "latency", "detector": "oracle", "derived": 0.25, "at": 0.25,
          "metric": "failure_report_latency_max_s", "tolerance": 1e-9},
         {"cell": "b", "measure": "latency", "detector": "oracle", "derived": 0.5,
          "metric": "failure_report_latency_max_s", "tolerance": 1e-9},
         {"cell": "c", "measure": "latency", "detector": "oracle", "derived": 1, "at": 0.25,
          "metric": "survived"})";
  ReproductionItem item = item_of(kLatencies, cells);
  item.curves = {0};
  const ItemResult result = reproduce_item(std::move(item), {.quick = false, .jobs = 2});
  for (const CellResult& cell : result.cells) CHECK(cell.verdict == Verdict::match);
  const std::string csv = text::csv_records(figure_rows(result));
  CHECK_THAT(csv, Contains("series,metric,detector,delay_s,runs,min,"));
  CHECK_THAT(csv, Contains("latency,survived,oracle,0.25,2,1,"));
}

TEST_CASE("the mean at one point of a series is divided by the mean at another") {
  const std::string cells =
      R"({"cell": "a", "measure": "latency", "detector": "oracle", "derived": 2, "tolerance": 1e-9,
          "metric": "failure_report_latency_max_s", "relative_at": 0.25},
         {"cell": "b", "measure": "latency", "detector": "oracle", "derived": 0.5,
          "tolerance": 1e-9, "metric": "failure_report_latency_max_s", "at": 0.25,
          "relative_at": 0.5})";
  const ReproductionItem item = item_of(kLatencies, cells);
  const ItemResult result = reproduce_item(item, {});
  REQUIRE(result.cells.size() == 2);
  for (const CellResult& cell : result.cells) CHECK(cell.verdict == Verdict::match);
  // With --quick the second point is not run, and both need it.
  ReproductionItem quick = item;
  keep_quick_cells(quick);
  REQUIRE(quick.cells.size() == 1);
  CHECK(quick.cells[0].name == "a");
}

TEST_CASE("a cell that is relative to a point is that alone") {
  const auto refused = [](const std::string& more) {
    return refusal_of(kLatencies,
                      R"({"cell": "a", "measure": "latency", "detector": "oracle", )" + more + "}");
  };
  const std::string latency = R"("metric": "failure_report_latency_max_s", "relative_at": 0.25)";
  CHECK_THAT(refused(R"("metric": "failure_report_latency_max_s", "relative_at": 0.3)"),
             Contains("relative_at: expected a point of its measure"));
  CHECK_THAT(refused(latency + R"(, "relative_to": "oracle")"),
             Contains("relative_at: beside relative_to"));
  CHECK_THAT(refused(latency + R"(, "of_runs": "least")"), Contains("relative_at: beside"));
  CHECK_THAT(refused(R"("metric": "survived", "relative_at": 0.25)"),
             Contains("a ratio of shares is not estimated"));
}

// Two ranks send and get nine messages each before they end. Each of these takes 0.5 s of a worker
// under one protocol, and 1 s under the other.
TEST_CASE("overheads are divided beyond a protocol that has none") {
  const ItemResult result = reproduce_item(
      item_of(kLogging, R"({"cell": "a", "measure": "m", "metric": "time_to_solution_s",
                            "protocol": "fast", "beyond": "none", "derived": 9,
                            "tolerance": 1e-9},
                           {"cell": "b", "measure": "m", "metric": "time_to_solution_s",
                            "protocol": "fast", "relative_to": "send-deterministic",
                            "beyond": "none", "derived": 0.5, "tolerance": 1e-9})"),
      {});
  REQUIRE(result.cells.size() == 2);
  for (const CellResult& cell : result.cells) CHECK(cell.verdict == Verdict::match);
  const std::string cell = R"({"cell": "a", "measure": "m", "protocol": "fast", "derived": 1,
                               "beyond": "none", )";
  CHECK_THAT(refusal_of(kLogging, cell + R"("metric": "time_to_solution_s", "relative_at": 3})"),
             Contains("beyond: beside ratio_of_means or relative_at"));
  CHECK_THAT(refusal_of(kLogging, cell + R"("metric": "survived"})"),
             Contains("beyond: shares are not subtracted"));
}

TEST_CASE("what is wrong with a family, or does not belong to it, is said with its place") {
  const std::string cell = R"({"cell": "a", "measure": "m", "detector": "oracle"})";
  CHECK_THAT(refusal_of(runs(R"("family": "failure-detection")"), cell),
             Contains("measures.m.family") && Contains("failure_detection"));
  CHECK_THAT(refusal_of(runs(R"("family": "message_logging")"), cell),
             Contains("groups[0].cells[0].detector") && Contains("protocol"));
  CHECK_THAT(refusal_of(runs(R"("family": "failure_detection", "relative_to": "cda")"), cell),
             Contains("measures.m.relative_to: expected a detector of its scenario, got \"cda\""));
}

TEST_CASE("the scenario of a measure is checked with each set of changes and kept so") {
  const ReproductionItem item =
      item_of(runs(R"("changes": [{"platform.processes": 4, "workload[1].bytes": 16},
                                  {"workload": {"name": "ping-pong"}, "name": "1"}])"),
              R"({"cell": "a", "measure": "m", "detector": "none"})");
  const auto& scenarios = std::get<RunsMeasure>(item.measures[0].how).scenarios;
  REQUIRE(scenarios.size() == 2);
  CHECK(scenarios[0].points.size() == 4);
  CHECK(scenarios[0].points[0].platform.processes == 4);
  CHECK(scenarios[1].points.size() == 2);
  CHECK(scenarios[1].points[0].platform.processes == 8);
  CHECK(scenarios[1].name == "1");  // a text stays one, although it could be read as a number
  CHECK(protocols_of(scenarios, Family::workload) ==
        std::set<std::string>{"allreduce", "ping-pong"});
  CHECK(protocols_of(scenarios, Family::termination) == std::set<std::string>{"none"});
  const auto refusal = [](const std::string& changes) {
    return refusal_of(runs(R"("changes": [{}, )" + changes + "]"),
                      R"({"cell": "a", "measure": "m", "detector": "none"})");
  };
  CHECK_THAT(refusal(R"({"platform.procesess": 4})"),
             Contains("platform.procesess: unknown key") &&
                 Contains(R"((from measures.m.changes[1]["platform.procesess"]))"));
  CHECK_THAT(refusal(R"({"workload[7].bytes": 4})"),
             Contains(R"(measures.m.changes[1]["workload[7].bytes"]: )"));
  CHECK_THAT(refusal(R"({"": 4})"), Contains("expected a path such as platform.processes"));
}

}  // namespace faultline::reproduction
