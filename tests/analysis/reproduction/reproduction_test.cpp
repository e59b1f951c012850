// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/verdicts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "analysis/reproduction/figure.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/text/text_table.hpp"
#include "analysis/theory/survival.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_value.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

constexpr const char* kHead =
    R"({"schema_version": 1, "title": "t", "time_s": 1, "quick_time_s": 1,
         "evidence": "own theory",)";
constexpr const char* kWalk =
    R"("scenarios": {"walk": {"schema_version": 1,
         "platform": {"machine": "intrepid", "processes": 4, "processes_per_node": 4},
         "workload": {"name": "token-ring", "stop_probability": 0.5},
         "termination": [{"name": "cda"}, {"name": "hcda"}]}},)";
constexpr const char* kMeasure =
    R"("measures": {"m": {"kind": "runs", "scenario": "walk", "metric": "control_messages",
                          "replications": 4, "quick_replications": 2}},)";

ReproductionItem item_of(const std::string& text) {
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write("item.json", text));
}

std::string refusal_of(const std::string& text) {
  try {
    item_of(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

std::string with_cells(const std::string& cells, const std::string& measures = kMeasure) {
  return std::string(kHead) + kWalk + measures +
         R"("groups": [{"place": "p", "why": "w", "measure": "m", "detector": "cda", "cells": [)" +
         cells + "]}]}";
}

Cell cell_of(double paper, double tolerance, PrintedAs printed_as = PrintedAs::equal) {
  Cell cell;
  cell.stated = paper;
  cell.tolerance = tolerance;
  cell.printed_as = printed_as;
  return cell;
}

Verdict verdict_of(const Cell& cell, double measured) {
  return judge(cell, {measured, std::nullopt, ""}).verdict;
}

/// The mean distance of two nodes of a binary heap, by walking up from both.
double mean_distance(std::uint32_t processes) {
  double sum = 0;
  for (std::uint32_t a = 0; a < processes; ++a)
    for (std::uint32_t b = 0; b < processes; ++b)
      for (std::uint32_t x = a, y = b; x != y; ++sum) (x > y ? x : y) = ((x > y ? x : y) - 1) / 2;
  return sum / processes / processes;
}

double mean_depth(std::uint32_t processes) {
  double sum = 0;
  for (std::uint32_t rank = 0; rank < processes; ++rank) sum += std::floor(std::log2(rank + 1.0));
  return sum / processes;
}

/// The means of the message-level protocols on the token ring, as in
/// docs/reproduction/termination-2022.md.
double exact_mean(const std::string& detector, std::uint32_t processes, double q) {
  const double P = processes;
  const double p = 1 - q;
  const double d = mean_depth(processes);
  if (detector == "cda") return 2 * P - 1 - 1 / P - q * (1 - 1 / P);
  if (detector == "four-counter")
    return 2 * (P - 1) * (2 + p * (1 - 1 / P) + p * p / q * (1 - 1 / P - d / P));
  if (detector == "edod")
    return 2 * (P - 1) + p * (2 * d + 1 - 1 / P + d) +
           p * p / q * (1.5 * mean_distance(processes) + 1 - 1 / P);
  const double moves_on = p * (1 - 1 / P) / (1 - p / P);  // the token moves before the walk ends
  const double loans = std::pow(moves_on, 33) / (1 - std::pow(moves_on, 32));
  return 2 * (P - 1) + p / q * (1 - 1 / P) - p * p / q * (1 - 1 / P) / P + 2 * loans * (1 - 1 / P);
}

}  // namespace

TEST_CASE("a verdict is taken within the wider of both tolerances, and by the printed relation") {
  CHECK(verdict_of(cell_of(100, 0.1), 109) == Verdict::match);
  CHECK(verdict_of(cell_of(100, 0.1), 91) == Verdict::match);
  CHECK(verdict_of(cell_of(100, 0.1), 111) == Verdict::differs);
  CHECK(verdict_of(cell_of(100, 0.1), 89) == Verdict::differs);
  CHECK(verdict_of(cell_of(100, 0.1, PrintedAs::at_least), 1000) == Verdict::match);
  CHECK(verdict_of(cell_of(100, 0.1, PrintedAs::at_least), 89) == Verdict::differs);
  CHECK(verdict_of(cell_of(100, 0.0, PrintedAs::at_most), 1) == Verdict::match);
  CHECK(verdict_of(cell_of(100, 0.0, PrintedAs::at_most), 100.5) == Verdict::differs);
  Cell rounded = cell_of(0.0, 0.0);
  rounded.absolute_tolerance = 0.5;
  CHECK(verdict_of(rounded, 0.5) == Verdict::match);
  CHECK(verdict_of(rounded, 0.6) == Verdict::differs);
}

TEST_CASE("an unknown printed value, or a failed run, is not comparable") {
  Cell unprinted;
  unprinted.expected = Verdict::not_comparable;
  unprinted.reason = "the axis has no values";
  const CellResult result = judge(unprinted, {3.0, std::nullopt, ""});
  CHECK(result.verdict == Verdict::not_comparable);
  CHECK(result.is_expected(unprinted));
  CHECK(result.reason == "the axis has no values");
  const Cell cell = cell_of(3, 0.1);
  const CellResult failed = judge(cell, {std::nullopt, std::nullopt, "a run ended as hung"});
  CHECK(failed.verdict == Verdict::not_comparable);
  CHECK_FALSE(failed.is_expected(cell));
  CHECK(failed.reason == "a run ended as hung");
}

TEST_CASE("a factor bounds a ratio on both sides alike") {
  Cell similar = cell_of(1, 0.0);
  similar.factor = 2;
  CHECK(verdict_of(similar, 2) == Verdict::match);
  CHECK(verdict_of(similar, 0.5) == Verdict::match);
  CHECK(verdict_of(similar, 2.01) == Verdict::differs);
  CHECK(verdict_of(similar, 0.49) == Verdict::differs);
  CHECK(verdict_of(similar, 0) == Verdict::differs);
}

TEST_CASE("a bound on something that does not happen is not comparable until it happens") {
  Cell cell = cell_of(100, 0.0, PrintedAs::at_most);
  cell.comparable_above = 0;
  cell.expected = Verdict::not_comparable;
  cell.reason = "there are none";
  const CellResult none = judge(cell, {0.0, std::nullopt, ""});
  CHECK(none.verdict == Verdict::not_comparable);
  CHECK(none.is_expected(cell));
  CHECK(none.reason == "there are none");
  const CellResult some = judge(cell, {1.0, std::nullopt, ""});
  CHECK(some.verdict == Verdict::match);
  CHECK_FALSE(some.is_expected(cell));
  cell.expected = Verdict::match;
  CHECK_THAT(judge(cell, {0.0, std::nullopt, ""}).reason,
             Contains("nothing comparable was measured"));
}

TEST_CASE("a value stands under its source, in the table and for machines") {
  const ReproductionItem item =
      item_of(with_cells(R"({"cell": "a", "paper": 1}, {"cell": "b", "derived": 2},
                    {"cell": "c", "threshold": 3, "printed_as": "at-least"}, {"cell": "d"})"));
  CHECK(sources_of(item) == std::vector{Source::paper, Source::derived, Source::threshold});
  ItemResult result;
  result.item = item;
  for (const Cell& cell : item.cells) result.cells.push_back(judge(cell, {4.0, std::nullopt, ""}));
  const std::string json = reproduction_json({result}, false);
  for (const char* words :
       {R"("source": "paper")", R"("source": "derived")", R"("source": "threshold")",
        R"("source": null)", R"("derived": 2)", R"("threshold": 3)"})
    CHECK_THAT(json, Contains(words));
  CHECK_THAT(reproduction_table({result}, false), Contains("paper  derived  threshold  measured"));
  ItemResult printed = result;
  for (Cell& cell : printed.item.cells) cell.source = Source::paper;
  CHECK_THAT(reproduction_table({printed}, false), !Contains("derived"));
}

TEST_CASE("every value that is compared says why its tolerance or threshold is what it is") {
  std::size_t compared = 0;
  for (const char* paper : {"adoption-2013", "fampi-2015", "fast-message-logging", "rdaemon-2019",
                            "robustness", "termination-2022"})
    for (const auto& file : find_reproduction_items(paper))
      for (const Cell& cell : read_reproduction_item(file).cells) {
        if (!cell.stated || cell.expected == Verdict::not_comparable) continue;
        INFO(file << ": " << cell.name);
        CHECK(cell.why.size() > 10);
        // What is exact, or a bound, needs no width; a word for a size needs a threshold.
        if (cell.source == Source::threshold && cell.printed_as == PrintedAs::equal)
          CHECK(cell.factor);
        ++compared;
      }
  CHECK(compared > 400);
}

TEST_CASE("a measurement that contradicts theory is never as expected") {
  Cell cell = cell_of(100, 0.2);
  cell.exact = 100;
  cell.exact_formula = "100";
  cell.exact_tolerance = 0.01;
  CHECK(judge(cell, {100.9, std::nullopt, ""}).is_expected(cell));
  const CellResult result = judge(cell, {103, statistics::Interval{102, 104}, ""});
  CHECK(result.verdict == Verdict::match);
  CHECK_FALSE(result.is_expected(cell));
  CHECK(judge(cell, {103, statistics::Interval{101, 105}, ""}).is_expected(cell));
}

TEST_CASE("a printed value in the interval of 99 % is a match, wherever the mean is") {
  const Cell cell = cell_of(0.5, 0.0, PrintedAs::in_interval);
  CHECK(judge(cell, {0.6, std::nullopt, "", statistics::Interval{0.45, 0.75}}).verdict ==
        Verdict::match);
  CHECK(judge(cell, {0.6, std::nullopt, "", statistics::Interval{0.51, 0.69}}).verdict ==
        Verdict::differs);
  CHECK(judge(cell, {0.5, std::nullopt, ""}).verdict == Verdict::differs);
  const Cell bound = cell_of(0.5, 0.0, PrintedAs::at_least_in_interval);
  CHECK(judge(bound, {0.4, std::nullopt, "", statistics::Interval{0.29, 0.51}}).verdict ==
        Verdict::match);
  CHECK(judge(bound, {0.6, std::nullopt, "", statistics::Interval{0.51, 0.69}}).verdict ==
        Verdict::match);
  CHECK(judge(bound, {0.4, std::nullopt, "", statistics::Interval{0.31, 0.49}}).verdict ==
        Verdict::differs);
  CHECK(judge(bound, {0.6, std::nullopt, ""}).verdict == Verdict::differs);
  const Cell upper = cell_of(0.5, 0.0, PrintedAs::at_most_in_interval);
  CHECK(judge(upper, {0.6, std::nullopt, "", statistics::Interval{0.49, 0.71}}).verdict ==
        Verdict::match);
  CHECK(judge(upper, {0.4, std::nullopt, "", statistics::Interval{0.31, 0.49}}).verdict ==
        Verdict::match);
  CHECK(judge(upper, {0.6, std::nullopt, "", statistics::Interval{0.51, 0.69}}).verdict ==
        Verdict::differs);
}

TEST_CASE("the simulated cells of adoption-2013's table 1 stand beside the closed forms") {
  const ReproductionItem item =
      read_reproduction_item(data_directory() / "adoption-2013/table-1.json");
  std::size_t checked = 0;
  for (const Cell& cell : item.cells) {
    const std::string& measure = item.measures[cell.measure].name;
    if (cell.metric != "survived" || measure.starts_with("successive")) continue;
    const auto failed = static_cast<std::int64_t>(*cell.at);
    const std::size_t fanout = measure.find("f=");
    const std::int64_t f = fanout != std::string::npos ? std::stoll(measure.substr(fanout + 2))
                           : measure == "stencil"      ? 6
                                                       : 26;
    const theory::FaultOutcome form = cell.protocol == "indep"
                                          ? theory::indep_outcome(256, failed, f)
                                          : theory::rel_outcome(256, failed);
    const double without_root = measure.ends_with("root may die") ? 1 - *cell.at / 256 : 1;
    INFO(cell.name);
    CHECK(*cell.stated == Approx(form.survival * without_root).epsilon(1e-5));
    ++checked;
  }
  CHECK(checked == 56);
}

TEST_CASE("the exact column of theorem 1 is the one that its page derives") {
  const ReproductionItem item =
      read_reproduction_item(data_directory() / "termination-2022/theorem-1.json");
  std::size_t compared = 0;
  std::size_t cell = 0;
  for (const char* detector : {"four-counter", "edod", "hcda", "cda"})
    for (const double q : {0.1, 0.01, 0.001})
      for (const std::uint32_t processes : {16U, 64U, 256U, 1024U}) {
        INFO(item.cells[cell].name);
        CHECK(item.cells[cell].protocol == detector);
        CHECK(*item.cells[cell].exact == Approx(exact_mean(detector, processes, q)).epsilon(1e-6));
        ++cell;
        ++compared;
      }
  CHECK(compared == item.cells.size());
}

TEST_CASE("survival is reproduced to every digit that the paper prints") {
  const auto file = data_directory() / "adoption-2013/table-1.json";
  ReproductionItem item = read_reproduction_item(file);
  item.measures.resize(1);  // closed forms; the others are runs
  std::erase_if(item.cells, [](const Cell& cell) { return cell.measure > 0; });
  ItemResult result = reproduce_item(std::move(item), {});
  CHECK(result.cells.size() == 89);
  std::size_t matches = 0;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    // The counts of faults are inferred from the first row, which proves nothing about itself.
    const bool is_share = result.item.cells[i].figure == "share-percent";
    INFO(result.item.cells[i].name);
    CHECK(result.cells[i].verdict == (is_share ? Verdict::not_comparable : Verdict::match));
    matches += is_share ? 0 : 1;
  }
  CHECK(matches == 75);
  CHECK(as_expected({result}));
  result.item.cells.back().expected = Verdict::differs;
  CHECK_FALSE(as_expected({result}));
}

TEST_CASE("the faults of a survival measure are read once, for all of its cells") {
  const TemporaryDirectory folder;
  const auto file = folder.write(
      "two.json", R"({"schema_version": 1, "name": "two", "counts": {"1": 3, "2": 1}})");
  const SurvivalMeasure measure{file.string(), 1024};
  const Measured measured = measure_survival(measure);
  std::filesystem::remove(file);
  Cell cell;
  cell.figure = "share-percent";
  for (const auto& [failed, share] : {std::pair{1, 75.0}, std::pair{2, 25.0}}) {
    cell.failed = {failed};
    CHECK(survival_at(measure, measured, cell).value == share);
  }
  cell.failed = {3};
  CHECK_FALSE(survival_at(measure, measured, cell).value);
  CHECK_THROWS_AS(measure_survival(measure), UsageError);
}

TEST_CASE("the members of a group stand for those that its cells leave out") {
  const ReproductionItem item = item_of(
      with_cells(R"({"cell": "a", "paper": 1}, {"cell": "b", "paper": 2, "detector": "hcda"})"));
  REQUIRE(item.cells.size() == 2);
  CHECK(item.cells[0].protocol == "cda");
  CHECK(item.cells[1].protocol == "hcda");
  CHECK(item.cells[1].place == "p");
}

TEST_CASE("runs give the same estimates whatever the number of jobs, and name what is missing") {
  const std::string text = with_cells(R"({"cell": "a", "paper": 7, "tolerance": 0.2},
      {"cell": "b", "paper": 7, "detector": "edod"})");
  const ReproductionItem item = item_of(text);
  const ItemResult one = reproduce_item(item, {.quick = false, .jobs = 1});
  const ItemResult three = reproduce_item(item, {.quick = false, .jobs = 3});
  CHECK(reproduction_json({one}, false) == reproduction_json({three}, false));
  CHECK(one.cells[0].verdict == Verdict::match);
  CHECK(one.cells[1].verdict == Verdict::not_comparable);
  CHECK_THAT(one.cells[1].reason, Contains("no detector edod"));
}

TEST_CASE("a ratio to another detector is taken run by run") {
  const std::string relative = R"("measures": {"m": {"kind": "runs", "scenario": "walk",
      "metric": "control_messages", "relative_to": "cda", "replications": 4,
      "quick_replications": 2,
      "changes": [{"platform.processes": 4}, {"platform.processes": 8}]}},)";
  const ItemResult result = reproduce_item(
      item_of(with_cells(R"({"cell": "a", "paper": 1}, {"cell": "b", "paper": 1, "detector": "hcda",
          "expected": "differs", "reason": "r"})",
                         relative)),
      {});
  CHECK(*result.cells[0].measured.value == 1.0);
  CHECK(*result.cells[1].measured.value > 1.0);
  CHECK(result.cells[1].verdict == Verdict::differs);
}

