// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/comparison_section.hpp"

#include <algorithm>

#include "analysis/report/chart_layout.hpp"
#include "analysis/report/study_charts.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/store/comparison.hpp"
#include "analysis/store/completion_ranking.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/summary_text.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"

namespace faultline::report {

namespace {

constexpr std::size_t kMostRows = 200;

std::string with_sign(std::string text) {
  const std::size_t at = text.find("+-");
  if (at != std::string::npos) text.replace(at, 2, "&#177;");
  return text;
}

std::vector<drawing::HtmlCell> key_cells(const store::Comparison& comparison, std::size_t number) {
  const store::Situation& situation = comparison.situations[number];
  if (comparison.varying.empty()) return {{std::to_string(number + 1), ""}};
  std::vector<drawing::HtmlCell> cells;
  for (const std::size_t i : comparison.varying)
    cells.push_back({drawing::escaped(
                         store::words_at(*situation.contenders.front().point, comparison.paths[i])),
                     json::number_of(situation.key[i]) ? "number" : ""});
  return cells;
}

std::vector<std::string> key_titles(const store::Comparison& comparison, const Titles& titles) {
  if (comparison.varying.empty()) return {"comparison"};
  std::vector<std::string> headings;
  headings.reserve(comparison.varying.size());
  for (const std::size_t i : comparison.varying)
    headings.push_back(path_heading(titles, comparison.paths[i]));
  return headings;
}

drawing::HtmlTable winner_table(const store::Comparison& comparison,
                                const store::ComparisonSettings& settings, const Titles& titles) {
  const std::string& metric = settings.metric;
  const text::TimeUnit unit = store::unit_of_means(comparison, metric);
  std::string title = metric_axis_title(titles, metric);
  if (*unit.word != '\0') title.replace(title.size() - 2, 1, unit.word);
  title += store::survivors_words(comparison, metric);
  drawing::HtmlTable table{.caption = drawing::escaped(title) +
                                      (settings.higher_is_better ? ", higher" : ", lower") +
                                      " is better; means and 95 % intervals",
                           .columns = key_titles(comparison, titles),
                           .rows = {}};
  table.columns.emplace_back("winner");
  const auto competing = store::first_of_each_value(comparison);
  for (const store::Contender* of : competing) table.columns.push_back(of->name);
  for (std::size_t i = 0; i < std::min(kMostRows, comparison.situations.size()); ++i) {
    const store::Situation& situation = comparison.situations[i];
    std::vector<drawing::HtmlCell> row = key_cells(comparison, i);
    const store::Contender* winner = situation.winner();
    row.push_back(
        winner != nullptr
            ? drawing::HtmlCell{"&#9733; " + drawing::escaped(winner->name), "verdict match"}
            : drawing::HtmlCell{store::undecided_text(situation), "verdict other"});
    for (const store::Contender* of : competing) {
      drawing::HtmlCell& cell = row.emplace_back(drawing::HtmlCell{"", "number"});
      const store::Contender* contender = store::with_value_of(situation, *of);
      if (contender == nullptr) continue;
      cell.html =
          contender->excluded.empty()
              ? with_sign(drawing::escaped(text::with_interval(contender->summary, unit.in_one_s)))
              : drawing::escaped(contender->excluded);
      if (contender->completes_less && settings.metric != runs::kCompleted)
        cell.html += " (completes less often)";
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

drawing::HtmlTable pair_table(const store::Comparison& comparison, const std::string& metric,
                              const Titles& titles) {
  const auto& paths = comparison.paths;
  const auto varies = [&](std::size_t path) {
    const auto& varying = comparison.varying;
    return std::find(varying.begin(), varying.end(), path) != varying.end();
  };
  drawing::HtmlTable table{
      .caption = drawing::escaped(metric_heading(titles, metric)) +
                 ": paired differences, replication by replication; all intervals of "
                 "one situation hold together with 95 % (Bonferroni)",
      .columns = {},
      .rows = {}};
  for (const store::Row& row : store::comparison_rows(comparison, store::ValuesAs::words)) {
    if (table.rows.size() == kMostRows) break;
    std::vector<drawing::HtmlCell>& cells = table.rows.emplace_back();
    table.columns.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i < paths.size() && !varies(i)) continue;
      table.columns.push_back(i < paths.size() ? path_heading(titles, paths[i]) : row[i].key);
      cells.push_back(drawing::field_cell(text::csv_field(row[i].value)));
    }
  }
  return table;
}

void add_comparison(drawing::HtmlPage& page, const std::vector<store::SelectedPoint>& points,
                    const std::string& command, const store::ComparisonSettings& settings,
                    const Titles& titles) {
  store::Comparison comparison;
  try {
    comparison = store::compare(points, settings);
  } catch (const UsageError& error) {
    page.paragraph(drawing::escaped(metric_heading(titles, settings.metric)) + ": " +
                   drawing::escaped(error.what()));
    return;
  }
  page.table(winner_table(comparison, settings, titles));
  const std::size_t situations = comparison.situations.size();
  if (situations > kMostRows)
    page.paragraph("The first " + std::to_string(kMostRows) + " of " + std::to_string(situations) +
                   " situations; the command has them all.");
  const std::string cut_off = store::cut_off_runs(comparison);
  if (!cut_off.empty()) page.paragraph("<strong>&#9888;</strong> " + drawing::escaped(cut_off));
  const drawing::HtmlTable pairs = pair_table(comparison, settings.metric, titles);
  if (!pairs.rows.empty())
    page.folded("Paired differences of " + metric_heading(titles, settings.metric), pairs);
  page.commands({command});
}

/// Is it a question of some runs whether they completed?
bool ends_with_programs(const std::vector<store::SelectedPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const store::SelectedPoint& point) {
    return !store::sample({{}, {&point}}, runs::kCompleted).values.empty();
  });
}

/// What competes, in a heading: "termination and failure_detection".
std::string contest(const Titles& titles, const std::vector<std::string>& by) {
  std::string text;
  for (const std::string& path : by) {
    const std::string heading = path_heading(titles, path);
    text += (text.empty() ? "" : " and ") + (heading == "stacks" ? "stack" : heading);
  }
  return text;
}

}  // namespace

