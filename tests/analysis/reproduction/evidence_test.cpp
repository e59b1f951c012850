// SPDX-License-Identifier: Apache-2.0

// What a match is evidence of: declared once, required, shown and counted apart.

#include "analysis/reproduction/evidence.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/page.hpp"
#include "analysis/reproduction/saved.hpp"
#include "analysis/reproduction/verdict_counts.hpp"
#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::reproduction {

using Catch::Matchers::Contains;

namespace {

/// An item of two groups, with these members at its top, in its first group and in its first cell.
/// The first cell states a bound.
std::string declared_text(const std::string& item, const std::string& group,
                          const std::string& cell) {
  return R"({"schema_version": 1, "title": "t", "time_s": 1, "quick_time_s": 1, )" + item +
         R"("measures": {"m": {"kind": "survival", "faults": "jaguar", "processes": 64}},
            "groups": [{"place": "p", "why": "w", "measure": "m", "figure": "share-percent", )" +
         group + R"("cells": [{"cell": "a", "threshold": 50, "printed_as": "at-least", )" + cell +
         R"("failed": [1]}, {"cell": "b", "paper": 92.3, "absolute_tolerance": 0.05,
                              "failed": [1]}]},
          {"place": "p", "why": "w", "measure": "m", "figure": "share-percent", "cells": [
           {"cell": "c", "derived": 4, "tolerance": 0.05, "failed": [2]},
           {"cell": "d", "failed": [3]}]}]})";
}

ReproductionItem declared_item(const std::string& text) {
  const TemporaryDirectory folder;
  return read_reproduction_item(folder.write("item.json", text));
}