constexpr const char* kSeries = R"("measures": {"m": {"kind": "series", "scenario": "walk",
    "over": "platform.processes", "metrics": ["control_messages", "idle_transitions"],
    "changes": [{"platform.processes": 4}, {"platform.processes": 8},
                {"platform.processes": 16}],
    "replications": [3, 4, 2], "quick_replications": 2, "quick_points": 2}},
    "curves": ["m"],)";

TEST_CASE("the pieces of work that are told make the whole work of an item") {
  const auto check = [](const ReproductionItem& item, bool quick, double expected) {
    double told = 0;
    ReproductionSettings settings{.quick = quick, .jobs = 2};
    settings.worked = [&](double work) { told += work; };
    reproduce_item(item, settings);
    CHECK(told == expected);
    CHECK(work_of(item, settings) == expected);
  };
  // Two detectors on four processes, and a series on more and more.
  const ReproductionItem runs = item_of(with_cells(R"({"cell": "a", "paper": 7})"));
  check(runs, false, 4 * 2 * 4);
  check(runs, true, 2 * 2 * 4);
  const ReproductionItem series =
      item_of(with_cells(R"({"cell": "last", "metric": "control_messages"})", kSeries));
  check(series, false, 2 * (3 * 4 + 4 * 8 + 2 * 16));
  check(series, true, 2 * (2 * 4 + 2 * 8));
}

