// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/core/options.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {

/// Reads one object `{"value", "unit", "status", "source"}` of a machine file. Adds all errors to
/// the problems.
OptionValue read_sourced(const json::JsonValue& value, const OptionSpec& spec,
                         const std::string& path, json::Problems& problems);

/// Adds a problem if the value is a time that is too short for SimGrid, which divides by latencies
/// and fails if the result is beyond the range of a double.
void check_time(const OptionValue& value, const OptionSpec& spec, const std::string& path,
                json::Problems& problems);

}  // namespace faultline::scenario
