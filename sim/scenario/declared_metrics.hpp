// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/metrics.hpp"

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

}  // namespace faultline::scenario
