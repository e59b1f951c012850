// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/series_figure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "analysis/drawing/tics.hpp"
#include "analysis/reproduction/series_samples.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/summary.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

namespace {

constexpr std::size_t kPanelWidth = 420;
constexpr std::size_t kMostInRow = 3;  // panels
constexpr double kSlantedLabel = 22;   // pixels along the axis, by the height of its letters
constexpr double kBesidePoints = 0.8;  // of a logarithmic axis, at both ends

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

/// Where the points of a panel stand along x, and how: by the same rule as in a report's charts.
struct PointAxis {
  std::vector<double> at;  ///< ascending
  bool logarithmic = true;

  [[nodiscard]] double place(double value) const { return logarithmic ? std::log(value) : value; }
  /// The room beside the outermost points.
  [[nodiscard]] double beside() const {
    if (logarithmic) return kBesidePoints;
    return at.size() > 1 ? 0.08 * (at.back() - at.front()) : 1.0;
  }
};

PointAxis point_axis_of(const std::vector<DrawnLine>& lines) {
  PointAxis axis;
  for (const DrawnLine& line : lines)
    for (const SeriesPoint& point : *line.points) axis.at.push_back(point.at);
  std::sort(axis.at.begin(), axis.at.end());
  axis.at.erase(std::unique(axis.at.begin(), axis.at.end()), axis.at.end());
  axis.logarithmic = axis.at.front() > 0 && (axis.at.size() < 3 || wants_logarithm(axis.at));
  return axis;
}

/// The range of an axis with these extreme values, in the drawn unit. It begins at 0 unless all
/// values are so far from 0 that their differences would be lost.
Interval value_range(const ChartAxis& axis, double min, double max) {
  if (axis.logarithmic) return {min / 1.25 * axis.factor, max * 1.25 * axis.factor};
  const double low = min > 0.4 * max ? min : 0.0;
  const double margin = (max > low ? 0.08 * (max - low) : 0.05 * std::fabs(max)) * axis.factor;
  if (margin == 0.0) return {-0.04, 1.04};
  return {low * axis.factor - margin, max * axis.factor + margin};
}

/// The y axis of a panel. It is logarithmic if x is and the samples span more than a decade. Where
/// x is linear, y is, too: a law that is a straight line in a paper is one here.
ChartAxis value_axis(const std::vector<DrawnLine>& lines, const std::string& metric,
                     const PointAxis& x, double largest) {
  double min = std::numeric_limits<double>::infinity();
  double max = 0.0;
  for (const DrawnLine& line : lines)
    for (const SeriesPoint& point : *line.points) {
      const Boxplot box = box_of(point.samples.at(line.protocol), metric);
      min = std::min(min, box.min);
      max = std::max(max, box.max);
    }
  ChartAxis axis;
  axis.name = metric;
  choose_unit(axis, largest);
  axis.logarithmic =
      x.logarithmic && !is_between_0_and_1(metric_type(metric)) && min > 0.0 && max > 10 * min;
  Interval range =
      is_between_0_and_1(metric_type(metric)) ? Interval{-0.04, 1.04} : value_range(axis, min, max);
  axis.tics = axis.logarithmic ? logarithmic_tics(range) : linear_tics(range);
  if (axis.logarithmic) axis.minor_tics = minor_tics(range, axis.tics);
  axis.range = range;
  return axis;
}

std::string axis_script(const ChartAxis& axis) {
  return std::string(axis.logarithmic ? "set" : "unset") + " logscale y\nset yrange [" +
         shortest(axis.range->low) + ":" + shortest(axis.range->high) + "]\nset ytics " +
         tic_list(axis.tics, axis.minor_tics) + "\n";
}

/// ":($8*1000):($7*1000)": columns of the block of numbers, in the unit that is drawn.
std::string in_unit(const ChartAxis& axis, const std::vector<std::size_t>& columns) {
  std::string text;
  for (const std::size_t column : columns)
    text += ":($" + std::to_string(column) + "*" + shortest(axis.factor) + ")";
  return text;
}

/// The width of a line's lane. Each has one, next to the place of the point on the axis.
double lane_width(const PointAxis& x, const std::vector<DrawnLine>& lines) {
  double gap = x.logarithmic ? std::log(4.0) : std::numeric_limits<double>::infinity();
  for (const DrawnLine& line : lines)
    for (std::size_t i = 1; i < line.points->size(); ++i)
      gap = std::min(gap, x.place((*line.points)[i].at) - x.place((*line.points)[i - 1].at));
  return std::isinf(gap) ? x.beside() : 0.6 * gap / static_cast<double>(lines.size());
}

/// The pixels between two points, in a panel of the usual width.
double pixels_between(const PointAxis& x, std::size_t one, std::size_t other) {
  const double extent = x.place(x.at.back()) - x.place(x.at.front()) + 2 * x.beside();
  return (x.place(x.at[other]) - x.place(x.at[one])) / extent * plot_breadth(kPanelWidth);
}

/// Do the labels of the points, in a panel of the usual width, run into each other?
bool labels_collide(const PointAxis& x) {
  double widest = 0;
  for (const double at : x.at) widest = std::max(widest, breadth_of_tic(tic_text(at)));
  for (std::size_t i = 1; i < x.at.size(); ++i)
    if (pixels_between(x, i - 1, i) < widest) return true;
  return false;
}

/// The x axis of a panel, labelled at its points. Where even slanted labels would run into each
/// other, a point has a tic alone.
std::string point_axis_script(const PointAxis& x) {
  const auto place = [&](double at) {
    return x.logarithmic ? "log(" + shortest(at) + ")" : shortest(at);
  };
  const std::string beside = shortest(x.beside());
  const bool slanted = labels_collide(x);
  std::string text = "set xrange [";
  text.append(place(x.at.front())).append("-").append(beside).append(":");
  text.append(place(x.at.back())).append("+").append(beside).append("]\nset xtics");
  text.append(slanted ? kSlanted : " norotate").append(" (");
  std::size_t labelled = 0;
  for (std::size_t i = 0; i < x.at.size(); ++i) {
    const bool has_label = i == 0 || !slanted || pixels_between(x, labelled, i) > kSlantedLabel;
    if (has_label) labelled = i;
    text.append(i == 0 ? "" : ", ").append("'").append(has_label ? tic_text(x.at[i]) : "");
    text.append("' ").append(place(x.at[i]));
  }
  return text + ")\n";
}

/// What a script draws: the lines of the CSV, in which numbers stand for the names of series,
/// metrics and detectors, and the texts that it shows.
class Drawn {
 public:
  explicit Drawn(FigureRows rows) : rows_(std::move(rows)) {
    rows_.erase(rows_.begin());
    for (auto& row : rows_)
      for (std::size_t i = 0; i < kNames; ++i) row[i] = number_of(row[i]);
  }

