// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/summary_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/text/text_table.hpp"

namespace faultline::text {

std::string compact(double value) {
  if (value == 0.0) return "0";
  char text[32];
  const double size = std::fabs(value);
  const bool whole = value == std::floor(value) || size >= 1e4;
  if (whole && size < 1e9)
    std::snprintf(text, sizeof text, "%.0f", value);
  else
    std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

namespace {

int decade_of(double value) { return static_cast<int>(std::floor(std::log10(value))); }

/// "1.0000e-06 +- 2.0e-10", both up to the second digit of the latter.
std::string in_powers(double mean, double half) {
  const int digits = mean == 0.0 ? 1 : decade_of(std::fabs(mean)) - decade_of(half) + 1;
  char text[64];
  std::snprintf(text, sizeof text, "%.*e +- %.1e", std::clamp(digits, 1, 16), mean, half);
  return text;
}

}  // namespace

std::string marked(const std::string& text, statistics::MeanBound bound) {
  switch (bound) {
    case statistics::MeanBound::exact:
      break;
    case statistics::MeanBound::at_least:
      return ">= " + text;
    case statistics::MeanBound::unknown:
      return text + " (cut off)";
  }
  return text;
}

std::string with_interval(const statistics::Summary& summary, double factor, double largest) {
  constexpr int kMostDecimals = 9;
  if (!summary.mean) return "-";
  const double mean = *summary.mean * factor;
  if (summary.bound != statistics::MeanBound::exact) return marked(compact(mean), summary.bound);
  if (!summary.confidence_95) return compact(mean);
  const double half = (summary.confidence_95->high - summary.confidence_95->low) / 2 * factor;
  if (!std::isfinite(half)) return compact(mean);
  const int decimals = half > 0 ? std::max(0, 1 - decade_of(half)) : kMostDecimals + 1;
  // An interval as small as the rounding errors is not shown. Below the decimals of a table these
  // are errors of clocks: a time of some microseconds is the difference of two of many seconds.
  const double size = std::max(std::fabs(mean), largest * factor);
  const double rounding = (decimals > kMostDecimals ? 1e-9 : 1e-12) * size;
  if (half <= rounding) return compact(std::fabs(mean) <= rounding ? 0.0 : mean);
  if (decimals > kMostDecimals) return in_powers(mean, half);
  if (summary.is_share)
    return fixed(mean, decimals) + " [" + fixed(summary.confidence_95->low * factor, decimals) +
           ", " + fixed(summary.confidence_95->high * factor, decimals) + "]";
  return fixed(mean, decimals) + " +- " + fixed(half, decimals);
}

TimeUnit time_unit(double longest_s) {
  for (const TimeUnit unit : {TimeUnit{"s", 1.0}, TimeUnit{"ms", 1e3}, TimeUnit{"us", 1e6}})
    if (longest_s * unit.in_one_s >= 1.0) return unit;
  return longest_s > 0.0 ? TimeUnit{"ns", 1e9} : TimeUnit{"s", 1.0};
}

TimeUnit unit_of(statistics::MetricType type, double largest) {
  return type == statistics::MetricType::time ? time_unit(largest) : TimeUnit{"", 1.0};
}

std::string column_title(const std::string& metric, const TimeUnit& unit) {
  std::string title = statistics::without_unit(metric);
  std::replace(title.begin(), title.end(), '_', '\n');
  if (*unit.word != '\0') title += std::string(", ") + unit.word;
  return title;
}

}  // namespace faultline::text
