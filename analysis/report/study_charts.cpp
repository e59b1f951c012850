// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/study_charts.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "analysis/statistics/metric_type.hpp"

namespace faultline::report {

namespace {

/// Text as part of a file name: lower-case letters, digits and single hyphens only, cut to a
/// moderate length.
std::string file_words(const std::string& text) {
  constexpr std::size_t kMost = 60;
  std::string words;
  for (const char letter : text) {
    if (words.size() == kMost) break;
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = byte < 0x80 && std::isalnum(byte) != 0;
    if (plain)
      words += static_cast<char>(std::tolower(byte));
    else if (!words.empty() && words.back() != '-')
      words += '-';
  }
  while (words.ends_with('-')) words.pop_back();
  return words;
}

/// Names the files of charts, one for each panel: "mean-control-messages-machine-cori". They do not
/// change with titles, so that what refers to them stays right.
void name_files(std::vector<drawing::Chart>& charts, const std::vector<ReportPanel>& panels,
                const std::string& kind, const std::string& metric) {
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].stem = kind;
    for (const std::string& part : {file_words(metric), file_words(panels.at(i).own_rest)})
      if (!part.empty()) charts[i].stem.append("-").append(part);
  }
}

/// The title of a metric without its unit, which stands at the axis.
std::string plain_title(const Titles& titles, const std::string& metric) {
  std::string title = metric_axis_title(titles, metric);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  const bool has_unit = statistics::metric_type(metric) == statistics::MetricType::time;
  return has_unit ? title.substr(0, title.size() - 4) : title;
}

/// The title of the axis of a swept path; "" if the last part of the path suffices. Sizes and times
/// of faults alone do not suffice.
std::string x_title(const ReportLayout& layout) {
  std::string given = given_title(layout.titles, layout.x);
  if (!given.empty() || !layout.x.starts_with("faults")) return given;
  return statistics::without_unit(layout.x) +
         (statistics::metric_type(layout.x) == statistics::MetricType::time ? " [s]" : "");
}

/// The axis of a metric, which shows its title if the reader gave it one.
void show_metric(drawing::ChartAxis& axis, const Titles& titles, const std::string& metric) {
  axis.name = metric;
  axis.title = given_title(titles, metric);
  axis.heading = axis.title;
}

/// The chart of one panel, without its values.
drawing::Chart empty_chart(const ReportPanel& panel, const ReportLayout& layout,
                           const std::string& title) {
  drawing::Chart chart;
  chart.title = title;
  chart.panel = panel.rest;
  if (!panel.rest.empty()) chart.title += ", " + panel.rest;
  chart.x.names_lines = layout.x.empty();
  chart.x.name = layout.x.empty() ? "place" : short_path(layout.x);
  chart.x.title = x_title(layout);
  chart.x.heading = given_title(layout.titles, layout.x);
  return chart;
}

drawing::ChartLine empty_line(const ReportLine& of) { return {of.name, of.line_type, of.dash, {}}; }

/// The share of runs that completed.
statistics::Summary share_of(const store::PointGroup& group) {
  return store::summarize(group, runs::kCompleted);
}

/// The axis runs from 0 to 1. If all shares are large, it begins below the smallest one.
void choose_share_axis(std::vector<drawing::Chart>& panels) {
  double least = 1.0;
  for (const drawing::Chart& chart : panels)
    for (const drawing::ChartLine& line : chart.lines)
      for (const drawing::ChartPoint& point : line.points)
        if (point.y) least = std::min(least, point.y_interval ? point.y_interval->low : *point.y);
  const double low = least < 0.5 ? 0.0 : std::floor(least * 10 - 1e-9) / 10;
  for (drawing::Chart& chart : panels) {
    chart.y.name = "survived";
    chart.y.title = "share of runs that survive";
    chart.y.range = statistics::Interval{low - (low == 0.0 ? 0.02 : 0.0), 1.0 + 0.03 * (1.0 - low)};
  }
}

/// Counts the points that have no value, where a curve is interrupted, and why.
class Gaps {
 public:
  /// Adds a point. `of` is its category if x has categories, otherwise its line.
  void add(const std::string& of, const store::PointGroup& group) {
    ++points_;
    if (std::find(of_.begin(), of_.end(), of) == of_.end()) of_.push_back(of);
    for (const auto& [ending, count] : endings_of(group)) endings_[ending] += count;
    failed_ += static_cast<std::size_t>(std::count_if(
        group.points.begin(), group.points.end(),
        [](const store::SelectedPoint* point) { return !point->stored.failure.empty(); }));
  }

