// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

/// Reads `platform` and loads its machine. Relative paths are relative to `directory`. `value` is
/// null if the file has no platform. Adds all errors to the problems.
PlatformSpec read_platform(const json::JsonValue* value, const std::string& directory,
                           const ScenarioBackends& backends, json::Problems& problems);

/// Adds a problem at `engine` if SimGrid cannot represent the job's part of the machine.
void check_simgrid_can_hold(const PlatformSpec& platform, json::Problems& problems);

}  // namespace faultline::scenario
