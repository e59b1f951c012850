#pragma once

#include <string>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline {

/// The points of a store that satisfy the conditions, for a verb that reads it; what its user
/// should know of the store goes to standard error. Throws UsageError where there are none.
std::vector<SelectedPoint> stored_points(const std::string& path,
                                         const std::vector<std::string>& conditions);

}  // namespace faultline
