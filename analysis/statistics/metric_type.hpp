#pragma once

#include <string>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline {

/// What the values of a metric are. It decides how they are estimated, drawn and printed.
enum class MetricType {
  share,     ///< true or false in a run: estimated as the share of runs in which it is true
  fraction,  ///< between 0 and 1 in a run: estimated as a mean, drawn from 0 to 1
  time,      ///< seconds: printed and drawn in the unit in which they are read easily
  number,    ///< a count, or any other number
  text,      ///< words: not estimated
};

/// The type of a metric, by its name.
MetricType metric_type(const std::string& name);

/// Does the axis of such a metric reach from 0 to 1?
bool is_between_0_and_1(MetricType type);

/// "detection_latency" for "detection_latency_s": the name of a metric without its unit, if it has
/// one.
std::string without_unit(const std::string& name);

/// Statistics of the values of a metric; truth values are 0 and 1. Throws as `summarize_share` and
/// `summarize` of samples do. `what` matters for a share alone.
Summary summarize(MetricType type, const std::vector<double>& values,
                  ShareValues what = ShareValues::runs);

}  // namespace faultline
