#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// Reads `platform` and loads its machine. `directory` anchors relative paths; `value` null
/// means that the file has none. What is wrong goes to the problems.
PlatformSpec read_platform(const JsonValue* value, const std::string& directory,
                           const ScenarioBackends& backends, Problems& problems);

/// Notes at `engine` where SimGrid cannot hold the part of the machine that the job gets.
void check_simgrid_can_hold(const PlatformSpec& platform, Problems& problems);

}  // namespace faultline