  /// The gnuplot expression for the place on the axis of what one line shows of a metric: `offset`
  /// beside its points.
  std::string lane(const DrawnLine& line, const std::string& metric, const PointAxis& x,
                   double offset) {
    const std::string place = x.logarithmic ? "log($4)" : "$4";
    return "($1 == " + number_of(line.series) + " && $2 == " + number_of(metric) +
           " && $3 == " + number_of(line.protocol) + " ? " + place + " + (" + fixed(offset, 4) +
           ") : NaN)";
  }

  std::string shown(const std::string& text) { return texts_.variable(text); }

  [[nodiscard]] std::string definitions() const {
    return texts_.definitions() + gnuplot_block("numbers", rows_);
  }

 private:
  static constexpr std::size_t kNames = 3;

  std::string number_of(const std::string& name) {
    return std::to_string(numbers_.emplace(name, numbers_.size() + 1).first->second);
  }

  FigureRows rows_;
  std::map<std::string, std::size_t> numbers_;
  GnuplotTexts texts_;
};

/// The offset of the lane of line `i` of `lines` from the point.
double lane_offset(double width, std::size_t i, std::size_t lines) {
  return width * (static_cast<double>(i) - static_cast<double>(lines - 1) / 2);
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

/// One panel: a curve for each line through its medians, and boxes side by side unless each point
/// is a single run.
std::string box_panel(Drawn& drawn, const std::string& title, const ChartAxis& axis,
                      const PointAxis& x, const std::vector<DrawnLine>& lines) {
  const bool single = are_single_runs(lines, axis.name);
  const double width = lane_width(x, lines);
  std::string text = "set title " + drawn.shown(title) + " noenhanced\nset boxwidth " +
                     fixed(0.8 * width, 4) + "\nset ylabel " + drawn.shown(axis.title) +
                     " noenhanced\n" + axis_script(axis) + point_axis_script(x) + "plot ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place =
        drawn.lane(lines[i], axis.name, x, single ? 0.0 : lane_offset(width, i, lines.size()));
    const std::string label = " title " + drawn.shown(lines[i].label);
    text.append(i == 0 ? "" : ", \\\n  ");
    if (!single) {
      text.append("$numbers using ").append(place).append(in_unit(axis, {8, 7, 11, 10}));
      text.append(" with candlesticks whiskerbars fill transparent solid 0.3 lt ")
          .append(std::to_string(line_type_at(lines[i].place)))
          .append(label)
          .append(", \\\n  ");
    }
    text.append("$numbers using ").append(place).append(in_unit(axis, {9}));
    text.append(" with linespoints").append(line_style_at(lines[i].place));
    text.append(single ? label : " ps 0.5 notitle");
  }
  return text + "\n";
}

/// The y axis of a panel of ratios, which shows the ratio 1.
std::string ratio_axis(const SeriesMeasure& series, const std::string& metric,
                       const std::vector<DrawnLine>& lines) {
  Interval range{1.0, 1.0};
  for (const DrawnLine& line : lines)
    for (const SeriesPoint& point : *line.points) {
      const Estimate ratio = ratio_at(series, point, line.protocol, metric);
      const Interval drawn = ratio.confidence_99.value_or(Interval{*ratio.value, *ratio.value});
      range = {std::min(range.low, drawn.low), std::max(range.high, drawn.high)};
    }
  const double margin = range.high > range.low ? 0.05 * (range.high - range.low) : 0.05;
  range = {range.low - margin, range.high + margin};
  return "set yrange [" + shortest(range.low) + ":" + shortest(range.high) + "]\nset ytics " +
         tic_list(linear_tics(range)) + "\n";
}

/// One panel of ratios: a point for each line, with whiskers for its 99 % interval. The drawing has
/// `pixels` along x.
std::string ratio_panel(Drawn& drawn, const SeriesMeasure& series, const std::string& metric,
                        const std::vector<DrawnLine>& lines, std::size_t pixels) {
  const PointAxis x = point_axis_of(lines);
  const double width = lane_width(x, lines);
  std::string text = "set title " + drawn.shown(lines.front().series) + " noenhanced\nset ylabel " +
                     drawn.shown(metric_title(metric)) + R"(."\n".)" +
                     drawn.shown("relative to " + paper_name(series.drawn_relative_to)) +
                     " noenhanced\n" + ratio_axis(series, metric, lines) + point_axis_script(x) +
                     "plot 1 with lines lt -1 notitle";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string place = drawn.lane(lines[i], metric, x, lane_offset(width, i, lines.size()));
    const std::string type = " lt " + std::to_string(line_type_at(lines[i].place));
    text.append(", \\\n  $numbers using ").append(place).append(":7:(0):($8 - $7) with ");
    text.append(interval_style(pixels)).append(type).append(" lw 2 notitle");
    text.append(", \\\n  $numbers using ").append(place).append(":6 with points");
    text.append(type).append(" title ").append(drawn.shown(lines[i].label));
  }
  return text + "\n";
}