TEST_CASE("a series keeps the samples that plain runs of its scenario give") {
  const ReproductionItem item = item_of(with_cells(
      R"({"cell": "last", "metric": "control_messages"},
         {"cell": "at 8", "metric": "control_messages", "at": 8},
         {"cell": "ratio", "metric": "control_messages", "detector": "hcda",
          "relative_to": "cda"})",
      kSeries));
  const ItemResult result = reproduce_item(item, {.quick = false, .jobs = 2});
  REQUIRE(result.measured.size() == 1);
  const auto& points = result.measured[0].points;
  REQUIRE(points.size() == 3);
  CHECK(points[1].at == 8);
  CHECK(points[1].samples.at("cda").at("idle_transitions").size() == 4);
  // A measure of kind runs gives this, too, with one scenario for each point.
  for (const auto& [processes, replications] : {std::pair{8, 4}, {16, 2}}) {
    const std::string changes = R"([{"platform.processes": )" + std::to_string(processes) + "}]";
    const std::string runs = R"("measures": {"m": {"kind": "runs", "scenario": "walk",
        "metric": "control_messages", "quick_replications": 1, "changes": )" +
                             changes + R"(, "replications": )" + std::to_string(replications) +
                             "}},";
    const ItemResult plain = reproduce_item(item_of(with_cells(R"({"cell": "a"})", runs)), {});
    const std::size_t cell = processes == 8 ? 1 : 0;
    CHECK(*plain.cells[0].measured.value == *result.cells[cell].measured.value);
  }
  const auto& last = points[2].samples;
  double ratios = 0;
  for (std::size_t i = 0; i < 2; ++i)
    ratios += last.at("hcda").at("control_messages")[i] / last.at("cda").at("control_messages")[i];
  CHECK(*result.cells[2].measured.value == Approx(ratios / 2));
  const ItemResult quick = reproduce_item(item, {.quick = true, .jobs = 1});
  REQUIRE(quick.measured[0].points.size() == 2);
  CHECK(quick.measured[0].points[1].samples.at("cda").at("control_messages").size() == 2);
  REQUIRE(quick.cells.size() == 2);  // the last point is that of "at 8" now
  double of_cda = 0;
  for (const double value : quick.measured[0].points[1].samples.at("cda").at("control_messages"))
    of_cda += value / 2;
  CHECK(*quick.cells[0].measured.value == of_cda);
}

