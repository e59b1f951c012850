#pragma once

#include <string>

#include "sim/scenario/json_value.hpp"
#include "sim/scenario/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// Reads `platform` and loads its machine. `directory` anchors relative paths; `value` null
/// means that the file has none. What is wrong goes to the problems.
PlatformSpec read_platform(const JsonValue* value, const std::string& directory,
                           Problems& problems);

}  // namespace faultline
