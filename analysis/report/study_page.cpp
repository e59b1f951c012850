// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/study_page.hpp"

#include <algorithm>

#include "analysis/report/comparison_section.hpp"
#include "analysis/report/study_charts.hpp"
#include "analysis/report/what_was_run.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/text/shell_words.hpp"
#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::report {

namespace {

constexpr std::size_t kMostPanels = 6;
/// The parts that the commands of a study's charts have in common.
struct Query {
  std::string runs;      ///< prints every run
  std::string grouped;   ///< groups the points as the lines of most charts
  std::string survival;  ///< groups them as the lines of the survival charts
};

std::string grouped(const std::string& query, const ReportLayout& layout) {
  std::string paths;
  for (const std::string& path : layout.keys) paths.append(paths.empty() ? "" : ",").append(path);
  if (!layout.x.empty()) paths.append(paths.empty() ? "" : ",").append(layout.x);
  return paths.empty() ? query : query + " --group-by " + text::shell_word(paths);
}

Query query_of(const StudyReport& report, const std::string& store, const ReportLayout& usual,
               const ReportLayout& faults_first) {
  std::vector<std::string> words = {"faultline", "query", store};
  for (const std::string& condition : report.conditions)
    words.insert(words.end(), {"--where", condition});
  const std::string query = text::shell_line(words) + " --format csv";
  return {query + " --runs", grouped(query, usual), grouped(query, faults_first)};
}

std::string with_metrics(const std::string& query, const std::vector<std::string>& metrics) {
  std::string command = query;
  for (const std::string& metric : metrics)
    command.append(" --metric ").append(text::shell_word(metric));
  return command;
}

/// Appends charts, all with this caption and command. If there are too many, the caption of the
/// last one counts those that are left out.
void append(std::vector<drawing::Chart>& to, std::vector<drawing::Chart> charts,
            const std::string& caption, const std::string& command) {
  const std::size_t left_out = charts.size() > kMostPanels ? charts.size() - kMostPanels : 0;
  charts.resize(charts.size() - left_out);
  for (drawing::Chart& chart : charts) {
    chart.caption = caption;
    chart.command = command;
    to.push_back(std::move(chart));
  }
  if (left_out > 0)
    to.back().caption +=
        " " + std::to_string(left_out) +
        " more charts of other swept values are left out; select them with --where.";
}

void add_charts(StudyReport& report, const std::string& store) {
  const ArrangedPoints usual = arranged(report.points, false, report.x, report.titles);
  const ArrangedPoints faults_first = arranged(report.points, true, report.x, report.titles);
  const Query query = query_of(report, store, usual.layout, faults_first.layout);
  for (const std::string& metric : report.metrics) {
    append(report.curves, curves_of(usual, metric), "", with_metrics(query.grouped, {metric}));
    append(report.boxes, boxes_of(usual, metric), "", query.runs);
  }
  if (!has_faults(report.points) || !report.completion.empty()) return;
  append(
      report.survival, survival_of(faults_first),
      std::string("Share of the runs that completed: they end terminated or finished; bars are ") +
          (store::sampled_by_strata(report.points)
               ? "95 % intervals. Each size of a fault counts by its weight."
               : "exact 95 % intervals (Clopper and Pearson)."),
      with_metrics(query.survival, {runs::kCompleted}));
  const auto& metrics = report.metrics;
  const bool has_control =
      std::find(metrics.begin(), metrics.end(), "control_messages") != metrics.end();
  const std::string cost = has_control || metrics.empty() ? "control_messages" : metrics.front();
  append(report.survival, planes_of(faults_first, cost),
         "Points further up are safer, points further left are cheaper. A run that gave up counts "
         "with its cost until then.",
         with_metrics(query.survival, {runs::kCompleted, cost}));
}

/// Drops charts that have no value at all (of a metric that no protocol here has), and boxplots
/// with more boxes than a reader can tell apart.
void drop_useless(std::vector<drawing::Chart>& charts) {
  constexpr std::size_t kMostBoxes = 200;
  std::erase_if(charts, [](const drawing::Chart& chart) {
    std::size_t points = 0;
    for (const drawing::ChartLine& line : chart.lines) points += line.points.size();
    if (chart.kind == drawing::ChartKind::boxes && points > kMostBoxes) return true;
    return std::all_of(chart.lines.begin(), chart.lines.end(), [](const drawing::ChartLine& line) {
      return std::all_of(line.points.begin(), line.points.end(),
                         [](const drawing::ChartPoint& point) { return !point.y && !point.box; });
    });
  });
}

std::vector<std::string> metrics_of(const std::vector<store::SelectedPoint>& points,
                                    const StoreReportSettings& settings) {
  if (settings.metrics.empty()) return store::usual_metrics(points);
  const auto known = store::metric_names(points);
  for (const std::string& metric : settings.metrics)
    if (std::find(known.begin(), known.end(), metric) == known.end())
      throw UsageError("report: --metric: no study has " + json::in_quotes(metric) +
                       json::suggestion(metric, known));
  return settings.metrics;
}

/// Takes out of the metrics those that are the same everywhere, unless the reader chose them.
void take_out_same(StudyReport& report, bool is_chosen) {
  if (has_faults(report.points)) report.completion = same_completion_words(report.points);
  if (is_chosen) return;
  std::erase_if(report.metrics, [&](const std::string& metric) {
    if (metric == runs::kCompleted && !report.completion.empty()) return true;
    const auto same = same_value(report.points, metric);
    if (same) report.same.push_back(*same);
    return same.has_value();
  });
}

void add_what_is_same(drawing::HtmlPage& page, const StudyReport& report) {
  const std::string values =
      same_values_words(report.same, store::run_count(report.points).runs, report.titles);
  if (values.empty() && report.completion.empty()) return;
  page.subsection("The same everywhere");
  for (const std::string& sentence : {report.completion, values})
    if (!sentence.empty()) page.paragraph(sentence);
}

/// Throws if the chosen x has a single value in every study: no chart could show it.
void check_axis(const std::vector<StudyReport>& reports, const std::string& x) {
  if (x.empty()) return;
  std::vector<std::string> swept;
  for (const StudyReport& report : reports) {
    if (has_several_values(report.points, x)) return;
    for (const std::string& path : store::swept_paths(report.points))
      if (std::find(swept.begin(), swept.end(), path) == swept.end()) swept.push_back(path);
  }
  throw UsageError("report: --x: " + json::in_quotes(x) + " has the same value at all points" +
                   (swept.empty() ? "" : json::suggestion(x, swept)));
}

/// Throws if no chart could show the subject of a title.
void check_titles(const std::vector<store::SelectedPoint>& points,
                  const StoreReportSettings& settings) {
  std::vector<std::string> known = store::swept_paths(points);
  if (!settings.x.empty()) known.push_back(settings.x);
  const auto metrics = store::metric_names(points);
  known.insert(known.end(), metrics.begin(), metrics.end());
  for (const auto& [name, title] : settings.titles)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError("report: --title: " + json::in_quotes(name) +
                       " is neither swept in the store nor a metric" +
                       json::suggestion(name, known));
}

/// Drops useless charts, and gives the others distinct names.
void finish_charts(StudyReport& report, const std::string& prefix) {
  std::vector<drawing::Chart*> all;
  for (auto* charts : {&report.curves, &report.boxes, &report.survival}) {
    drop_useless(*charts);
    for (drawing::Chart& chart : *charts) {
      chart.stem.insert(0, prefix);
      all.push_back(&chart);
    }
  }
  number_equal_stems(all);
}

/// The text of a screen reader for a drawing.
std::string label_of(const drawing::Chart& chart) {
  std::string lines;
  for (const drawing::ChartLine& line : chart.lines)
    lines += (lines.empty() ? "" : "; ") + line.name;
  const std::string over = chart.x.names_lines ? "" : " over " + chart.x.title;
  return chart.title + ": " + chart.y.title + over + ", of " + lines +
         ". The numbers are in the table below.";
}

std::string notes_of(const drawing::Chart& chart) {
  std::string text;
  for (const std::string& note : chart.notes)
    text += (text.empty() ? " " : "; ") + drawing::escaped(note);
  return text.empty() ? text : text + ".";
}

std::vector<drawing::HtmlFigure> figures_of(const std::vector<drawing::Chart>& charts,
                                            const std::map<std::string, std::string>& drawings) {
  std::vector<drawing::HtmlFigure> figures;
  figures.reserve(charts.size());
  for (const drawing::Chart& chart : charts) {
    const auto drawing = drawings.find(chart.stem);
    drawing::HtmlFigure figure{.drawing = drawing == drawings.end() ? "" : drawing->second,
                               .label = label_of(chart),
                               .caption = "<strong>" + drawing::escaped(chart.title) + "</strong>" +
                                          chart.caption + notes_of(chart),
                               .command = chart.command,
                               .numbers = drawing::chart_table(chart)};
    if (figure.drawing.empty())
      figure.caption += " Not drawn: gnuplot is missing or failed. The numbers are below.";
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

std::vector<StudyReport> study_reports(std::vector<store::SelectedPoint> points,
                                       const StoreReportSettings& settings) {
  const auto metrics = metrics_of(points, settings);
  if (!settings.titles.empty()) check_titles(points, settings);
  std::vector<StudyReport> reports;
  for (store::SelectedPoint& point : points) {
    if (reports.empty() || reports.back().points.front().study.id != point.study.id)
      reports.emplace_back();
    reports.back().points.push_back(std::move(point));
  }
  check_axis(reports, settings.x);
  const bool several = reports.size() > 1;
  for (StudyReport& report : reports) {
    const std::string study = std::to_string(report.points.front().study.id);
    report.metrics = metrics;
    report.conditions = settings.conditions;
    if (several) report.conditions.push_back("study == " + study);
    report.x = settings.x;
    report.titles = settings.titles;
    report.protocol = protocol_path(report.points);
    take_out_same(report, !settings.metrics.empty());
    add_charts(report, settings.store);
    finish_charts(report, several ? "study-" + study + "-" : "");
  }
  return reports;
}

void add_study(drawing::HtmlPage& page, const StudyReport& report, const std::string& store,
               const std::map<std::string, std::string>& drawings) {
  page.section(report.points.front().study.name);
  page.subsection("What was run");
  add_what_was_run(page, report, store);
  add_what_is_same(page, report);
  if (!report.survival.empty()) {
    page.subsection("Survival and its cost");
    page.figures(figures_of(report.survival, drawings));
  }
  if (!report.curves.empty()) {
    page.subsection("Means and their intervals");
    page.paragraph("Means over the replications that have a value; bars are 95 % intervals.");
    page.figures(figures_of(report.curves, drawings));
  }
  if (!report.boxes.empty()) {
    page.subsection("Spread of the replications");
    page.paragraph(
        "Boxes reach from the first to the third quartile, with the median; whiskers reach to the "
        "last value within 1.5 times the height of the box; circles are values beyond them.");
    page.figures(figures_of(report.boxes, drawings));
  }
  add_comparisons(page, report, store);
}

}  // namespace faultline::report
