// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/summary_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

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

constexpr int kMostDigits = 5;    // significant ones, of a mean
constexpr int kMostDecimals = 9;  // below that, powers of ten

int decade_of(double value) { return static_cast<int>(std::floor(std::log10(value))); }

/// The decimals that give a number so many significant digits, but none below 0.
int decimals_of(double value, int digits) {
  return value == 0.0 ? std::numeric_limits<int>::max()
                      : std::max(0, digits - 1 - decade_of(std::fabs(value)));
}

/// "1.0000e-06 +- 2.0e-10", both up to the second digit of the latter, but at most the fifth of the
/// former.
std::string in_powers(double mean, double half) {
  const int digits = mean == 0.0 ? 1 : decade_of(std::fabs(mean)) - decade_of(half) + 1;
  char text[64];
  std::snprintf(text, sizeof text, "%.*e +- %.1e", std::clamp(digits, 1, kMostDigits - 1), mean,
                half);
  return text;
}

/// The unit of the last digit of a mean that is shown. The digits before the point are whole.
double least_shown(double mean) {
  return mean == 0.0 ? 0.0
                     : std::pow(10.0, std::min(0, decade_of(std::fabs(mean)) + 1 - kMostDigits));
}

/// The mean alone, where its digits would not show the interval.
std::string without_interval(double mean) {
  const int decimals = decimals_of(mean, kMostDigits);
  return mean == std::floor(mean) || decimals > kMostDecimals ? compact(mean)
                                                              : fixed(mean, decimals);
}

/// The words between the underscores of a name: at least one.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : name)
    if (letter == '_')
      words.emplace_back();
    else
      words.back() += letter;
  return words;
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
  if (!summary.mean) return "-";
  const double mean = *summary.mean * factor;
  if (summary.bound != statistics::MeanBound::exact) return marked(compact(mean), summary.bound);
  if (!summary.confidence_95) return compact(mean);
  const double half = (summary.confidence_95->high - summary.confidence_95->low) / 2 * factor;
  if (!std::isfinite(half)) return compact(mean);
  const int wanted = half > 0 ? decimals_of(half, 2) : kMostDecimals + 1;
  // An interval as small as the rounding errors is not shown. Below the decimals of a table these
  // are errors of clocks: a time of some microseconds is the difference of two of many seconds.
  const double size = std::max(std::fabs(mean), largest * factor);
  const double rounding = (wanted > kMostDecimals ? 1e-9 : 1e-12) * size;
  if (half <= rounding) return compact(std::fabs(mean) <= rounding ? 0.0 : mean);
  if (summary.is_share) {
    const int decimals = std::min(wanted, kMostDigits);
    return fixed(mean, decimals) + " [" + fixed(summary.confidence_95->low * factor, decimals) +
           ", " + fixed(summary.confidence_95->high * factor, decimals) + "]";
  }
  if (half <= least_shown(mean) / 2) return without_interval(mean);
  if (wanted > kMostDecimals) return in_powers(mean, half);
  const int decimals = std::min(wanted, decimals_of(mean, kMostDigits));
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
  std::vector<std::string> words = words_of(statistics::without_unit(metric));
  if (*unit.word != '\0') words.back() += std::string(", ") + unit.word;
  std::size_t widest = 0;
  for (const std::string& word : words) widest = std::max(widest, word.size());
  std::string title;
  std::size_t used = widest;  // letters of the last line; none fits into the first
  for (const std::string& word : words) {
    const bool fits = used + 1 + word.size() <= widest;
    if (!title.empty()) title += fits ? ' ' : '\n';
    title += word;
    used = (fits ? used + 1 : 0) + word.size();
  }
  return title;
}

}  // namespace faultline::text
