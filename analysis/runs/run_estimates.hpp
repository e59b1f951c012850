// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::runs {

/// The mean of a metric over those runs that have it. Its interval (Summary::confidence_95) misses
/// the mean with probability `outside`: exact for a share, weighted where faults are sampled by
/// strata, else by Student's t.
statistics::Summary mean_of(const std::vector<RunRecord>& runs, const std::string& metric,
                            double outside = 0.05);

/// The difference of a metric, first minus second, over the replications in which both have it.
/// Both used the same random numbers there, so that what chance does to both alike falls out. The
/// interval is as that of mean_of.
statistics::Summary paired_difference(const std::vector<RunRecord>& first,
                                      const std::vector<RunRecord>& second,
                                      const std::string& metric, double outside = 0.05);

}  // namespace faultline::runs
