#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

/// Carries out one `--set PATH=VALUE` on a scenario's tree. PATH is `platform.processes` or
/// `faults.at[0].time_s`; objects on the way are made, and an index one past a list's end appends.
/// VALUE is JSON, or a plain word that is taken as a string. Problems at that place will name the
/// --set. Throws UsageError for a path or value that cannot be read or does not fit the tree.
void apply_set(JsonValue& root, const std::string& set, Problems& problems);

}  // namespace faultline
