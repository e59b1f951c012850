// SPDX-License-Identifier: Apache-2.0

// How a measured value is judged beside a printed one, and under which source it stands.

#include "analysis/reproduction/verdicts.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "tests/analysis/reproduction/walk_item.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

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
  const ReproductionItem item = walk_item(R"({"cell": "a", "paper": 1}, {"cell": "b", "derived": 2},
                    {"cell": "c", "threshold": 3, "printed_as": "at-least"}, {"cell": "d"})");
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
                            "recovery", "robustness", "termination-2022"})
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

}  // namespace faultline::reproduction
