#include "analysis/reproduction_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "analysis/text_table.hpp"
#include "sim/core/version.hpp"
#include "sim/engine/engine.hpp"

namespace faultline {

namespace {

HtmlCell number(const std::optional<double>& value) {
  return {value ? html_number(*value) : "", "number"};
}

HtmlCell printed(const Cell& of) {
  HtmlCell cell = number(of.paper);
  if (of.printed_as == PrintedAs::at_least) cell.html = "&#8805; " + cell.html;
  if (of.printed_as == PrintedAs::at_most) cell.html = "&#8804; " + cell.html;
  return cell;
}

HtmlCell interval(const std::optional<Interval>& of) {
  return {of ? html_number(of->low) + " to " + html_number(of->high) : "", "number"};
}

/// A sign beside the word, so that nothing is said by colour alone.
HtmlCell verdict(const Cell& cell, const CellResult& result) {
  std::string sign = "&#8211;";
  std::string kind = "verdict other";
  if (result.verdict == Verdict::match) sign = "&#10003;", kind = "verdict match";
  if (result.verdict == Verdict::differs) sign = "&#8800;", kind = "verdict differs";
  std::string text = sign + " " + verdict_word(result.verdict);
  if (result.is_expected(cell)) return {text, kind};
  const std::string why = result.agrees_with_exact
                              ? std::string("expected: ") + verdict_word(cell.expected)
                              : std::string("contradicts theory");
  return {text + " <strong class=\"alarm\">&#9888; " + why + "</strong>", kind};
}

/// The reasons of an item, each once, in the order of its cells.
std::vector<std::string> reasons_of(const ItemResult& result) {
  std::vector<std::string> reasons;
  for (const CellResult& cell : result.cells)
    if (!cell.reason.empty() &&
        std::find(reasons.begin(), reasons.end(), cell.reason) == reasons.end())
      reasons.push_back(cell.reason);
  return reasons;
}

HtmlCell reason(const CellResult& result, const std::vector<std::string>& reasons,
                const std::string& prefix) {
  if (result.reason.empty()) return {"", "plain"};
  const auto found = std::find(reasons.begin(), reasons.end(), result.reason);
  const std::string of = std::to_string(found - reasons.begin() + 1);
  return {"<a href=\"#" + prefix + of + "\">reason " + of + "</a>", "plain"};
}

HtmlTable verdict_table(const ItemResult& result, const std::string& prefix) {
  const bool has_exact = std::any_of(result.item.cells.begin(), result.item.cells.end(),
                                     [](const Cell& cell) { return cell.exact.has_value(); });
  const auto reasons = reasons_of(result);
  HtmlTable table{.caption = escaped(result.item.name) + ": printed and measured values",
                  .columns = {"cell", "paper", "measured", "95 % interval", "ratio"},
                  .rows = {}};
  if (has_exact) table.columns.emplace_back("exact");
  table.columns.insert(table.columns.end(), {"verdict", "reason"});
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.item.cells[i];
    const CellResult& of = result.cells[i];
    std::vector<HtmlCell> row = {{escaped(cell.name), ""},
                                 printed(cell),
                                 number(of.measured.value),
                                 interval(of.measured.confidence_95),
                                 number(of.ratio)};
    if (of.ratio) row.back().html = fixed(*of.ratio, 3);
    if (has_exact) row.push_back(number(cell.exact));
    row.push_back(verdict(cell, of));
    row.push_back(reason(of, reasons, prefix));
    table.rows.push_back(std::move(row));
    table.row_kinds.emplace_back(of.is_expected(cell) ? "" : "unexpected");
  }
  return table;
}

HtmlTable place_table(const ItemResult& result) {
  HtmlTable table{.caption = escaped(result.item.name) + ": places and tolerances",
                  .columns = {"cell", "place in the paper", "tolerance", "grounds"},
                  .rows = {}};
  for (const Cell& cell : result.item.cells) {
    std::string tolerance = html_number(100 * cell.tolerance) + " %";
    if (cell.absolute_tolerance > 0) tolerance += " or " + html_number(cell.absolute_tolerance);
    if (cell.printed_as == PrintedAs::in_interval) tolerance = "99 % interval";
    table.rows.push_back({{escaped(cell.name), ""},
                          {escaped(cell.place), ""},
                          {tolerance, "plain"},
                          {escaped(cell.why), ""}});
  }
  return table;
}

/// The lines of a figure, or as many of them as a reader can take in, evenly drawn.
HtmlTable figure_table(const ItemResult& result) {
  constexpr std::size_t kMost = 300;
  const std::size_t lines = result.figure.size() - 1;
  const std::size_t step = (lines + kMost - 1) / kMost;
  HtmlTable table{.caption = "What is drawn", .columns = result.figure.front(), .rows = {}};
  if (step > 1)
    table.caption += ": every " + std::to_string(step) + "th of " + std::to_string(lines) +
                     " lines; --figures DIR writes them all";
  for (std::size_t line = 1; line <= lines; line += step) {
    std::vector<HtmlCell>& row = table.rows.emplace_back();
    for (const std::string& field : result.figure[line]) row.push_back(field_cell(field));
  }
  return table;
}

HtmlFigure figure_of(const ItemResult& result, const std::string& command) {
  HtmlFigure figure{.drawing = result.drawing,
                    .label = result.item.name + ": " + result.item.title,
                    .caption = "<strong>" + escaped(result.item.title) + "</strong>",
                    .command = command + " --figures DIR",
                    .numbers = figure_table(result),
                    .wide = true};
  if (result.drawing.empty())
    figure.caption += "Not drawn: gnuplot is missing or failed. The numbers are below.";
  return figure;
}

struct Counts {
  std::map<Verdict, std::size_t> verdicts;
  std::size_t unexpected = 0;
};

Counts counts_of(const ItemResult& result) {
  Counts counts;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    ++counts.verdicts[result.cells[i].verdict];
    counts.unexpected += result.cells[i].is_expected(result.item.cells[i]) ? 0 : 1;
  }
  return counts;
}

