// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/comparison_section.hpp"

#include <algorithm>

#include "analysis/report/study_charts.hpp"
#include "analysis/store/comparison.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"

namespace faultline {

namespace {

constexpr std::size_t kMostRows = 200;

std::string with_sign(std::string text) {
  const std::size_t at = text.find("+-");
  if (at != std::string::npos) text.replace(at, 2, "&#177;");
  return text;
}

std::vector<HtmlCell> key_cells(const Comparison& comparison, std::size_t number) {
  const Situation& situation = comparison.situations[number];
  if (situation.key.empty()) return {{std::to_string(number + 1), ""}};
  std::vector<HtmlCell> cells;
  for (std::size_t i = 0; i < situation.key.size(); ++i)
    cells.push_back({escaped(words_at(*situation.contenders.front().point, comparison.paths[i])),
                     number_of(situation.key[i]) ? "number" : ""});
  return cells;
}

std::vector<std::string> key_titles(const Comparison& comparison, const Titles& titles) {
  if (comparison.paths.empty()) return {"comparison"};
  std::vector<std::string> headings;
  headings.reserve(comparison.paths.size());
  for (const std::string& path : comparison.paths) headings.push_back(path_heading(titles, path));
  return headings;
}

HtmlTable winner_table(const Comparison& comparison, const ComparisonSettings& settings,
                       const Titles& titles) {
  const std::string& metric = settings.metric;
  const TimeUnit unit = unit_of_means(comparison, metric);
  std::string title = metric_axis_title(titles, metric);
  if (*unit.word != '\0') title.replace(title.size() - 2, 1, unit.word);
  HtmlTable table{.caption = escaped(title) + (settings.higher_is_better ? ", higher" : ", lower") +
                             " is better; means and 95 % intervals",
                  .columns = key_titles(comparison, titles),
                  .rows = {}};
  table.columns.emplace_back("winner");
  const auto competing = first_of_each_value(comparison);
  for (const Contender* of : competing) table.columns.push_back(of->name);
  for (std::size_t i = 0; i < std::min(kMostRows, comparison.situations.size()); ++i) {
    const Situation& situation = comparison.situations[i];
    std::vector<HtmlCell> row = key_cells(comparison, i);
    const Contender* winner = situation.winner();
    row.push_back(winner != nullptr ? HtmlCell{"&#9733; " + escaped(winner->name), "verdict match"}
                                    : HtmlCell{situation.pairs.empty() ? "nothing to compare"
                                                                       : "no difference shown",
                                               "verdict other"});
    for (const Contender* of : competing) {
      HtmlCell& cell = row.emplace_back(HtmlCell{"", "number"});
      const Contender* contender = with_value_of(situation, *of);
      if (contender == nullptr) continue;
      cell.html = contender->excluded.empty()
                      ? with_sign(escaped(with_interval(contender->summary, unit.in_one_s)))
                      : escaped(contender->excluded);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable pair_table(const Comparison& comparison, const std::string& metric,
                     const Titles& titles) {
  const auto& paths = comparison.paths;
  HtmlTable table{.caption = escaped(metric_heading(titles, metric)) +
                             ": paired differences, replication by replication; all intervals of "
                             "one situation hold together with 95 % (Bonferroni)",
                  .columns = {},
                  .rows = {}};
  for (const Row& row : comparison_rows(comparison, ValuesAs::words)) {
    if (table.rows.size() == kMostRows) break;
    std::vector<HtmlCell>& cells = table.rows.emplace_back();
    table.columns.clear();
    for (const JsonMember& member : row) {
      const bool is_path = std::find(paths.begin(), paths.end(), member.key) != paths.end();
      table.columns.push_back(is_path ? path_heading(titles, member.key) : member.key);
      cells.push_back(field_cell(csv_field(member.value)));
    }
  }
  return table;
}

void add_comparison(HtmlPage& page, const std::vector<SelectedPoint>& points,
                    const std::string& command, const ComparisonSettings& settings,
                    const Titles& titles) {
  Comparison comparison;
  try {
    comparison = compare(points, settings);
  } catch (const UsageError& error) {
    page.paragraph(escaped(metric_heading(titles, settings.metric)) + ": " + escaped(error.what()));
    return;
  }
  page.table(winner_table(comparison, settings, titles));
  const std::size_t situations = comparison.situations.size();
  if (situations > kMostRows)
    page.paragraph("The first " + std::to_string(kMostRows) + " of " + std::to_string(situations) +
                   " situations; the command has them all.");
  const std::string note = settings.higher_is_better ? "" : unequal_endings(comparison);
  if (!note.empty()) page.paragraph("<strong>&#9888;</strong> " + escaped(note));
  const std::string cut_off = cut_off_runs(comparison);
  if (!cut_off.empty()) page.paragraph("<strong>&#9888;</strong> " + escaped(cut_off));
  const HtmlTable pairs = pair_table(comparison, settings.metric, titles);
  if (!pairs.rows.empty())
    page.folded("Paired differences of " + metric_heading(titles, settings.metric), pairs);
  page.commands({command});
}

}  // namespace

void add_comparisons(HtmlPage& page, const StudyReport& report, const std::string& store) {
  const std::string& by = report.protocol;
  if (by.empty()) return;
  page.subsection("Which " + path_heading(report.titles, by) + " wins where");
  page.paragraph(
      "All compared points used the same random numbers, so differences are taken run by run. A "
      "winner is a point whose differences show that it is better than every other. A point that "
      "failed, or has a bad run or one that was cut off at a limit, cannot win.");
  std::vector<ComparisonSettings> comparisons;
  if (has_faults(report.points))
    comparisons.push_back({.by = by, .metric = "terminated", .higher_is_better = true});
  for (const std::string& metric : report.metrics)
    if (metric != "application_messages" && metric != "terminated")
      comparisons.push_back({.by = by, .metric = metric});
  for (const ComparisonSettings& comparison : comparisons) {
    std::vector<std::string> words = {"faultline", "compare",        store, "--by", by,
                                      "--metric",  comparison.metric};
    if (comparison.higher_is_better) words.emplace_back("--higher-is-better");
    for (const std::string& condition : report.conditions)
      words.insert(words.end(), {"--where", condition});
    add_comparison(page, report.points, shell_line(words), comparison, report.titles);
  }
}

}  // namespace faultline
