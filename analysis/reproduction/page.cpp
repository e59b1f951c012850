// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include "analysis/reproduction/verdict_counts.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/version.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::reproduction {

namespace {

constexpr const char* kWhatMatchesAre =
    "A match is <em>predicted</em> if the paper prints the value, or its closed form gives it, and "
    "runs meet it to which nothing was fitted; a <em>bound</em> that is printed or that words "
    "mean; "
    "a <em>formula</em> of the paper computed again, without a run; <em>calibrated</em> if "
    "something was chosen so that the value comes out; <em>own theory</em> if our arithmetic and "
    "our runs agree; a <em>property</em> if it must hold in every run, and did in all that were "
    "made.";

drawing::HtmlCell number_cell(const std::optional<double>& value) {
  return {value ? drawing::html_number(*value) : "", "number"};
}

drawing::HtmlCell stated_cell(const Cell& cell) {
  drawing::HtmlCell shown = number_cell(cell.stated);
  if (is_lower_bound(cell.printed_as)) shown.html = "&#8805; " + shown.html;
  if (is_upper_bound(cell.printed_as)) shown.html = "&#8804; " + shown.html;
  return shown;
}

drawing::HtmlCell interval_cell(const std::optional<statistics::Interval>& interval) {
  return {interval
              ? drawing::html_number(interval->low) + " to " + drawing::html_number(interval->high)
              : "",
          "number"};
}

/// A verdict with a sign beside the word, so that it does not depend on colour, and what a match is
/// evidence of.
drawing::HtmlCell verdict_cell(const Cell& cell, const CellResult& result) {
  std::string sign = "&#8211;";
  std::string kind = "verdict other";
  if (result.verdict == Verdict::match) sign = "&#10003;", kind = "verdict match";
  if (result.verdict == Verdict::differs) sign = "&#8800;", kind = "verdict differs";
  std::string text = sign + " " + verdict_word(result.verdict);
  if (result.verdict == Verdict::match && cell.evidence)
    text.append(", ").append(evidence_word(*cell.evidence));
  if (result.is_expected(cell)) return {text, kind};
  const std::string why = result.agrees_with_exact
                              ? std::string("expected: ") + verdict_word(cell.expected)
                              : std::string("contradicts theory");
  return {text + " <strong class=\"alarm\">&#9888; " + why + "</strong>", kind};
}

/// The distinct reasons of an item, in the order of its cells.
std::vector<std::string> reasons_of(const ItemResult& result) {
  std::vector<std::string> reasons;
  for (const CellResult& cell : result.cells)
    if (!cell.reason.empty() &&
        std::find(reasons.begin(), reasons.end(), cell.reason) == reasons.end())
      reasons.push_back(cell.reason);
  return reasons;
}

/// A link to the reason of a cell, by its number in the list of reasons.
drawing::HtmlCell reason_cell(const CellResult& result, const std::vector<std::string>& reasons,
                              const std::string& prefix) {
  if (result.reason.empty()) return {"", "plain"};
  const auto found = std::find(reasons.begin(), reasons.end(), result.reason);
  const std::string number = std::to_string(found - reasons.begin() + 1);
  return {"<a href=\"#" + prefix + number + "\">reason " + number + "</a>", "plain"};
}

/// Every cell beside what was measured. `prefix` begins the identifiers of the reasons.
drawing::HtmlTable verdict_table(const ItemResult& result, const std::vector<std::string>& reasons,
                                 const std::string& prefix) {
  const auto& cells = result.item.cells;
  const bool has_interval = std::any_of(
      result.cells.begin(), result.cells.end(),
      [](const CellResult& outcome) { return outcome.measured.confidence_95.has_value(); });
  const bool has_exact = std::any_of(cells.begin(), cells.end(),
                                     [](const Cell& cell) { return cell.exact.has_value(); });
  drawing::HtmlTable table{
      .caption = drawing::escaped(result.item.name) + ": printed and measured values",
      .columns = {"cell"},
      .rows = {}};
  const std::vector<Source> sources = sources_of(result.item);
  for (const Source source : sources) table.columns.emplace_back(source_word(source));
  table.columns.emplace_back("measured");
  if (has_interval) table.columns.emplace_back("95 % interval");
  table.columns.emplace_back("ratio");
  if (has_exact) table.columns.emplace_back("exact");
  table.columns.emplace_back("verdict");
  if (!reasons.empty()) table.columns.emplace_back("reason");
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = cells[i];
    const CellResult& outcome = result.cells[i];
    std::vector<drawing::HtmlCell> row = {{drawing::escaped(cell.name), ""}};
    for (const Source source : sources)
      row.push_back(source == cell.source ? stated_cell(cell) : number_cell(std::nullopt));
    row.push_back(number_cell(outcome.measured.value));
    if (has_interval) row.push_back(interval_cell(outcome.measured.confidence_95));
    row.push_back({outcome.ratio ? text::fixed(*outcome.ratio, 3) : "", "number"});
    if (has_exact) row.push_back(number_cell(cell.exact));
    row.push_back(verdict_cell(cell, outcome));
    if (!reasons.empty()) row.push_back(reason_cell(outcome, reasons, prefix));
    table.rows.push_back(std::move(row));
    table.row_kinds.emplace_back(outcome.is_expected(cell) ? "" : "unexpected");
  }
  return table;
}

