#pragma once

#include <string>

#include "analysis/statistics/metric_type.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline {

/// A number for people, with about four digits.
std::string compact(double value);

/// "2046.9 +- 0.1": the mean and the half-width of its interval, times `factor`; of a share, whose
/// interval is not symmetric, "0.967 [0.828, 0.999]"; "-" for no values.
std::string with_interval(const Summary& summary, double factor = 1.0);

/// A power of a thousand in which times are read easily.
struct TimeUnit {
  const char* word;
  double in_one_s;
};

/// The unit in which the longest of some times is at least one.
TimeUnit time_unit(double longest_s);

/// The unit in which the values of a metric, of which `largest` is the largest, are read easily:
/// none, unless they are times.
TimeUnit unit_of(MetricType type, double largest);

/// "detection\nlatency, us": the name of a metric as the title of a column of a text table.
std::string column_title(const std::string& metric, const TimeUnit& unit);

}  // namespace faultline