TEST_CASE("with --quick, cells of other points and those that it cannot tell are left out") {
  ReproductionItem item = item_of(with_cells(
      R"({"cell": "last", "metric": "control_messages"},
         {"cell": "at 8", "metric": "control_messages", "at": 8, "paper": 1},
         {"cell": "at 16", "metric": "control_messages", "at": 16, "paper": 1},
         {"cell": "at 4", "metric": "control_messages", "at": 4, "quick": false})",
      kSeries));
  CHECK(item.cells.size() == 4);
  keep_quick_cells(item);
  REQUIRE(item.cells.size() == 2);
  CHECK(item.cells[0].name == "last");
  CHECK(item.cells[1].name == "at 8");
}

TEST_CASE("a figure of a series has one line for each box, and draws each where it belongs") {
  const ItemResult result = reproduce_item(
      item_of(with_cells(R"({"cell": "a", "metric": "control_messages"})", kSeries)), {});
  const std::string csv = text::csv_records(figure_rows(result));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 3 * 2 * 2);
  const auto& sample = result.measured[0].points[1].samples.at("hcda").at("control_messages");
  const statistics::Boxplot box = statistics::boxplot(sample);
  const std::string line = "m,control_messages,hcda,8,4," + json::shortest(box.min) + "," +
                           json::shortest(box.whisker_low) + "," + json::shortest(box.quartile_1) +
                           "," + json::shortest(box.median) + "," + json::shortest(box.quartile_3) +
                           "," + json::shortest(box.whisker_high) + "," + json::shortest(box.max) +
                           "," + json::shortest(*statistics::summarize(sample).mean) + "\n";
  CHECK_THAT(csv, Contains(line));
  CHECK_THAT(csv, Contains("series,metric,detector,processes,runs,min,"));
  const FigurePanels panels = figure_panels(result);
  CHECK(panels.columns == 2);
  REQUIRE(panels.charts.size() == 2);
  CHECK(panels.charts[0].lines.at(1).points.at(1).box->median == box.median);
  CHECK(panels.charts[0].lines.at(1).name == "HCDA");
  CHECK(panels.charts[0].x.tics.back() == std::pair<std::string, double>{"16", 16});
}

