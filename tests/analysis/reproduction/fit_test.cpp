// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/verdicts.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

/// The oracle's latency is its delay, and eight walks send a message at each hop. So both lines are
/// known: latency = delay, messages = 8 hops.
constexpr const char* kItem = R"({"schema_version": 1, "title": "t", "time_s": 1,
  "quick_time_s": 1, "evidence": "own theory", "scenarios": {
    "a death": {"schema_version": 1, "allow_unsafe": true, "stop": {"when": "all-reported"},
      "platform": {"machine": "intrepid", "processes": 8, "processes_per_node": 1},
      "workload": {"name": "uniform-traffic", "hops": 100, "fanout": 2},
      "faults": {"at": [{"time_s": 0.001, "ranks": [7]}]},
      "failure_detection": {"name": "oracle"}}},
  "measures": {"m": {"kind": "series", "scenario": "a death", "family": "failure_detection",
    "over": "failure_detection.delay_s", "changes": [
      {"failure_detection.delay_s": 0.0625, "workload.hops": 100, "name": "a"},
      {"failure_detection.delay_s": 0.125, "workload.hops": 110, "name": "b"},
      {"failure_detection.delay_s": 0.25, "workload.hops": 120, "name": "c"},
      {"failure_detection.delay_s": 0.5, "workload.hops": 130}],
    "metrics": ["failure_report_latency_max_s", "application_messages", "survived"],
    "replications": [2, 1, 2, 1], "quick_replications": 1, "quick_points": 2}},
  "groups": [{"place": "p", "why": "w", "measure": "m", "detector": "oracle",
    "metric": "failure_report_latency_max_s", "tolerance": 1e-6, "absolute_tolerance": 1e-6,
    "cells": [)";

ReproductionItem item_of(const std::string& cells, const std::string& from = "",
                         const std::string& to = "") {
  std::string text = kItem + cells + "]}]}";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write("item.json", text));
}

std::string refusal_of(const std::string& cells, const std::string& from = "",
                       const std::string& to = "") {
  try {
    item_of(cells, from, to);
  } catch (const UsageError& error) {
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

}  // namespace

TEST_CASE("a cell can be the slope, the intercept or R squared of a line along a series") {
  const ItemResult result = reproduce_item(item_of(R"({"cell": "slope", "fit": "slope", "paper": 1},
                 {"cell": "intercept", "fit": "intercept", "paper": 0},
                 {"cell": "straight", "fit": "r_squared", "threshold": 0.99,
                  "printed_as": "at-least"},
                 {"cell": "hops", "fit": "slope", "over": "workload.hops", "derived": 8,
                  "metric": "application_messages"},
                 {"cell": "ratio", "fit": "intercept", "relative_to": "oracle", "derived": 1},
                 {"cell": "wrong", "fit": "slope", "derived": 1.1, "scale": "linear",
                  "expected": "differs", "reason": "r"})"),
                                           {.quick = false, .jobs = 2});
  REQUIRE(result.cells.size() == 6);
  CHECK(as_expected({result}));
  for (std::size_t i = 0; i < 5; ++i) CHECK(result.cells[i].verdict == Verdict::match);
  CHECK(result.cells[0].measured.confidence_95);
  CHECK(result.cells[0].measured.confidence_99);
  const std::string json = reproduction_json({result}, false);
  CHECK_THAT(json, Contains("\"cell\": \"straight\"") && !Contains("\"low\": null") &&
                       !Contains("\"low_99\": null"));
  CHECK_THAT(reproduction_table({result}, false), Contains(">=0.99"));
}

TEST_CASE("a line can be over the binary logarithm of the axis") {
  // By hand: the means 1/16, 1/8, 1/4, 1/2 at -4, -3, -2, -1. About the means of both, xx = 5,
  // xy = 0.71875 and yy = 0.1123046875. Squares of residuals 0.008984375, of which half is the
  // variance; t of 2 degrees is 4.302653 (95 %) and 9.924843 (99 %).
  const ItemResult result =
      reproduce_item(item_of(R"({"cell": "a", "fit": "slope", "scale": "log2", "paper": 0.14375},
                 {"cell": "b", "fit": "intercept", "scale": "log2", "paper": 0.59375},
                 {"cell": "c", "fit": "r_squared", "scale": "log2", "paper": 0.92},
                 {"cell": "d", "fit": "slope", "scale": "log2", "paper": 0.3,
                  "printed_as": "in-interval"})"),
                     {});
  REQUIRE(result.cells.size() == 4);
  for (const CellResult& cell : result.cells) CHECK(cell.verdict == Verdict::match);
  const statistics::Estimate& slope = result.cells[0].measured;
  const double error = std::sqrt(0.0044921875 / 5);
  CHECK(slope.confidence_95->high == Approx(0.14375 + 4.302653 * error).epsilon(1e-5));
  CHECK(slope.confidence_99->low == Approx(0.14375 - 9.924843 * error).epsilon(1e-5));
}

TEST_CASE("a line through points of which one failed has the reason instead of a value") {
  const ItemResult result =
      reproduce_item(item_of(R"({"cell": "a", "fit": "slope", "paper": 1})",
                             R"("workload.hops": 120)", R"("stop.events": 5)"),
                     {});
  CHECK(result.cells[0].verdict == Verdict::not_comparable);
  CHECK(result.cells[0].reason == "a run ended as limit");
}

TEST_CASE("a quick reproduction leaves out the lines that its points do not determine") {
  ReproductionItem item = item_of(R"({"cell": "a", "fit": "slope", "paper": 1},
      {"cell": "b", "fit": "r_squared", "paper": 1}, {"cell": "c", "at": 0.25},
      {"cell": "d", "fit": "slope", "scale": "log2", "paper": 1, "quick": false})");
  const ItemResult result = reproduce_item(item, {.quick = true, .jobs = 1});
  REQUIRE(result.item.cells.size() == 1);
  CHECK(result.item.cells[0].name == "a");
  CHECK(result.cells[0].verdict == Verdict::match);
  CHECK_FALSE(result.cells[0].measured.confidence_95);
  std::get<SeriesMeasure>(item.measures[0].how).quick_points = 3;
  keep_quick_cells(item);
  CHECK(item.cells.size() == 3);
}

TEST_CASE("what is wrong with a fit is one error with its place") {
  const auto refusal = [](const std::string& members) {
    std::string text = refusal_of(R"({"cell": "a", )" + members + "}");
    CHECK(std::count(text.begin(), text.end(), '\n') == 0);
    return text;
  };
  CHECK_THAT(refusal(R"("fit": "slop", "scale": "log2")"),
             Contains("groups[0].cells[0].fit: expected one of slope, intercept or r_squared"));
  CHECK_THAT(refusal(R"("fit": "slope", "scale": "log10")"),
             Contains("groups[0].cells[0].scale: expected one of linear or log2"));
  CHECK_THAT(refusal(R"("scale": "log2")"),
             Contains("groups[0].cells[0].scale: belongs to a fit, and the cell has none"));
  CHECK_THAT(refusal(R"("over": "workload.hops")"),
             Contains("groups[0].cells[0].over: belongs to a fit, and the cell has none"));
  CHECK_THAT(refusal(R"("fit": "slope", "at": 0.25)"), Contains("groups[0].cells[0].at: beside"));
  CHECK_THAT(refusal(R"("fit": "slope", "ratio_of_means": true)"),
             Contains("groups[0].cells[0].ratio_of_means: beside fit"));
  CHECK_THAT(refusal(R"("fit": "slope", "metric": "survived")"),
             Contains("groups[0].cells[0].metric: expected another metric for a fit"));
  CHECK_THAT(refusal(R"("fit": "slope", "over": "platform.nodes")"),
             Contains("groups[0].cells[0].over: expected a path that all changes of its measure "
                      "set, got \"platform.nodes\""));
  CHECK_THAT(refusal(R"("fit": "slope", "over": "name")"),
             Contains("groups[0].cells[0].over: expected a path that is a number at all points, "
                      "\"name\" is the string \"a\" in measures.m.changes[0]"));
}

TEST_CASE("an axis that has no logarithm, or too few numbers, is refused at the cell") {
  const std::string zero = R"("failure_detection.delay_s": 0.0625)";
  CHECK_THAT(refusal_of(R"({"cell": "a", "fit": "slope", "scale": "log2"})", zero,
                        R"("failure_detection.delay_s": 0)"),
             Contains("groups[0].cells[0].scale: expected an axis above 0 for its logarithm, "
                      "\"failure_detection.delay_s\" is 0 in measures.m.changes[0]"));
  const std::string hops = R"({"cell": "a", "fit": "r_squared", "over": "workload.hops"})";
  item_of(hops, R"("workload.hops": 110)", R"("workload.hops": 100)");  // three are enough
  std::string two = kItem + hops + "]}]}";
  for (const char* other : {"110", "120"})
    two.replace(two.find(std::string("hops\": ") + other) + 7, 3, "100");
  const TemporaryDirectory folder;
  const std::string file = folder.write("item.json", two);
  CHECK_THROWS_WITH(read_reproduction_item(file),
                    Contains("groups[0].cells[0].fit: expected an axis with at least 3 different "
                             "numbers, got 2"));
  CHECK_THAT(refusal_of(R"({"cell": "a", "fit": "slope"}, {"cell": "b", "fit": "slope",
                            "over": "failure_detection.delay_s", "scale": "linear"})"),
             Contains("groups[0].cells[1]: compares the same value as \"a\" above"));
}

}  // namespace faultline::reproduction
