// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/series_figure.hpp"

#include <algorithm>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/reproduction/series_samples.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::reproduction {

namespace {

constexpr std::size_t kMostInRow = 3;  // panels

/// The paper's name for a detector.
std::string paper_name(const std::string& detector) {
  if (detector == "four-counter") return "4C";
  std::string name = detector;
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name;
}

/// A line of a panel: what one protocol does in one series.
struct DrawnLine {
  std::string series;
  std::string protocol;
  std::string label;
  std::size_t place = 0;  ///< decides on colour and dash
  const std::vector<SeriesPoint>* points = nullptr;
};

/// The protocols of all series, each once, in the order in which the scenarios name them.
std::vector<std::string> protocols_of_figure(const ItemResult& result) {
  std::vector<std::string> protocols;
  for (const std::size_t curve : result.item.curves)
    for (const std::string& name : result.measured[curve].points.front().detectors)
      if (std::find(protocols.begin(), protocols.end(), name) == protocols.end())
        protocols.push_back(name);
  return protocols;
}

/// The lines of a panel of its own: the protocols of one series, but for the one that it is drawn
/// relative to. A protocol looks the same in all panels.
std::vector<DrawnLine> lines_of_series(const ItemResult& result, std::size_t curve) {
  const std::vector<std::string> protocols = protocols_of_figure(result);
  const auto& points = result.measured[curve].points;
  std::vector<DrawnLine> lines;
  for (std::size_t place = 0; place < protocols.size(); ++place)
    if (protocols[place] != series_of(result.item, curve).drawn_relative_to &&
        points.front().samples.count(protocols[place]) != 0)
      lines.push_back({result.item.measures[curve].name, protocols[place],
                       paper_name(protocols[place]), place, &points});
  return lines;
}

/// The metrics of all series, each once.
std::vector<std::string> metrics_of(const ReproductionItem& item) {
  std::vector<std::string> metrics;
  for (const std::size_t curve : item.curves)
    for (const std::string& metric : drawn_metrics(series_of(item, curve)))
      if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end())
        metrics.push_back(metric);
  return metrics;
}

/// The lines of a panel that all series share. They are named after their series; where one has
/// several protocols, after these, too. A line looks the same in all panels.
std::vector<DrawnLine> overlaid_lines(const ItemResult& result, const std::string& metric) {
  std::vector<DrawnLine> lines;
  std::size_t place = 0;
  for (const std::size_t curve : result.item.curves) {
    const auto metrics = drawn_metrics(series_of(result.item, curve));
    const bool is_drawn = std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
    std::vector<DrawnLine> of_series = lines_of_series(result, curve);
    for (DrawnLine& line : of_series) {
      line.label = of_series.size() == 1 ? line.series : line.series + ", " + line.label;
      line.place = place++;
      if (is_drawn) lines.push_back(line);
    }
  }
  return lines;
}

/// The largest value of a metric in all panels, which have one unit so that they can be compared.
double largest_of(const ItemResult& result, const std::string& metric) {
  double largest = 0.0;
  for (const std::size_t curve : result.item.curves) {
    const auto metrics = drawn_metrics(series_of(result.item, curve));
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) continue;
    for (const SeriesPoint& point : result.measured[curve].points)
      for (const auto& [detector, samples] : point.samples)
        largest = std::max(largest, box_of(samples, metric).max);
  }
  return largest;
}

/// Has each point of these lines one run, so that there is no spread to show?
bool are_single_runs(const std::vector<DrawnLine>& lines, const std::string& metric) {
  return std::all_of(lines.begin(), lines.end(), [&](const DrawnLine& line) {
    return std::all_of(line.points->begin(), line.points->end(), [&](const SeriesPoint& point) {
      const MetricSamples& samples = point.samples.at(line.protocol);
      const auto found = samples.find(metric);
      return found != samples.end() && found->second.size() == 1;
    });
  });
}

