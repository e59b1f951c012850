// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline::cli {

/// Throws UsageError "PATH: no such file" if there is no file. Does not check whether the file is a
/// store.
void need_store(const std::string& path);

/// The points of a store that satisfy the conditions. Prints notes for the user on standard error.
/// Throws UsageError if there is no store, or no such point.
std::vector<store::SelectedPoint> stored_points(const std::string& path,
                                                const std::vector<std::string>& conditions);

/// Tells below a table how many replications of these points the store lacks; "" if none.
std::string missing_text(const std::vector<store::SelectedPoint>& points);

/// Throws UsageError for the first metric that none of the points has. The message suggests the
/// nearest metric, or lists all. `option` is "VERB: --OPTION".
void check_metrics(const std::string& option, const std::vector<std::string>& metrics,
                   const std::vector<store::SelectedPoint>& points);

}  // namespace faultline::cli
