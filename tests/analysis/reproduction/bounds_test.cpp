// SPDX-License-Identifier: Apache-2.0

// Cells about every run of a sample: the least and the largest value, instead of the mean.

#include <catch2/catch.hpp>
#include <string>

#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/verdicts.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

/// The oracle tells each rank after 0.1 s and a random part of 0.05 s, drawn anew in each run.
constexpr const char* kItem = R"({"schema_version": 1, "title": "t", "time_s": 1,
  "quick_time_s": 1, "evidence": "own theory", "scenarios": {
    "a death": {"schema_version": 1, "allow_unsafe": true, "stop": {"when": "all-reported"},
      "platform": {"machine": "intrepid", "processes": 3, "processes_per_node": 1},
      "workload": {"name": "uniform-traffic", "hops": 1},
      "faults": {"at": [{"time_s": 0.001, "ranks": [2]}]},
      "failure_detection": {"name": "oracle", "spread_s": 0.05}}},
  "measures": {"m": {"kind": "series", "scenario": "a death", "family": "failure_detection",
    "over": "failure_detection.delay_s", "changes": [{"failure_detection.delay_s": 0.1},
      {"failure_detection.delay_s": 0.2}],
    "metrics": ["failure_report_latency_max_s", "survived"],
    "replications": [20, 20], "quick_replications": 1, "quick_points": 1}},
  "groups": [{"place": "p", "why": "w", "measure": "m", "detector": "oracle",
    "metric": "failure_report_latency_max_s", "cells": [)";

ReproductionItem item_of(const std::string& cells) {
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write("item.json", kItem + cells + "]}]}"));
}

std::string refusal_of(const std::string& members) {
  try {
    item_of(R"({"cell": "a", )" + members + "}");
  } catch (const UsageError& error) {
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

}  // namespace

TEST_CASE("a cell can be a bound that holds for every run") {
  const ItemResult result = reproduce_item(item_of(R"(
      {"cell": "least", "of_runs": "least", "at": 0.1, "derived": 0.1, "printed_as": "at-least"},
      {"cell": "mean", "of_runs": "mean", "at": 0.1, "derived": 0.1, "printed_as": "at-least"},
      {"cell": "largest", "of_runs": "largest", "at": 0.1, "derived": 0.15,
       "printed_as": "at-most"},
      {"cell": "broken", "of_runs": "largest", "at": 0.1, "derived": 0.11, "printed_as": "at-most",
       "expected": "differs", "reason": "the larger of two random parts is above 0.01 in 24 of 25"},
      {"cell": "ratio", "of_runs": "largest", "at": 0.2, "relative_to": "oracle", "derived": 1})"),
                                           {});
  REQUIRE(result.cells.size() == 5);
  CHECK(as_expected({result}));
  const auto measured = [&](std::size_t cell) { return *result.cells[cell].measured.value; };
  CHECK(measured(0) < measured(1));
  CHECK(measured(1) < measured(2));
  CHECK(measured(3) == measured(2));
  CHECK(result.cells[1].measured.confidence_95);
  CHECK_FALSE(result.cells[2].measured.confidence_95);
}

TEST_CASE("bounds and means of the same runs are different cells, with --quick, too") {
  const std::string cells = R"({"cell": "a", "of_runs": "least", "at": 0.1, "paper": 1},
                               {"cell": "b", "at": 0.1, "paper": 1})";
  ReproductionItem item = item_of(cells);
  keep_quick_cells(item);
  CHECK(item.cells.size() == 2);
}

TEST_CASE("what is wrong with a bound of runs is said with its place") {
  const std::string place = "groups[0].cells[0].of_runs: ";
  CHECK_THAT(refusal_of(R"("of_runs": "median")"),
             Contains(place + "expected one of mean, least or largest"));
  CHECK_THAT(refusal_of(R"("of_runs": "least", "fit": "slope")"), Contains(place + "beside fit"));
  CHECK_THAT(refusal_of(R"("of_runs": "least", "ratio_of_means": true)"),
             Contains(place + "beside ratio_of_means"));
  CHECK_THAT(refusal_of(R"("of_runs": "least", "metric": "survived")"),
             Contains(place + "a share has no bound"));
}

}  // namespace faultline::reproduction
