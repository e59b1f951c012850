// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/metrics.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

/// A metric that a run can report, and where it comes from.
struct DeclaredMetric {
  const MetricSpec* metric;
  std::string group;  ///< "every run", or the family of its components
  std::vector<std::string>
      components;  ///< the names of those that report it; none: the engine does
};

/// All metrics: first those of the engine, then those of the components by family. A metric that
/// several components of a family report is listed once.
std::vector<DeclaredMetric> declared_metrics();

/// The components of any family that report a metric of that name in a result. Empty if the engine
/// reports it.
std::vector<std::string> components_that_report(const std::string& metric);

/// False if only components report the metric, and none of this job does.
bool can_report(const RunSpec& spec, const std::string& metric);

}  // namespace faultline::scenario
