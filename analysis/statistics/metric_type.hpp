// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline::statistics {

/// The type of a metric's values. It decides how they are estimated, drawn and printed.
enum class MetricType {
  share,     ///< true or false in each run: estimated as the share of runs where it is true
  fraction,  ///< between 0 and 1 in each run: estimated as a mean, drawn from 0 to 1
  time,      ///< in seconds: printed and drawn in whichever unit is easiest to read
  number,    ///< a count, or any other number
  text,      ///< not estimated
};

/// Returns the type of the metric with this name.
MetricType metric_type(const std::string& name);

/// True if the axis of a metric of this type reaches from 0 to 1.
bool is_between_0_and_1(MetricType type);

/// Returns the name of a metric without its unit, if it has one: "detection_latency" for
/// "detection_latency_s".
std::string without_unit(const std::string& name);

/// Summarises the values of a metric, where true is 1 and false is 0. `what` matters for shares
/// only. Throws as `summarize` and `summarize_share` of a sample do (analysis/statistics/summary).
Summary summarize(MetricType type, const std::vector<double>& values,
                  ShareValues what = ShareValues::runs);

}  // namespace faultline::statistics