HtmlTable summary_table(const Reproduction& reproduction) {
  HtmlTable table{.caption = "Cells of the papers' tables and figures, by verdict",
                  .columns = {"item", "match", "differs", "not comparable", "not as expected", ""},
                  .rows = {}};
  for (const ItemResult& result : reproduction.results) {
    Counts counts = counts_of(result);
    const auto count = [](std::size_t cells) {
      return HtmlCell{cells == 0 ? "" : std::to_string(cells), "number"};
    };
    HtmlCell bad = count(counts.unexpected);
    if (counts.unexpected > 0) bad = {"&#9888; " + bad.html, "number alarm"};
    table.rows.push_back({{escaped(result.item.name), ""},
                          count(counts.verdicts[Verdict::match]),
                          count(counts.verdicts[Verdict::differs]),
                          count(counts.verdicts[Verdict::not_comparable]),
                          bad,
                          {escaped(result.item.title), ""}});
  }
  return table;
}

void add_item(HtmlPage& page, const ItemResult& result, const std::string& command) {
  page.section(result.item.name + ": " + result.item.title);
  if (!result.item.note.empty()) page.paragraph(escaped(result.item.note));
  page.commands({command});
  if (!result.figure.empty()) page.figures({figure_of(result, command)});
  std::string prefix = result.item.name;
  for (char& letter : prefix)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  prefix += "-reason-";
  page.table(verdict_table(result, prefix));
  const auto reasons = reasons_of(result);
  std::string list;
  for (std::size_t i = 0; i < reasons.size(); ++i)
    list += "<li id=\"" + prefix + std::to_string(i + 1) + "\">" + escaped(reasons[i]) + "</li>\n";
  if (!reasons.empty()) page.html("<ol class=\"reasons\">\n" + list + "</ol>\n");
  page.folded("Places in the paper, and the grounds of each tolerance", place_table(result));
}

}  // namespace

std::string versions_of_this_build() {
  const std::string simgrid = simgrid_version();
  return "Faultline " + std::string(version()) + (simgrid.empty() ? "" : ", SimGrid " + simgrid);
}

void add_reproduction(HtmlPage& page, const Reproduction& reproduction) {
  page.section("What the papers print, and what was measured");
  page.paragraph(escaped(reproduction.versions) +
                 (reproduction.quick ? "; quick: fewer replications, trees and sizes" : "") +
                 ". A cell matches when the measured value is within the tolerance that its data "
                 "file states; a known difference is expected and has its reason.");
  page.table(summary_table(reproduction));
  for (std::size_t i = 0; i < reproduction.results.size(); ++i)
    add_item(page, reproduction.results[i], reproduction.commands[i]);
}

std::string reproduction_page(const Reproduction& reproduction) {
  HtmlPage page("Faultline: reproduction", escaped(reproduction.versions) +
                                               (reproduction.quick ? ", quick" : "") +
                                               ". Intervals are 95 %.");
  add_reproduction(page, reproduction);
  return page.text();
}

}  // namespace faultline
