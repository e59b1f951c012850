#include "analysis/report/study_charts.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/statistics/estimate.hpp"

namespace faultline {

namespace {

std::string stem_of(const std::string& kind, const std::string& metric, std::size_t panel) {
  std::string stem = kind + (metric.empty() ? "" : "-" + metric);
  for (char& letter : stem)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  return panel == 0 ? stem : stem + "-" + std::to_string(panel + 1);
}

/// Of a metric, without its unit, which the axis has.
std::string plain_title(const std::string& metric) {
  std::string title = axis_title(metric);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title.ends_with(" [s]") ? title.substr(0, title.size() - 4) : title;
}

/// A chart of one panel: everything but its values.
Chart empty_chart(const ReportPanel& panel, const ReportLayout& layout, const std::string& title) {
  Chart chart;
  chart.title = title;
  if (!panel.rest.empty()) chart.title += ", " + panel.rest;
  chart.x.names_lines = layout.x.empty();
  chart.x.name = layout.x.empty() ? "place" : short_path(layout.x);
  if (layout.x.starts_with("faults")) chart.x.title = layout.x;
  return chart;
}

ChartLine empty_line(const ReportLine& of) { return {of.name, of.line_type, of.dash, {}}; }

/// The share of runs that reach their end.
Estimate share_of(const PointGroup& group) {
  std::vector<double> survived;
  for (const auto& [ending, count] : endings_of(group))
    survived.insert(survived.end(), count,
                    ending == "terminated" || ending == "finished" ? 1.0 : 0.0);
  return survived.empty() ? Estimate{} : estimate_share(survived);
}

std::size_t runs_of(const PointGroup& group) {
  std::size_t runs = 0;
  for (const auto& [ending, count] : endings_of(group)) runs += count;
  return runs;
}

/// From 0 to 1, or from below the least share where all are large.
void choose_share_axis(Chart& chart) {
  double least = 1.0;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points)
      if (point.y) least = std::min(least, point.y_interval ? point.y_interval->low : *point.y);
  const double low = least < 0.5 ? 0.0 : std::floor(least * 10 - 1e-9) / 10;
  chart.y.name = "survived";
  chart.y.title = "share of runs that survive";
  chart.y.range = Interval{low - (low == 0.0 ? 0.02 : 0.0), 1.0 + 0.03 * (1.0 - low)};
}

template <class Point>
std::vector<Chart> charts_of(const std::vector<SelectedPoint>& points, const ReportLayout& layout,
                             const std::string& title, const Point& point_of) {
  std::vector<Chart> charts;
  for (const ReportPanel& panel : panels_of(points, layout)) {
    Chart& chart = charts.emplace_back(empty_chart(panel, layout, title));
    for (const ReportLine& line : panel.lines) {
      ChartLine& drawn = chart.lines.emplace_back(empty_line(line));
      for (const auto& [x, group] : line.groups) drawn.points.push_back(point_of(x, group));
    }
  }
  return charts;
}

}  // namespace

std::vector<Chart> curves_of(const std::vector<SelectedPoint>& points, const std::string& metric) {
  const ReportLayout layout = layout_of(points, false);
  auto charts =
      charts_of(points, layout, plain_title(metric), [&](double x, const PointGroup& group) {
        const Summary summary = summarize(group, metric);
        ChartPoint point;
        point.x = x;
        point.y = summary.mean;
        point.y_interval = summary.confidence_95;
        point.runs = summary.count;
        return point;
      });
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].stem = stem_of("mean", metric, i);
    charts[i].y.name = metric;
    fit_axes(charts[i]);
  }
  return charts;
}

std::vector<Chart> boxes_of(const std::vector<SelectedPoint>& points, const std::string& metric) {
  const ReportLayout layout = layout_of(points, false);
  auto charts =
      charts_of(points, layout, plain_title(metric), [&](double x, const PointGroup& group) {
        const std::vector<double> values = sample(group, metric);
        ChartPoint point;
        point.x = x;
        point.runs = values.size();
        if (values.empty()) return point;
        point.y = summarize(values).mean;
        point.box = boxplot(values);
        return point;
      });
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].kind = ChartKind::boxes;
    charts[i].stem = stem_of("boxes", metric, i);
    charts[i].y.name = metric;
    fit_axes(charts[i]);
  }
  return charts;
}

std::vector<Chart> survival_of(const std::vector<SelectedPoint>& points) {
  const ReportLayout layout = layout_of(points, true);
  auto charts = charts_of(points, layout, "Survival", [&](double x, const PointGroup& group) {
    const Estimate share = share_of(group);
    ChartPoint point;
    point.x = x;
    point.y = share.value;
    point.y_interval = share.confidence_95;
    point.runs = runs_of(group);
    return point;
  });
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].stem = stem_of("survival", "", i);
    choose_share_axis(charts[i]);
    fit_axes(charts[i]);
  }
  return charts;
}

std::vector<Chart> planes_of(const std::vector<SelectedPoint>& points, const std::string& metric) {
  const ReportLayout layout = layout_of(points, true);
  auto charts =
      charts_of(points, layout, "Cost and survival", [&](double x, const PointGroup& group) {
        const Summary cost = summarize(group, metric);
        const Estimate share = share_of(group);
        ChartPoint point;
        point.of = layout.x.empty() ? "" : html_number(x);
        point.runs = runs_of(group);
        if (!cost.mean) return point;
        point.x = *cost.mean;
        point.x_interval = cost.confidence_95;
        point.y = share.value;
        point.y_interval = share.confidence_95;
        return point;
      });
  for (std::size_t i = 0; i < charts.size(); ++i) {
    Chart& chart = charts[i];
    chart.kind = ChartKind::plane;
    chart.stem = stem_of("cost-survival", "", i);
    chart.points_of = layout.x.empty() ? "point" : short_path(layout.x);
    chart.x.names_lines = false;
    chart.x.name = metric;
    chart.x.title.clear();
    choose_share_axis(chart);
    fit_axes(chart);
  }
  return charts;
}

bool has_faults(const std::vector<SelectedPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const SelectedPoint& point) {
    const JsonValue* faults = point.values.find("faults");
    if (faults == nullptr || faults->object() == nullptr) return false;
    return std::any_of(faults->object()->begin(), faults->object()->end(),
                       [](const JsonMember& source) {
                         const JsonValue::List* list = source.value.list();
                         return !source.value.is_null() && (list == nullptr || !list->empty());
                       });
  });
}

std::map<std::string, std::size_t> endings_of(const PointGroup& group) {
  std::map<std::string, std::size_t> endings;
  for (const SelectedPoint* point : group.points)
    for (const RunRecord& run : point->stored.runs) ++endings[outcome_word(run.outcome)];
  return endings;
}

}  // namespace faultline
