#pragma once

#include <string>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline {

/// Throws UsageError "PATH: no such file" unless there is one, of whatever kind, that a store could
/// be.
void need_store(const std::string& path);

/// The points of a store that satisfy the conditions, for a verb that reads it; what its user
/// should know of the store goes to standard error. Throws UsageError where there is no store, or
/// no such point.
std::vector<SelectedPoint> stored_points(const std::string& path,
                                         const std::vector<std::string>& conditions);

/// Throws UsageError for the first metric that none of the points has, with the nearest one or all
/// that there are. `option` is "VERB: --OPTION".
void check_metrics(const std::string& option, const std::vector<std::string>& metrics,
                   const std::vector<SelectedPoint>& points);

}  // namespace faultline
