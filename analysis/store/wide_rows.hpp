// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline::store {

/// Rows for data frames: every swept value is a cell by itself. A component has a column for its
/// name, `termination`, and one for each option that some point states,
/// `termination.initial_credit`. A cell is null where its point has no such value.

/// One row for each group: the values at the paths, `points`, `failed_points`, `cut_off` (the
/// number of runs that a limit ended), and for each metric METRIC (its mean), METRIC_low,
/// METRIC_high and METRIC_count.
std::vector<Row> wide_rows(const std::vector<PointGroup>& groups,
                           const std::vector<std::string>& paths,
                           const std::vector<std::string>& metrics);

/// One row for each replication, as run_rows().
std::vector<Row> wide_run_rows(const std::vector<SelectedPoint>& points);

}  // namespace faultline::store