drawing::HtmlTable place_table(const ItemResult& result) {
  drawing::HtmlTable table{
      .caption = drawing::escaped(result.item.name) + ": places, tolerances and thresholds",
      .columns = {"cell", "place in the paper", "tolerance", "grounds"},
      .rows = {}};
  for (const Cell& cell : result.item.cells) {
    std::string tolerance = drawing::html_number(100 * cell.tolerance) + " %";
    if (cell.absolute_tolerance > 0)
      tolerance += " or " + drawing::html_number(cell.absolute_tolerance);
    if (is_by_interval(cell.printed_as)) tolerance = "99 % interval";
    if (cell.factor) tolerance = "a factor of " + drawing::html_number(*cell.factor);
    if (!cell.stated) tolerance = "";
    table.rows.push_back({{drawing::escaped(cell.name), ""},
                          {drawing::escaped(cell.place), "long"},
                          {tolerance, "plain"},
                          {drawing::escaped(cell.why), "long"}});
  }
  return table;
}

drawing::HtmlFigure figure_of(const ItemResult& result, const std::string& command) {
  drawing::HtmlFigure figure{
      .drawing = result.drawing,
      .label = result.item.name + ": " + result.item.title,
      .caption = "<strong>" + drawing::escaped(result.item.title) + "</strong>",
      .command = command + " --figures DIR",
      .numbers = drawing::numbers_table("What is drawn", result.figure),
      .wide = true};
  if (result.drawing.empty())
    figure.caption += "Not drawn: gnuplot is missing or failed. The numbers are below.";
  return figure;
}

drawing::HtmlCell count_cell(std::size_t cells) {
  return {cells == 0 ? "" : std::to_string(cells), "number"};
}

template <class Key>
drawing::HtmlCell count_cell(const std::map<Key, std::size_t>& counts, Key key) {
  const auto found = counts.find(key);
  return count_cell(found == counts.end() ? 0 : found->second);
}

std::vector<drawing::HtmlCell> summary_row(const drawing::HtmlCell& name,
                                           const VerdictCounts& counts, const std::string& title) {
  std::vector<drawing::HtmlCell> row = {name, count_cell(counts.verdicts, Verdict::match)};
  for (const Evidence evidence : all_evidence())
    row.push_back(count_cell(counts.matches, evidence));
  row.push_back(count_cell(counts.verdicts, Verdict::differs));
  row.push_back(count_cell(counts.verdicts, Verdict::not_comparable));
  drawing::HtmlCell bad = count_cell(counts.unexpected);
  if (counts.unexpected > 0) bad = {"&#9888; " + bad.html, "number alarm"};
  row.push_back(bad);
  row.push_back({drawing::escaped(title), "long"});
  return row;
}