  /// "3 of 16 points have no value, of cda" and "runs: 24 hung". Empty if all points have a value.
  [[nodiscard]] std::vector<std::string> notes(std::size_t all) const {
    constexpr std::size_t kMostNamed = 2;
    if (points_ == 0) return {};
    std::string what = std::to_string(points_) + " of " + std::to_string(all) +
                       (points_ == 1 ? " points has no value" : " points have no value");
    for (std::size_t i = 0; i < of_.size() && of_.size() <= kMostNamed; ++i)
      what += (i == 0 ? ", of " : " and ") + of_[i];
    std::string why;
    for (const auto& [ending, count] : endings_)
      why += (why.empty() ? "runs: " : ", ") + std::to_string(count) + " " + ending;
    if (failed_ > 0)
      why += (why.empty() ? "" : "; ") + std::to_string(failed_) +
             (failed_ == 1 ? " point failed" : " points failed");
    std::vector<std::string> notes = {what};
    if (!why.empty()) notes.push_back(why);
    return notes;
  }

 private:
  std::size_t points_ = 0;
  std::size_t failed_ = 0;
  std::vector<std::string> of_;
  std::map<std::string, std::size_t> endings_;
};

/// Says below a chart how many of its means are over runs that were cut off.
void note_bounds(drawing::Chart& chart) {
  std::size_t bounds = 0;
  std::size_t unsure = 0;
  std::size_t all = 0;
  for (const drawing::ChartLine& line : chart.lines)
    for (const drawing::ChartPoint& point : line.points) {
      ++all;
      bounds += point.bound == statistics::MeanBound::at_least ? 1 : 0;
      unsure += point.bound == statistics::MeanBound::unknown ? 1 : 0;
    }
  const std::size_t marked = bounds + unsure;
  if (marked == 0) return;
  chart.notes.push_back(std::to_string(marked) + " of " + std::to_string(all) +
                        (marked == 1 ? " points has" : " points have") +
                        " runs that were cut off at a limit: " +
                        (bounds > 0 ? "at least so much" : "it could be more or less"));
}

template <class Point>
std::vector<drawing::Chart> charts_of(const ArrangedPoints& points, const std::string& title,
                                      const Point& point_of) {
  std::vector<drawing::Chart> charts;
  for (const ReportPanel& panel : points.panels) {
    drawing::Chart& chart = charts.emplace_back(empty_chart(panel, points.layout, title));
    chart.x.categories = points.categories;
    Gaps gaps;
    std::size_t all = 0;
    for (const ReportLine& line : panel.lines) {
      drawing::ChartLine& drawn = chart.lines.emplace_back(empty_line(line));
      for (const auto& [x, group] : line.groups) {
        const drawing::ChartPoint& point = drawn.points.emplace_back(point_of(x, group));
        const auto& categories = chart.x.categories;
        if (!point.y && !point.box)
          gaps.add(categories.empty() ? line.name : categories.at(static_cast<std::size_t>(x) - 1),
                   group);
        ++all;
      }
    }
    chart.notes = gaps.notes(all);
    note_bounds(chart);
  }
  return charts;
}

/// Makes the numbers along x categories, unless there are too many: boxes that stand side by side
/// need equal room at each place.
void space_evenly(std::vector<drawing::Chart>& panels) {
  constexpr std::size_t kMostPlaces = 12;
  std::set<double> values;
  for (const drawing::Chart& chart : panels)
    for (const drawing::ChartLine& line : chart.lines)
      for (const drawing::ChartPoint& point : line.points) values.insert(point.x);
  for (drawing::Chart& chart : panels) {
    if (chart.x.names_lines || !chart.x.categories.empty() || values.size() > kMostPlaces) return;
    for (const double value : values) chart.x.categories.push_back(json::shortest(value));
    for (drawing::ChartLine& line : chart.lines)
      for (drawing::ChartPoint& point : line.points)
        point.x = 1.0 + static_cast<double>(std::distance(values.begin(), values.find(point.x)));
  }
}