TEST_CASE("detectors are drawn in the order and colours in which their scenario names them") {
  std::string walk = with_cells(R"({"cell": "a", "metric": "control_messages"})", kSeries);
  const std::string listed = R"([{"name": "cda"}, {"name": "hcda"}])";
  REQUIRE(walk.find(listed) != std::string::npos);
  walk.replace(walk.find(listed), listed.size(), R"([{"name": "hcda"}, {"name": "cda"}])");
  const ItemResult result = reproduce_item(item_of(walk), {});
  CHECK(result.measured.at(0).points.at(0).detectors == std::vector<std::string>{"hcda", "cda"});
  const std::vector<drawing::ChartLine> lines = figure_panels(result).charts.at(0).lines;
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name == "HCDA");
  CHECK(lines[0].line_type == 1);
  CHECK(lines[1].name == "CDA");
  CHECK(lines[1].line_type == 2);
  CHECK(lines[1].dash == 2);
}

TEST_CASE("what is wrong with a series is said with file and place") {
  const auto refusal = [](const std::string& cell, const std::string& from, const std::string& to,
                          bool overlaid = false) {
    std::string series = kSeries;
    const std::size_t place = series.find(from);
    if (!from.empty()) series.replace(place, from.size(), to);
    if (overlaid) series += R"("overlaid": true,)";
    return refusal_of(with_cells(cell, series));
  };
  const std::string cell = R"({"cell": "a", "metric": "control_messages"})";
  CHECK_THAT(refusal(cell, "[3, 4, 2]", "[3, 4]"),
             Contains("measures.m.replications: expected a number above 0 for each"));
  CHECK_THAT(refusal(cell, R"("quick_points": 2)", R"("quick_points": 4)"),
             Contains("measures.m.quick_points: expected at most 3"));
  CHECK_THAT(refusal(cell, R"({"platform.processes": 8})", R"({"platform.processes": 4})"),
             Contains("measures.m.changes[1]: expected platform.processes to ascend"));
  CHECK_THAT(refusal(cell, R"({"platform.processes": 8})", R"({"seed": 8})"),
             Contains("measures.m.changes[1]: expected a member \"platform.processes\""));
  CHECK_THAT(refusal(cell, R"(["m"])", R"(["n"])"), Contains("curves[0]: expected a measure"));
  CHECK_THAT(refusal(R"({"cell": "a", "metric": "borrows"})", "", ""),
             Contains("groups[0].cells[0].metric: expected one of the metrics of its measure"));
  CHECK_THAT(refusal(R"({"cell": "a", "metric": "control_messages", "at": 12})", "", ""),
             Contains("groups[0].cells[0].at: expected a point of its measure"));
  CHECK_THAT(refusal(cell, R"("metrics")", R"("drawn_relative_to": "edod", "metrics")"),
             Contains("measures.m.drawn_relative_to: expected a detector of its scenario"));
  CHECK_THAT(refusal(cell, R"("metrics")", R"("drawn_relative_to": "cda", "metrics")", true),
             Contains("overlaid: expected false: only series that are drawn as boxes can be"));
}

