// SPDX-License-Identifier: Apache-2.0

// Items of papers from their data files to results: values that theory knows, runs, what --quick
// leaves out, and what is refused.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/verdicts.hpp"
#include "analysis/theory/survival.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "tests/analysis/reproduction/walk_item.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

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
  const ReproductionItem item =
      walk_item(R"({"cell": "a", "paper": 1}, {"cell": "b", "paper": 2, "detector": "hcda"})");
  REQUIRE(item.cells.size() == 2);
  CHECK(item.cells[0].protocol == "cda");
  CHECK(item.cells[1].protocol == "hcda");
  CHECK(item.cells[1].place == "p");
}

TEST_CASE("runs give the same estimates whatever the number of jobs, and name what is missing") {
  const std::string text = walk_text(R"({"cell": "a", "paper": 7, "tolerance": 0.2},
      {"cell": "b", "paper": 7, "detector": "edod"})");
  const ReproductionItem item = item_from(text);
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
      walk_item(R"({"cell": "a", "paper": 1}, {"cell": "b", "paper": 1, "detector": "hcda",
          "expected": "differs", "reason": "r"})",
                relative),
      {});
  CHECK(*result.cells[0].measured.value == 1.0);
  CHECK(*result.cells[1].measured.value > 1.0);
  CHECK(result.cells[1].verdict == Verdict::differs);
}

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
  const ReproductionItem runs = walk_item(R"({"cell": "a", "paper": 7})");
  check(runs, false, 4 * 2 * 4);
  check(runs, true, 2 * 2 * 4);
  const ReproductionItem series =
      walk_item(R"({"cell": "last", "metric": "control_messages"})", kWalkSeries);
  check(series, false, 2 * (3 * 4 + 4 * 8 + 2 * 16));
  check(series, true, 2 * (2 * 4 + 2 * 8));
}

TEST_CASE("with --quick, cells of other points and those that it cannot tell are left out") {
  ReproductionItem item = walk_item(
      R"({"cell": "last", "metric": "control_messages"},
         {"cell": "at 8", "metric": "control_messages", "at": 8, "paper": 1},
         {"cell": "at 16", "metric": "control_messages", "at": 16, "paper": 1},
         {"cell": "at 4", "metric": "control_messages", "at": 4, "quick": false})",
      kWalkSeries);
  CHECK(item.cells.size() == 4);
  keep_quick_cells(item);
  REQUIRE(item.cells.size() == 2);
  CHECK(item.cells[0].name == "last");
  CHECK(item.cells[1].name == "at 8");
}

TEST_CASE("a quick reproduction counts no value twice") {
  const char* cells = R"({"cell": "at 8", "metric": "control_messages", "at": 8},
                         {"cell": "last", "metric": "control_messages"},
                         {"cell": "at 16", "metric": "control_messages", "at": 16, "paper": 3})";
  ReproductionItem item = walk_item(cells, kWalkSeries);
  CHECK(item.cells.size() == 3);
  keep_quick_cells(item);  // its last point is 8
  REQUIRE(item.cells.size() == 1);
  CHECK(item.cells.front().name == "at 8");
  for (const char* paper : {"adoption-2013", "fampi-2015", "rdaemon-2019", "recovery", "robustness",
                            "termination-2022"})
    for (const auto& file : find_reproduction_items(paper)) {
      ReproductionItem shipped = read_reproduction_item(file);
      keep_quick_cells(shipped);
      const std::size_t once = shipped.cells.size();
      keep_quick_cells(shipped);
      CHECK(shipped.cells.size() == once);
    }
}

TEST_CASE("what is wrong with a data file is said with file and place") {
  CHECK_THAT(walk_refusal(R"({"cell": "a", "papr": 1})"),
             Contains("item.json: groups[0].cells[0].papr") && Contains("paper"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "paper": "1"})"),
             Contains("groups[0].cells[0].paper: expected a number"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "expected": "difers", "reason": "r"})"),
             Contains("groups[0].cells[0].expected") && Contains("differs"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "expected": "differs"})"),
             Contains("groups[0].cells[0].reason: missing"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "measure": "n"})"),
             Contains("groups[0].cells[0].measure: expected one of the members of measures"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "exact": 1})"), Contains("exact_formula"));
  CHECK_THAT(walk_refusal(R"({"cell": "a"}, {"cell": "a"})"),
             Contains("groups[0].cells[1]: a cell with this name occurs above"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "paper": 1, "derived": 1})"),
             Contains("groups[0].cells[0].derived: beside paper"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "paper": 1, "why": ""})"),
             Contains("groups[0].cells[0].why: missing"));
  CHECK_THAT(walk_refusal(R"({"cell": "a", "paper": 1}, {"cell": "b", "paper": 1})"),
             Contains("groups[0].cells[1]: compares the same value as \"a\" above"));
  CHECK_THAT(walk_refusal(""), Contains("groups[0].cells: expected a list"));
  CHECK_THAT(walk_refusal(R"({"cell": "a"})", R"("measures": {"m": {"kind": "run"}},)"),
             Contains("measures.m.kind"));
  CHECK_THAT(walk_refusal(R"({"cell": "a"})",
                          R"("measures": {"m": {"kind": "runs", "scenario": "walk",
              "metric": "x", "replications": 1, "quick_replications": 1,
              "changes": [{"platform.procesess": 4}]}},)"),
             Contains("measures.m") && Contains("procesess"));
}

}  // namespace faultline::reproduction