std::string refusal_of_declared(const std::string& text) {
  try {
    declared_item(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

/// Four kinds of cells, one of which differs and one of which states nothing.
ItemResult declared_result(const std::string& name) {
  ItemResult result = reproduce_item(
      declared_item(declared_text(R"("evidence": "own theory", )", R"("evidence": "predicted", )",
                                  R"("evidence": "bound", )")),
      {});
  result.item.name = name;
  result.item.cells[2].expected = Verdict::differs;
  result.item.cells[3].expected = Verdict::not_comparable;
  return result;
}

std::string text_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

const std::vector<std::string> kPapers = {"adoption-2013", "fampi-2015", "fast-message-logging",
                                          "rdaemon-2019", "termination-2022"};

}  // namespace

TEST_CASE("evidence is declared at the top of the file, in a group or in a cell") {
  const ReproductionItem item = declared_item(declared_text(
      R"("evidence": "own theory", )", R"("evidence": "predicted", )", R"("evidence": "bound", )"));
  CHECK(item.cells[0].evidence == Evidence::bound);
  CHECK(item.cells[1].evidence == Evidence::predicted);
  CHECK(item.cells[2].evidence == Evidence::own_theory);
  // It states nothing, and so can match nothing.
  CHECK_FALSE(item.cells[3].evidence);
}

TEST_CASE("a cell that states a value is refused without its evidence, or with a wrong one") {
  const std::string missing = refusal_of_declared(
      declared_text("", R"("evidence": "predicted", )", R"("evidence": "bound", )"));
  CHECK_THAT(missing,
             Contains("item.json: groups[1].cells[0].evidence: missing") &&
                 Contains("predicted, bound, formula, calibrated, own theory or property"));
  CHECK_THAT(missing, !Contains("groups[0]") && !Contains("cells[1]"));
  CHECK_THAT(refusal_of_declared(declared_text(R"("evidence": "predictd", )", "", "")),
             Contains("item.json: evidence: ") && Contains("predicted") && !Contains("groups"));
  CHECK_THAT(
      refusal_of_declared(declared_text(R"("evidence": "bound", )", "", R"("evidence": null, )")),
      Contains("groups[0].cells[0].evidence"));
  CHECK_THAT(refusal_of_declared(
                 declared_text(R"("evidence": "bound", )", "", R"("evidence": "predicted", )")),
             Contains("groups[0].cells[0].evidence: expected bound beside threshold"));
}

TEST_CASE("matches are counted by their evidence, and no other verdict is") {
  const ItemResult result = declared_result("t/one");
  REQUIRE(result.cells[2].verdict == Verdict::differs);  // 3.7 %, not 4
  const VerdictCounts counts = counts_of({result, result});
  CHECK(counts.verdicts == std::map<Verdict, std::size_t>{{Verdict::match, 4},
                                                          {Verdict::differs, 2},
                                                          {Verdict::not_comparable, 2}});
  CHECK(counts.matches ==
        std::map<Evidence, std::size_t>{{Evidence::predicted, 2}, {Evidence::bound, 2}});
  CHECK(counts_words(counts) ==
        "4 match (2 predicted, 2 bound), 2 differs, 2 not comparable; all as expected");
}

TEST_CASE("the table names the evidence of a match, and its last line counts all items") {
  const std::string one = reproduction_table({declared_result("t/one")}, false);
  CHECK_THAT(one, Contains("match bound\n") && Contains("match predicted\n") &&
                      Contains(" differs\n") && !Contains("own theory") &&
                      Contains("\n2 match (1 predicted, 1 bound), 1 differs, 1 not comparable; all "
                               "as expected\n") &&
                      !Contains("items"));
  const std::string two =
      reproduction_table({declared_result("t/one"), declared_result("t/two")}, false);
  CHECK_THAT(two, Contains("\nall 2 items: 4 match (2 predicted, 2 bound), 2 differs, 2 not "
                           "comparable; all as\nexpected\n"));
}

TEST_CASE("results for machines have the evidence of each cell, and the counts") {
  const std::string json = reproduction_json({declared_result("t/one")}, false);
  CHECK_THAT(json, Contains(R"("evidence": "own theory")") && Contains(R"("evidence": null)") &&
                       Contains(R"("match": 2)") && Contains(R"("own theory": 0)"));
  const TemporaryDirectory folder;
  const Reproduction saved = read_saved_reproduction(folder.write("saved.json", json).string());
  REQUIRE(saved.results.size() == 1);
  CHECK(saved.results[0].item.cells[0].evidence == Evidence::bound);
  CHECK(saved.results[0].item.cells[2].evidence == Evidence::own_theory);
  CHECK_FALSE(saved.results[0].item.cells[3].evidence);
  std::string without = json;
  while (without.find("\"evidence\"") != std::string::npos)
    without.replace(without.find("\"evidence\""), 10, "\"evidance\"");
  CHECK_THROWS_WITH(read_saved_reproduction(folder.write("old.json", without).string()),
                    Contains("items[0].cells[0].evidence: missing"));
}

TEST_CASE("the page counts the matches by their evidence, of each item and of all") {
  Reproduction reproduction;
  reproduction.versions = "v";
  for (const char* name : {"t/one", "t/two"}) {
    reproduction.results.push_back(declared_result(name));
    reproduction.commands.emplace_back("faultline reproduce");
  }
  const std::string page = reproduction_page(reproduction);
  for (const std::string& word : evidence_words()) CHECK_THAT(page, Contains("of these " + word));
  CHECK_THAT(page, Contains("match, bound") && Contains("match, predicted") &&
                       Contains("<strong>all</strong>"));
}

TEST_CASE("what was calibrated is not called a prediction or a bound") {
  std::size_t calibrated = 0;
  for (const std::string& paper : kPapers)
    for (const auto& file : find_reproduction_items(paper))
      for (const Cell& cell : read_reproduction_item(file).cells) {
        if (!cell.stated || cell.expected != Verdict::match) continue;
        INFO(file << ": " << cell.name);
        if (cell.why.find("calibrated") != std::string::npos)
          CHECK(cell.evidence == Evidence::calibrated);
        // Words are bounds, or have been met by what was chosen so.
        if (cell.source == Source::threshold) CHECK(cell.evidence != Evidence::formula);
        calibrated += cell.evidence == Evidence::calibrated ? 1 : 0;
      }
  CHECK(calibrated > 20);
}

TEST_CASE("docs/reproduction.md counts the matches of all papers as the data files declare them") {
  std::string table;
  std::map<Evidence, std::size_t> all;
  for (const std::string& paper : kPapers) {
    std::map<Evidence, std::size_t> matches;
    std::size_t differs = 0;
    std::size_t not_comparable = 0;
    for (const auto& file : find_reproduction_items(paper))
      for (const Cell& cell : read_reproduction_item(file).cells) {
        if (cell.expected == Verdict::match) ++matches[*cell.evidence], ++all[*cell.evidence];
        differs += cell.expected == Verdict::differs ? 1 : 0;
        not_comparable += cell.expected == Verdict::not_comparable ? 1 : 0;
      }
    std::string row = "| " + paper + " |";
    for (const Evidence evidence : all_evidence())
      row += " " + std::to_string(matches[evidence]) + " |";
    row += " " + std::to_string(differs) + " | " + std::to_string(not_comparable) + " |\n";
    table += row;
  }
  const std::string page = text_in(data_directory().parent_path() / "docs" / "reproduction.md");
  UNSCOPED_INFO("expected rows:\n" << table);
  CHECK(page.find(table) != std::string::npos);
  std::string totals = "| all |";
  for (const Evidence evidence : all_evidence())
    totals += " " + std::to_string(all[evidence]) + " |";
  UNSCOPED_INFO("expected totals: " << totals);
  CHECK(page.find(totals) != std::string::npos);
}

}  // namespace faultline::reproduction