/// The cells of each item, and of all, by verdict; the matches by what they are evidence of.
drawing::HtmlTable summary_table(const Reproduction& reproduction) {
  drawing::HtmlTable table{
      .caption =
          "Cells of the papers' tables and figures, by verdict, and the matches "
          "by what they are evidence of",
      .columns = {"item", "match"},
      .rows = {}};
  for (const Evidence evidence : all_evidence())
    table.columns.push_back(std::string("of these ") + evidence_word(evidence));
  for (const char* title : {"differs", "not comparable", "not as expected", ""})
    table.columns.emplace_back(title);
  for (const ItemResult& result : reproduction.results)
    table.rows.push_back(summary_row({drawing::escaped(result.item.name), ""}, counts_of({result}),
                                     result.item.title));
  if (reproduction.results.size() > 1)
    table.rows.push_back(
        summary_row({"<strong>all</strong>", ""}, counts_of(reproduction.results), ""));
  return table;
}

void add_item(drawing::HtmlPage& page, const ItemResult& result, const std::string& command) {
  page.section(result.item.name + ": " + result.item.title);
  if (!result.item.note.empty()) page.paragraph(drawing::escaped(result.item.note));
  page.commands({command});
  if (!result.figure.empty()) page.figures({figure_of(result, command)});
  std::vector<drawing::HtmlFigure> runs;
  for (const Picture& picture : result.pictures())
    runs.push_back({.drawing = picture.svg,
                    .label = result.item.name + ": a run under " + picture.name,
                    .caption = "<strong>" + drawing::escaped(picture.name) +
                               "</strong>The shortest run that goes wrong, step by step",
                    .command = command + " --figures DIR",
                    .numbers = {},
                    .wide = true});
  if (!runs.empty()) page.figures(runs);
  const std::string prefix = page.identifier(result.item.name + " reason") + "-";
  const auto reasons = reasons_of(result);
  page.table(verdict_table(result, reasons, prefix));
  std::string list;
  for (std::size_t i = 0; i < reasons.size(); ++i)
    list += "<li id=\"" + prefix + std::to_string(i + 1) + "\">" + drawing::escaped(reasons[i]) +
            "</li>\n";
  if (!reasons.empty()) page.html("<ol class=\"reasons\">\n" + list + "</ol>\n");
  page.folded("Places in the paper, and the reasons for each tolerance and threshold",
              place_table(result));
}

}  // namespace

std::string versions_of_this_build() {
  const std::string simgrid = engine::simgrid_version();
  return "Faultline " + std::string(version()) + (simgrid.empty() ? "" : ", SimGrid " + simgrid);
}

void add_reproduction(drawing::HtmlPage& page, const Reproduction& reproduction) {
  page.section("What the papers print, and what was measured");
  page.paragraph(drawing::escaped(reproduction.versions) +
                 (reproduction.quick ? "; quick: fewer replications, trees and sizes" : "") +
                 ". A cell matches when the measured value is within the tolerance that its data "
                 "file states; the reason of each known difference is given. Values stand in the "
                 "column of their source: the paper prints them, they are derived from what it "
                 "prints, or they are thresholds, the least that its words can mean.");
  page.paragraph(kWhatMatchesAre);
  page.table(summary_table(reproduction));
  for (std::size_t i = 0; i < reproduction.results.size(); ++i)
    add_item(page, reproduction.results[i], reproduction.commands[i]);
}

std::string reproduction_page(const Reproduction& reproduction) {
  drawing::HtmlPage page("Faultline: reproduction", drawing::escaped(reproduction.versions) +
                                                        (reproduction.quick ? ", quick" : "") +
                                                        ". Intervals are 95 %.");
  add_reproduction(page, reproduction);
  return page.text();
}

}  // namespace faultline::reproduction
