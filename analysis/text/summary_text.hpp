// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::text {

/// A number for people, with about four significant digits.
std::string compact(double value);

/// "2046.9 +- 0.1": the mean and the half-width of its interval, both multiplied by `factor`. The
/// interval has two digits, but the mean at most five of them after the point and before it
/// together, unless more stand before it. A share, whose interval is not symmetric, gives
/// "0.967 [0.828, 0.999]". "-" if there are no values. Only the mean if the interval is absent, is
/// less than half of the mean's last digit, or comes from rounding errors: at most 1e-12 of the
/// mean, or 1e-9 where nine decimals would not show it. For differences, `largest` is the size
/// of the subtracted values, which replaces the mean in this rule. A mean over runs that were cut
/// off is marked (`marked`).
std::string with_interval(const statistics::Summary& summary, double factor = 1.0,
                          double largest = 0.0);

/// The text of a number that depends on a mean, marked according to the mean: ">= 1200", "0.5 (cut
/// off)".
std::string marked(const std::string& text, statistics::MeanBound bound);

/// A unit for printing times: a second, or a second divided by a power of a thousand.
struct TimeUnit {
  const char* word;
  double in_one_s;
};

/// The unit in which `longest_s`, the longest of some times, is at least one.
TimeUnit time_unit(double longest_s);

/// The unit in which to print the values of a metric, of which `largest` is the largest. Only times
/// have one.
TimeUnit unit_of(statistics::MetricType type, double largest);

/// The title of a metric's column in a text table: "detection\nlatency, us". Each word has a line,
/// but words share one where that makes no title wider: "detection\nmessages\nper node\nper s".
std::string column_title(const std::string& metric, const TimeUnit& unit);

}  // namespace faultline::text
