#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline {

namespace {

constexpr std::size_t kMostTics = 8;

/// "5", "0.02", "10^{6}" in gnuplot's enhanced text.
std::string tic_text(double value) {
  const double size = std::fabs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e6)) return compact(value);
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double mantissa = value / std::pow(10.0, exponent);
  const std::string power = "10^{" + std::to_string(exponent) + "}";
  return std::fabs(mantissa - 1) < 1e-9 ? power : compact(mantissa) + "\xC2\xB7" + power;
}

/// Decades, and where there are few of them 2 and 5 times as much.
std::vector<std::pair<std::string, double>> logarithmic_tics(const Interval& range) {
  const bool few = range.high / range.low < 1.5e3;
  std::vector<std::pair<std::string, double>> tics;
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  const int step = std::max(1, (last - first) / 8);
  for (int decade = first; decade <= last; decade += step)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, decade);
      if ((factor == 1.0 || few) && value >= range.low * (1 - 1e-9) &&
          value <= range.high * (1 + 1e-9))
        tics.emplace_back(tic_text(value), value);
    }
  return tics;
}

void sort_unique(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Everything that is drawn along an axis, and what its scale is chosen by.
struct Extent {
  std::vector<double> centres;
  std::vector<double> ends;
};

Extent extent_of_x(const Chart& chart) {
  Extent extent;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      if (!point.y && !point.box) continue;
      extent.centres.push_back(point.x);
      if (!point.x_interval) continue;
      extent.ends.push_back(point.x_interval->low);
      extent.ends.push_back(point.x_interval->high);
    }
  return extent;
}

Extent extent_of_y(const Chart& chart) {
  Extent extent;
  for (const ChartLine& line : chart.lines)
    for (const ChartPoint& point : line.points) {
      if (point.box) {
        extent.centres.push_back(point.box->min);
        extent.centres.push_back(point.box->max);
      } else if (point.y) {
        extent.centres.push_back(*point.y);
        if (!point.y_interval) continue;
        extent.ends.push_back(point.y_interval->low);
        extent.ends.push_back(point.y_interval->high);
      }
    }
  return extent;
}

/// Times are drawn in the unit in which they are read easily.
void choose_unit(ChartAxis& axis, const Extent& extent) {
  if (axis.title.empty()) axis.title = axis_title(axis.name);
  if (!axis.name.ends_with("_s")) return;
  double longest_s = 0;
  for (const double value : extent.centres) longest_s = std::max(longest_s, std::fabs(value));
  const TimeUnit unit = time_unit(longest_s);
  axis.factor = unit.in_one_s;
  if (axis.title.ends_with(" [s]")) axis.title.replace(axis.title.size() - 2, 1, unit.word);
}

/// Where the intervals reach, but on a logarithmic axis not further below than a tenth: one that
/// reaches 0 has no end there.
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
    axis.range = Interval{reach.low / 1.25, reach.high * 1.25};
    return;
  }
  const double low = from_zero && reach.low > 0 ? 0.0 : reach.low;
  double margin = 0.05 * (reach.high - low);
  if (margin == 0) margin = reach.high == 0 ? 1.0 : 0.05 * std::fabs(reach.high);
  axis.range = Interval{low == 0 && from_zero ? 0.0 : low - margin, reach.high + margin};
}

void fit_x(Chart& chart) {
  ChartAxis& axis = chart.x;
  const Extent extent = extent_of_x(chart);
  if (axis.names_lines || extent.centres.empty()) return;
  choose_unit(axis, extent);
  axis.logarithmic = wants_logarithm(extent.centres);
  choose_range(axis, reach_of(axis, extent), false);
  std::vector<double> values = extent.centres;
  sort_unique(values);
  if (chart.kind != ChartKind::plane && values.size() <= kMostTics) {
    for (const double value : values)
      axis.tics.emplace_back(tic_text(value * axis.factor), value * axis.factor);
  } else if (axis.logarithmic) {
    axis.tics = logarithmic_tics(*axis.range);
  }
}

void fit_y(Chart& chart) {
  ChartAxis& axis = chart.y;
  const Extent extent = extent_of_y(chart);
  if (extent.centres.empty()) return;
  choose_unit(axis, extent);
  if (!axis.range && is_share(axis.name)) axis.range = Interval{-0.02, 1.03};
  const auto [low, high] = std::minmax_element(extent.centres.begin(), extent.centres.end());
  axis.logarithmic = !axis.range && *low > 0 && *high / *low > 10;
  choose_range(axis, reach_of(axis, extent), true);
  if (axis.logarithmic) axis.tics = logarithmic_tics(*axis.range);
}

}  // namespace

bool wants_logarithm(std::vector<double> values) {
  sort_unique(values);
  if (values.size() < 2 || values.front() <= 0) return false;
  if (values.back() / values.front() > 10) return true;
  const double ratio = values[1] / values[0];
  for (std::size_t i = 2; i < values.size(); ++i)
    if (std::fabs(values[i] / values[i - 1] / ratio - 1) > 1e-6) return false;
  return values.size() > 2;
}

void fit_axes(Chart& chart) {
  fit_x(chart);
  fit_y(chart);
}

}  // namespace faultline