TEST_CASE("a quick reproduction counts no value twice") {
  const char* cells = R"({"cell": "at 8", "metric": "control_messages", "at": 8},
                         {"cell": "last", "metric": "control_messages"},
                         {"cell": "at 16", "metric": "control_messages", "at": 16, "paper": 3})";
  ReproductionItem item = item_of(with_cells(cells, kSeries));
  CHECK(item.cells.size() == 3);
  keep_quick_cells(item);  // its last point is 8
  REQUIRE(item.cells.size() == 1);
  CHECK(item.cells.front().name == "at 8");
  for (const char* paper :
       {"adoption-2013", "fampi-2015", "rdaemon-2019", "robustness", "termination-2022"})
    for (const auto& file : find_reproduction_items(paper)) {
      ReproductionItem shipped = read_reproduction_item(file);
      keep_quick_cells(shipped);
      const std::size_t once = shipped.cells.size();
      keep_quick_cells(shipped);
      CHECK(shipped.cells.size() == once);
    }
}

TEST_CASE("what is wrong with a data file is said with file and place") {
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "papr": 1})")),
             Contains("item.json: groups[0].cells[0].papr") && Contains("paper"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "paper": "1"})")),
             Contains("groups[0].cells[0].paper: expected a number"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "expected": "difers", "reason": "r"})")),
             Contains("groups[0].cells[0].expected") && Contains("differs"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "expected": "differs"})")),
             Contains("groups[0].cells[0].reason: missing"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "measure": "n"})")),
             Contains("groups[0].cells[0].measure: expected one of the members of measures"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "exact": 1})")), Contains("exact_formula"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a"}, {"cell": "a"})")),
             Contains("groups[0].cells[1]: a cell with this name occurs above"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "paper": 1, "derived": 1})")),
             Contains("groups[0].cells[0].derived: beside paper"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "paper": 1, "why": ""})")),
             Contains("groups[0].cells[0].why: missing"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a", "paper": 1}, {"cell": "b", "paper": 1})")),
             Contains("groups[0].cells[1]: compares the same value as \"a\" above"));
  CHECK_THAT(refusal_of(with_cells("")), Contains("groups[0].cells: expected a list"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a"})", R"("measures": {"m": {"kind": "run"}},)")),
             Contains("measures.m.kind"));
  CHECK_THAT(refusal_of(with_cells(R"({"cell": "a"})",
                                   R"("measures": {"m": {"kind": "runs", "scenario": "walk",
              "metric": "x", "replications": 1, "quick_replications": 1,
              "changes": [{"platform.procesess": 4}]}},)")),
             Contains("measures.m") && Contains("procesess"));
}

}  // namespace faultline::reproduction
