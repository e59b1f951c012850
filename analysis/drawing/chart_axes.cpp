// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/chart_canvas.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "analysis/statistics/metric_type.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline::drawing {

namespace {

constexpr std::size_t kMostTics = 8;  // at values of x

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
  for (const Chart& chart : panels)
    if (chart.level) extent.ends.push_back(*chart.level);
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
statistics::Interval reach_of(const ChartAxis& axis, const Extent& extent) {
  auto [low, high] = std::minmax_element(extent.centres.begin(), extent.centres.end());
  statistics::Interval reach{*low, *high};
  const double least = axis.logarithmic ? reach.low / 10 : -HUGE_VAL;
  for (const double end : extent.ends) {
    reach.low = std::min(reach.low, std::max(end, least));
    reach.high = std::max(reach.high, end);
  }
  return {reach.low * axis.factor, reach.high * axis.factor};
}

void choose_range(ChartAxis& axis, const statistics::Interval& reach, bool from_zero) {
  if (axis.range) return;
  if (axis.logarithmic) {
    const double margin = std::max(1.25, std::pow(reach.high / reach.low, 0.05));
    axis.range = statistics::Interval{reach.low / margin, reach.high * margin};
    return;
  }
  const double low = from_zero && reach.low > 0 ? 0.0 : reach.low;
  double margin = 0.05 * (reach.high - low);
  if (margin == 0) margin = reach.high == 0 ? 1.0 : 0.05 * std::fabs(reach.high);
  axis.range =
      statistics::Interval{low == 0 && from_zero ? 0.0 : low - margin, reach.high + margin};
}

/// Values along an axis as they are drawn, after any logarithm.
double position_of(const ChartAxis& axis, double value) {
  return axis.logarithmic ? std::log10(value * axis.factor) : value * axis.factor;
}

statistics::Interval range_of_positions(const ChartAxis& axis, double low, double high) {
  return axis.logarithmic ? statistics::Interval{std::pow(10.0, low), std::pow(10.0, high)}
                          : statistics::Interval{low, high};
}

/// Boxes have a width, so the outermost ones need room.
void make_room_for_boxes(ChartAxis& axis, const std::vector<double>& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double here = position_of(axis, values[i]) - position_of(axis, values[i - 1]);
    axis.gap = i == 1 ? here : std::min(axis.gap, here);
  }
  axis.range = range_of_positions(axis, position_of(axis, values.front()) - 0.6 * axis.gap,
                                  position_of(axis, values.back()) + 0.6 * axis.gap);
}

/// Points that stand aside must not leave the plot at its ends.
void make_room_aside(ChartAxis& axis, const std::vector<Chart>& panels,
                     const std::vector<double>& values) {
  std::size_t lines = 0;
  for (const Chart& chart : panels)
    if (points_meet(chart)) lines = std::max(lines, chart.lines.size());
  if (lines == 0) return;
  const double edge = kStepAside * (static_cast<double>(lines) / 2 + 0.5);
  const double low = position_of(axis, values.front());
  const double high = position_of(axis, values.back());
  const double margin = (high - low) * edge / (1 - 2 * edge);
  const statistics::Interval range = range_of_positions(axis, low - margin, high + margin);
  axis.range = statistics::Interval{std::min(axis.range->low, range.low),
                                    std::max(axis.range->high, range.high)};
}

/// "2\u00d710^{-5}" for 2e-05, or "10^{-5}" for 1e-05 where `bare`.
std::string in_powers(double value, bool bare) {
  if (value == 0) return "0";
  const double power = std::floor(std::log10(std::fabs(value)) + 1e-9);
  const std::string ten = "10^{" + text::compact(power) + "}";
  return bare ? ten : text::compact(value / std::pow(10.0, power)) + "\u00d7" + ten;
}

bool is_power_of_ten(double value) {
  const double power = value > 0 ? std::log10(value) : 0.5;
  return std::fabs(power - std::round(power)) < 1e-9;
}

/// The texts of numbers at tics, all in one style: plain, unless one of them would have an
/// exponent.
std::vector<std::string> labels_of_numbers(const std::vector<double>& numbers) {
  std::vector<std::string> labels;
  labels.reserve(numbers.size());
  for (const double number : numbers) labels.push_back(text::compact(number));
  if (std::none_of(labels.begin(), labels.end(),
                   [](const std::string& label) { return label.find('e') != std::string::npos; }))
    return labels;
  const bool bare = std::all_of(numbers.begin(), numbers.end(), is_power_of_ten);
  for (std::size_t i = 0; i < numbers.size(); ++i) labels[i] = in_powers(numbers[i], bare);
  return labels;
}

/// A tic at each value. One that is too near to the label before it has none.
void choose_tics(ChartAxis& axis, const std::vector<double>& values) {
  constexpr double kLeast = 0.05;  // of the axis, between slanted labels
  const double low = position_of(axis, axis.range->low / axis.factor);
  const double length = position_of(axis, axis.range->high / axis.factor) - low;
  double labelled = -HUGE_VAL;
  std::vector<double> numbers;  // at tics with labels
  axis.tics.clear();
  for (const double value : values) {
    const double at = (position_of(axis, value) - low) / length;
    const bool has_label = at - labelled >= kLeast;
    if (has_label) labelled = at;
    if (has_label) numbers.push_back(value * axis.factor);
    axis.tics.emplace_back(has_label ? "label" : "", value * axis.factor);
  }
  const std::vector<std::string> labels = labels_of_numbers(numbers);
  auto next = labels.begin();
  for (auto& [label, at] : axis.tics)
    if (!label.empty()) label = *next++;
}

void fit_x(const std::vector<Chart>& panels, ChartAxis& axis) {
  const Extent extent = extent_of_x(panels);
  if (axis.names_lines || extent.centres.empty()) return;
  if (!axis.categories.empty()) {
    if (axis.title.empty()) axis.title = axis_title(axis.name);
    return;
  }
  choose_unit(axis, largest_of(extent));
  std::vector<double> values = extent.centres;
  sort_unique(values);
  axis.logarithmic = axis.scale != AxisScale::linear && wants_logarithm(values);
  const ChartKind kind = panels.front().kind;
  if (kind == ChartKind::boxes)
    make_room_for_boxes(axis, values);
  else
    choose_range(axis, reach_of(axis, extent), false);
  if (kind == ChartKind::curves) make_room_aside(axis, panels, values);
  if (kind != ChartKind::plane && values.size() <= kMostTics) choose_tics(axis, values);
}

void fit_y(const std::vector<Chart>& panels, ChartAxis& axis) {
  const Extent extent = extent_of_y(panels);
  if (extent.centres.empty()) return;
  choose_unit(axis, axis.largest.value_or(largest_of(extent)));
  if (!axis.range && statistics::is_between_0_and_1(statistics::metric_type(axis.name)))
    axis.range = statistics::Interval{-0.02, 1.03};
  const auto [low, high] = std::minmax_element(extent.centres.begin(), extent.centres.end());
  const bool is_wide = axis.scale == AxisScale::logarithmic || *high / *low > 10;
  axis.logarithmic = !axis.range && axis.scale != AxisScale::linear && *low > 0 && is_wide;
  choose_range(axis, reach_of(axis, extent), axis.from_zero || *low <= 0.4 * *high);
}

}  // namespace

void choose_unit(ChartAxis& axis, double largest) {
  if (axis.title.empty()) axis.title = axis_title(axis.name);
  if (statistics::metric_type(axis.name) != statistics::MetricType::time) return;
  const text::TimeUnit unit = text::time_unit(largest);
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

}  // namespace faultline::drawing
