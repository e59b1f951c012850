// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {

/// Applies one `--set PATH=VALUE` to a scenario's tree. PATH is for example `platform.processes` or
/// `faults.at[0].time_s`. Missing objects are created, and an index one past a list's end appends.
/// VALUE is JSON, or a plain word, which is taken as a string. Later problems at that place will
/// name the --set. Throws UsageError if the path or value cannot be read or does not fit the tree.
void apply_set(json::JsonValue& root, const std::string& set, json::Problems& problems);

}  // namespace faultline::scenario