/// The values beyond the whiskers, each once.
std::vector<double> outliers_of(std::vector<double> values, const statistics::Boxplot& box) {
  std::erase_if(
      values, [&](double value) { return value >= box.whisker_low && value <= box.whisker_high; });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<drawing::Chart> curves_of(const ArrangedPoints& points, const std::string& metric) {
  const Titles& titles = points.layout.titles;
  auto charts =
      charts_of(points, plain_title(titles, metric), [&](double x, const store::PointGroup& group) {
        const statistics::Summary summary = store::summarize(group, metric);
        drawing::ChartPoint point;
        point.x = x;
        point.y = summary.mean;
        point.y_interval = summary.confidence_95;
        point.bound = summary.bound;
        point.runs = summary.count;
        return point;
      });
  name_files(charts, points.panels, "mean", metric);
  for (drawing::Chart& chart : charts) show_metric(chart.y, titles, metric);
  drawing::fit_axes(charts);
  return charts;
}

std::vector<drawing::Chart> boxes_of(const ArrangedPoints& points, const std::string& metric) {
  const Titles& titles = points.layout.titles;
  auto charts =
      charts_of(points, plain_title(titles, metric), [&](double x, const store::PointGroup& group) {
        const store::GroupSample of = store::sample(group, metric);
        const std::vector<double>& values = of.values;
        drawing::ChartPoint point;
        if (of.cut_off > 0) point.bound = runs::bound_of(metric);
        point.x = x;
        point.runs = values.size();
        // A boxplot of unweighted values would show the sample, and not what it is drawn from.
        if (values.empty() || !of.strata.empty()) return point;
        point.y = statistics::summarize(values).mean;
        point.box = statistics::boxplot(values);
        point.outliers = outliers_of(values, *point.box);
        return point;
      });
  space_evenly(charts);
  name_files(charts, points.panels, "boxes", metric);
  for (drawing::Chart& chart : charts) {
    chart.kind = drawing::ChartKind::boxes;
    chart.joined = false;
    show_metric(chart.y, titles, metric);
  }
  drawing::fit_axes(charts);
  return charts;
}

std::vector<drawing::Chart> survival_of(const ArrangedPoints& points) {
  auto charts = charts_of(points, "Survival", [&](double x, const store::PointGroup& group) {
    const statistics::Summary share = share_of(group);
    drawing::ChartPoint point;
    point.x = x;
    point.y = share.mean;
    point.y_interval = share.confidence_95;
    point.runs = share.count;
    return point;
  });
  name_files(charts, points.panels, "survival", "");
  choose_share_axis(charts);
  drawing::fit_axes(charts);
  return charts;
}

std::vector<drawing::Chart> planes_of(const ArrangedPoints& points, const std::string& metric) {
  const ReportLayout& layout = points.layout;
  auto charts =
      charts_of(points, "Cost and survival", [&](double x, const store::PointGroup& group) {
        const statistics::Summary cost = store::summarize(group, metric);
        const statistics::Summary share = share_of(group);
        drawing::ChartPoint point;
        if (!layout.x.empty())
          point.of = layout.x_is_numeric ? drawing::html_number(x)
                                         : points.categories.at(static_cast<std::size_t>(x) - 1);
        point.runs = share.count;
        if (!cost.mean) return point;
        point.x = *cost.mean;
        point.x_interval = cost.confidence_95;
        point.bound = cost.bound;
        point.y = share.mean;
        point.y_interval = share.confidence_95;
        return point;
      });
  name_files(charts, points.panels, "cost-survival", "");
  for (drawing::Chart& chart : charts) {
    chart.kind = drawing::ChartKind::plane;
    chart.points_of = layout.x.empty() ? "point" : short_path(layout.x);
    chart.points_heading = chart.x.heading;
    chart.x.names_lines = false;
    chart.x.categories.clear();
    show_metric(chart.x, layout.titles, metric);
    chart.joined = layout.x_is_numeric;
  }
  choose_share_axis(charts);
  drawing::fit_axes(charts);
  return charts;
}

bool has_faults(const std::vector<store::SelectedPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const store::SelectedPoint& point) {
    const json::JsonValue* faults = point.values.find("faults");
    if (faults == nullptr || faults->object() == nullptr) return false;
    return std::any_of(faults->object()->begin(), faults->object()->end(),
                       [](const json::JsonMember& source) {
                         const json::JsonValue::List* list = source.value.list();
                         return !source.value.is_null() && (list == nullptr || !list->empty());
                       });
  });
}

void number_equal_stems(const std::vector<drawing::Chart*>& charts) {
  std::set<std::string> taken;
  for (drawing::Chart* chart : charts) {
    std::string stem = chart->stem;
    for (std::size_t number = 2; !taken.insert(stem).second; ++number)
      stem = chart->stem + "-" + std::to_string(number);
    chart->stem = stem;
  }
}

std::map<std::string, std::size_t> endings_of(const store::PointGroup& group) {
  std::map<std::string, std::size_t> endings;
  for (const store::SelectedPoint* point : group.points)
    for (const runs::RunRecord& run : point->stored.runs)
      ++endings[engine::outcome_word(run.outcome)];
  return endings;
}

}  // namespace faultline::report