/// Some panels and how many of them stand side by side.
struct Panels {
  std::string script;
  std::size_t rows = 1;
  std::size_t columns = 1;
};

/// A panel for each series and metric. One metric: all series share a row, since a row for each
/// would waste the width of the page.
Panels separate_panels(const ItemResult& result, Drawn& drawn) {
  const ReproductionItem& item = result.item;
  const std::size_t metrics = drawn_metrics(series_of(item, item.curves.front())).size();
  const bool one_row = metrics == 1 && item.curves.size() <= kMostInRow;
  Panels panels;
  panels.rows = one_row ? 1 : item.curves.size();
  panels.columns = one_row ? item.curves.size() : metrics;
  for (const std::size_t curve : item.curves) {
    const SeriesMeasure& series = series_of(item, curve);
    const std::vector<DrawnLine> lines = lines_of_series(result, curve);
    for (const std::string& metric : drawn_metrics(series)) {
      if (draws_ratios(item)) {
        panels.script += ratio_panel(drawn, series, metric, lines, kPanelWidth * panels.columns);
        continue;
      }
      const PointAxis x = point_axis_of(lines);
      panels.script +=
          box_panel(drawn, lines.front().series,
                    value_axis(lines, metric, x, largest_of(result, metric)), x, lines);
    }
  }
  return panels;
}

/// A panel for each metric, with the lines of all series that have it.
Panels overlaid_panels(const ItemResult& result, Drawn& drawn) {
  Panels panels;
  const std::vector<std::string> metrics = metrics_of(result.item);
  for (const std::string& metric : metrics) {
    const std::vector<DrawnLine> lines = overlaid_lines(result, metric);
    const PointAxis x = point_axis_of(lines);
    panels.script +=
        box_panel(drawn, "", value_axis(lines, metric, x, largest_of(result, metric)), x, lines);
  }
  panels.rows = (metrics.size() + kMostInRow - 1) / kMostInRow;
  panels.columns = (metrics.size() + panels.rows - 1) / panels.rows;
  return panels;
}

}  // namespace

std::string series_script(const ItemResult& result, const FigureRows& rows,
                          const std::string& stem) {
  Drawn drawn(rows);
  const std::string axis = drawn.shown(axis_title(over_of(result.item)));
  const Panels panels =
      result.item.overlaid ? overlaid_panels(result, drawn) : separate_panels(result, drawn);
  return gnuplot_head(stem, kPanelWidth * panels.columns, 40 + 330 * panels.rows) +
         drawn.definitions() + "set xlabel " + axis + " noenhanced\nset multiplot layout " +
         std::to_string(panels.rows) + "," + std::to_string(panels.columns) + "\n" + panels.script +
         "unset multiplot\n";
}

}  // namespace faultline