/// A chart of these lines, each of whose points `draw` makes of the samples there.
template <class Draw>
drawing::Chart chart_of(const ItemResult& result, const std::string& title,
                        const std::vector<DrawnLine>& lines, const Draw& draw) {
  drawing::Chart chart;
  chart.panel = title;
  chart.x.name = over_of(result.item);
  chart.y.from_zero = false;
  chart.names_single = true;
  for (const DrawnLine& line : lines) {
    drawing::ChartLine& drawn = chart.lines.emplace_back();
    drawn.name = line.label;
    drawn.line_type = drawing::line_type_at(line.place);
    drawn.dash = drawing::dash_at(line.place);
    for (const SeriesPoint& point : *line.points) {
      drawn.points.push_back(draw(line, point));
      drawn.points.back().x = point.at;
    }
  }
  return chart;
}

drawing::Chart fitted(drawing::Chart chart) {
  std::vector<drawing::Chart> panels = {std::move(chart)};
  drawing::fit_axes(panels);
  return std::move(panels.front());
}

/// Do several values along x have a linear axis?
bool follow_line(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values.front() <= 0 || (values.size() > 2 && !drawing::wants_logarithm(values));
}

/// One panel: a curve for each line through its medians, and boxes side by side unless each point
/// is a single run. Where x is linear, y is, too: a law that is a straight line in a paper is one
/// here.
drawing::Chart box_panel(const ItemResult& result, const std::string& title,
                         const std::string& metric, const std::vector<DrawnLine>& lines) {
  std::vector<double> places;
  drawing::Chart chart =
      chart_of(result, title, lines, [&](const DrawnLine& line, const SeriesPoint& at) {
        drawing::ChartPoint point;
        point.box = box_of(at.samples.at(line.protocol), metric);
        point.y = point.box->median;
        places.push_back(at.at);
        return point;
      });
  chart.kind =
      are_single_runs(lines, metric) ? drawing::ChartKind::curves : drawing::ChartKind::boxes;
  chart.y.name = metric;
  chart.y.largest = largest_of(result, metric);
  if (follow_line(places)) chart.y.scale = drawing::AxisScale::linear;
  return fitted(std::move(chart));
}

/// One panel of ratios: a point for each line, with whiskers for its 99 % interval.
drawing::Chart ratio_panel(const ItemResult& result, const SeriesMeasure& series,
                           const std::string& metric, const std::vector<DrawnLine>& lines) {
  drawing::Chart chart = chart_of(
      result, lines.front().series, lines, [&](const DrawnLine& line, const SeriesPoint& at) {
        const statistics::Estimate ratio = ratio_at(series, at, line.protocol, metric);
        drawing::ChartPoint point;
        point.y = ratio.value;
        point.y_interval = ratio.confidence_99;
        return point;
      });
  chart.y.name = "ratio";
  chart.y.title =
      drawing::metric_title(metric) + " relative to " + paper_name(series.drawn_relative_to);
  chart.joined = false;
  chart.level = 1.0;
  return fitted(std::move(chart));
}

/// A panel for each series and metric. One metric: all series share a row, since a row for each
/// would waste the width of the page.
FigurePanels separate_panels(const ItemResult& result) {
  const ReproductionItem& item = result.item;
  const std::size_t metrics = drawn_metrics(series_of(item, item.curves.front())).size();
  const bool one_row = metrics == 1 && item.curves.size() <= kMostInRow;
  FigurePanels panels;
  panels.columns = one_row ? item.curves.size() : metrics;
  for (const std::size_t curve : item.curves) {
    const SeriesMeasure& series = series_of(item, curve);
    const std::vector<DrawnLine> lines = lines_of_series(result, curve);
    for (const std::string& metric : drawn_metrics(series))
      panels.charts.push_back(draws_ratios(item)
                                  ? ratio_panel(result, series, metric, lines)
                                  : box_panel(result, lines.front().series, metric, lines));
  }
  return panels;
}

/// A panel for each metric, with the lines of all series that have it.
FigurePanels overlaid_panels(const ItemResult& result) {
  FigurePanels panels;
  for (const std::string& metric : metrics_of(result.item))
    panels.charts.push_back(box_panel(result, "", metric, overlaid_lines(result, metric)));
  const std::size_t rows = (panels.charts.size() + kMostInRow - 1) / kMostInRow;
  panels.columns = (panels.charts.size() + rows - 1) / rows;
  return panels;
}

}  // namespace

FigurePanels series_panels(const ItemResult& result) {
  return result.item.overlaid ? overlaid_panels(result) : separate_panels(result);
}

}  // namespace faultline::reproduction
