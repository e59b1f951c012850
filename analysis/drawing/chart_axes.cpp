// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "analysis/drawing/tics.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline {

namespace {

constexpr std::size_t kMostTics = 8;

void sort_unique(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// All values drawn along an axis. `centres` alone choose unit and scale; `ends` are those of
/// intervals.
struct Extent {
  std::vector<double> centres;
  std::vector<double> ends;
};

std::vector<const ChartPoint*> points_of(const std::vector<Chart>& panels) {
  std::vector<const ChartPoint*> points;
  for (const Chart& chart : panels)
    for (const ChartLine& line : chart.lines)
      for (const ChartPoint& point : line.points) points.push_back(&point);
  return points;
}

Extent extent_of_x(const std::vector<Chart>& panels) {
  Extent extent;
  for (const ChartPoint* point : points_of(panels)) {
    if (!point->y && !point->box) continue;
    extent.centres.push_back(point->x);
    if (!point->x_interval) continue;
    extent.ends.push_back(point->x_interval->low);
    extent.ends.push_back(point->x_interval->high);
  }
  return extent;
}

Extent extent_of_y(const std::vector<Chart>& panels) {
  Extent extent;
  for (const ChartPoint* point : points_of(panels)) {
    if (point->box) {
      extent.centres.push_back(point->box->min);
      extent.centres.push_back(point->box->max);
    } else if (point->y) {
      extent.centres.push_back(*point->y);
      if (!point->y_interval) continue;
      extent.ends.push_back(point->y_interval->low);
      extent.ends.push_back(point->y_interval->high);
    }
  }
  return extent;
}

double largest_of(const Extent& extent) {
  double largest = 0;
  for (const double value : extent.centres) largest = std::max(largest, std::fabs(value));
  return largest;
}

/// The range that the values and their intervals cover. On a logarithmic axis an interval that
/// reaches 0 would have no end, so the range ends at a tenth of the least value.
Interval reach_of(const ChartAxis& axis, const Extent& extent) {
  auto [low, high] = std::minmax_element(extent.centres.begin(), extent.centres.end());
  Interval reach{*low, *high};
  const double least = axis.logarithmic ? reach.low / 10 : -HUGE_VAL;
  for (const double end : extent.ends) {
    reach.low = std::min(reach.low, std::max(end, least));
    reach.high = std::max(reach.high, end);
  }
  return {reach.low * axis.factor, reach.high * axis.factor};
}

void choose_range(ChartAxis& axis, const Interval& reach, bool from_zero) {
  if (axis.range) return;
  if (axis.logarithmic) {
    const double margin = std::max(1.25, std::pow(reach.high / reach.low, 0.05));
    axis.range = Interval{reach.low / margin, reach.high * margin};
    return;
  }
  const double low = from_zero && reach.low > 0 ? 0.0 : reach.low;
  double margin = 0.05 * (reach.high - low);
  if (margin == 0) margin = reach.high == 0 ? 1.0 : 0.05 * std::fabs(reach.high);
  axis.range = Interval{low == 0 && from_zero ? 0.0 : low - margin, reach.high + margin};
}

/// Boxes have a width, so the outermost ones need room.
void make_room_for_boxes(ChartAxis& axis, const std::vector<double>& values) {
  const auto drawn = [&](double value) {
    return axis.logarithmic ? std::log10(value * axis.factor) : value * axis.factor;
  };
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double here = drawn(values[i]) - drawn(values[i - 1]);
    axis.gap = i == 1 ? here : std::min(axis.gap, here);
  }
  axis.range =
      Interval{drawn(values.front()) - 0.6 * axis.gap, drawn(values.back()) + 0.6 * axis.gap};
  if (axis.logarithmic)
    axis.range = Interval{std::pow(10.0, axis.range->low), std::pow(10.0, axis.range->high)};
}

/// Points that stand aside must not leave the plot at its ends.
void make_room_aside(ChartAxis& axis, const std::vector<Chart>& panels,
                     const std::vector<double>& values) {
  std::size_t lines = 0;
  for (const Chart& chart : panels)
    if (points_meet(chart)) lines = std::max(lines, chart.lines.size());
  if (lines == 0) return;
  const auto drawn = [&](double value) {
    return axis.logarithmic ? std::log10(value * axis.factor) : value * axis.factor;
  };
  const double edge = kStepAside * (static_cast<double>(lines) / 2 + 0.5);
  const double inner = drawn(values.back()) - drawn(values.front());
  const double margin = inner * edge / (plot_breadth(Canvas().width) - 2 * edge);
  Interval range{drawn(values.front()) - margin, drawn(values.back()) + margin};
  if (axis.logarithmic) range = {std::pow(10.0, range.low), std::pow(10.0, range.high)};
  axis.range =
      Interval{std::min(axis.range->low, range.low), std::max(axis.range->high, range.high)};
}

/// A tic at each value, unless its label would run into the previous one.
void choose_tics(ChartAxis& axis, const std::vector<double>& values) {
  const double pixels = plot_breadth(Canvas().width);
  const auto place = [&](double drawn) {
    const Interval& range = *axis.range;
    return axis.logarithmic ? std::log(drawn / range.low) / std::log(range.high / range.low)
                            : (drawn - range.low) / (range.high - range.low);
  };
  double free_from = -HUGE_VAL;
  for (const double value : values) {
    const std::string text = tic_text(value * axis.factor);
    const double half = breadth_of_tic(text) / 2;
    const double at = pixels * place(value * axis.factor);
    if (at - half < free_from) continue;
    free_from = at + half;
    axis.tics.emplace_back(text, value * axis.factor);
  }
}

/// Tics at round numbers, `room` pixels long along x.
void choose_round_tics(ChartAxis& axis, double room) {
  axis.tics =
      axis.logarithmic ? logarithmic_tics(*axis.range, room) : linear_tics(*axis.range, room);
  if (axis.logarithmic) axis.minor_tics = minor_tics(*axis.range, axis.tics);
}

void fit_x(const std::vector<Chart>& panels, ChartAxis& axis) {
  const Extent extent = extent_of_x(panels);
  if (axis.names_lines || extent.centres.empty()) return;
  if (!axis.categories.empty()) {
    if (axis.title.empty()) axis.title = axis_title(axis.name);
    return;
  }
  choose_unit(axis, largest_of(extent));
  axis.logarithmic = wants_logarithm(extent.centres);
  std::vector<double> values = extent.centres;
  sort_unique(values);
  const ChartKind kind = panels.front().kind;
  if (kind == ChartKind::boxes)
    make_room_for_boxes(axis, values);
  else
    choose_range(axis, reach_of(axis, extent), false);
  if (kind == ChartKind::curves) make_room_aside(axis, panels, values);
  if (kind != ChartKind::plane && values.size() <= kMostTics)
    choose_tics(axis, values);
  else
    choose_round_tics(axis, plot_breadth(Canvas().width));
}

void fit_y(const std::vector<Chart>& panels, ChartAxis& axis) {
  const Extent extent = extent_of_y(panels);
  if (extent.centres.empty()) return;
  choose_unit(axis, largest_of(extent));
  if (!axis.range && is_between_0_and_1(metric_type(axis.name))) axis.range = Interval{-0.02, 1.03};
  const auto [low, high] = std::minmax_element(extent.centres.begin(), extent.centres.end());
  axis.logarithmic = !axis.range && *low > 0 && *high / *low > 10;
  choose_range(axis, reach_of(axis, extent), true);
  choose_round_tics(axis, 0.0);
}

}  // namespace

void choose_unit(ChartAxis& axis, double largest) {
  if (axis.title.empty()) axis.title = axis_title(axis.name);
  if (metric_type(axis.name) != MetricType::time) return;
  const TimeUnit unit = time_unit(largest);
  axis.factor = unit.in_one_s;
  if (axis.title.ends_with(" [s]")) axis.title.replace(axis.title.size() - 2, 1, unit.word);
}

bool wants_logarithm(std::vector<double> values) {
  sort_unique(values);
  if (values.size() < 2 || values.front() <= 0) return false;
  if (values.back() / values.front() > 10) return true;
  const double ratio = values[1] / values[0];
  for (std::size_t i = 2; i < values.size(); ++i)
    if (std::fabs(values[i] / values[i - 1] / ratio - 1) > 1e-6) return false;
  return values.size() > 2;
}

void fit_axes(std::vector<Chart>& panels) {
  if (panels.empty()) return;
  ChartAxis x = panels.front().x;
  ChartAxis y = panels.front().y;
  fit_x(panels, x);
  fit_y(panels, y);
  for (Chart& chart : panels) {
    chart.x = x;
    chart.y = y;
  }
}

}  // namespace faultline
