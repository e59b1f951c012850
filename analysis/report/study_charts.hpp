// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"
#include "analysis/report/chart_layout.hpp"

namespace faultline::report {

/// Means of a metric with their 95 % intervals over x, with a chart for each panel
/// (analysis/report/chart_layout).
std::vector<drawing::Chart> curves_of(const ArrangedPoints& points, const std::string& metric);

/// Boxplots of the replications of a metric.
std::vector<drawing::Chart> boxes_of(const ArrangedPoints& points, const std::string& metric);

/// The share of runs that `completed`, with exact 95 % intervals (Clopper and Pearson). Points that
/// are arranged with `faults_first` show it over a swept number of the faults, if there is one.
std::vector<drawing::Chart> survival_of(const ArrangedPoints& points);

/// The share of runs that `completed`, as in survival_of(), over the mean of a metric, which stands
/// for the cost.
std::vector<drawing::Chart> planes_of(const ArrangedPoints& points, const std::string& metric);

/// True if the points have faults, so that survival is a question.
bool has_faults(const std::vector<store::SelectedPoint>& points);

/// Gives each chart a stem of its own, by numbering those that are equal.
void number_equal_stems(const std::vector<drawing::Chart*>& charts);

/// How often the runs of a group ended in each way. Failed points do not count.
std::map<std::string, std::size_t> endings_of(const store::PointGroup& group);

}  // namespace faultline::report