void add_comparisons(drawing::HtmlPage& page, const StudyReport& report, const std::string& store) {
  if (report.protocol.empty()) return;
  const std::vector<std::string> by = competing_paths(report.points);
  page.subsection("Which " + contest(report.titles, by) + " wins where");
  page.paragraph(
      "All compared points used the same random numbers, so differences are taken run by run. A "
      "winner is a point whose differences show that it is better than every other. A point that "
      "failed, or has a bad run or one that was cut off at a limit, cannot win. Nor does one that "
      "completes less often than the best, by intervals that do not meet, or less than half "
      "of its runs.");
  const std::string common = store::common_values(report.points);
  if (!common.empty()) page.paragraph("At every point: " + drawing::escaped(common) + ".");
  std::vector<store::ComparisonSettings> comparisons;
  if (has_faults(report.points) && report.completion.empty() && ends_with_programs(report.points))
    comparisons.push_back({.by = by, .metric = runs::kCompleted, .higher_is_better = true});
  for (const std::string& metric : report.metrics)
    if (metric != "application_messages" && metric != runs::kCompleted)
      comparisons.push_back({.by = by, .metric = metric});
  for (const store::ComparisonSettings& comparison : comparisons) {
    std::vector<std::string> words = {
        "faultline", "compare",        store, "--by", store::with_commas(by),
        "--metric",  comparison.metric};
    if (comparison.higher_is_better) words.emplace_back("--higher-is-better");
    for (const std::string& condition : report.conditions)
      words.insert(words.end(), {"--where", condition});
    add_comparison(page, report.points, text::shell_line(words), comparison, report.titles);
  }
}

}  // namespace faultline::report
