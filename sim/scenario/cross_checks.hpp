#pragma once

#include <array>
#include <string>

#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// Where the components of a point stand in the file, indexed by Family.
using ComponentPaths = std::array<std::string, kFamilies>;

/// Refuses a point whose parts clash, by name and with the reason. `allow_unsafe` lets pass what is
/// possible but breaks a stated assumption (ordering, faults, detection, logging); a stop condition
/// that cannot come is never possible.
void check_point(const RunSpec& point, const ComponentPaths& paths, Problems& problems);

/// Asks the components of a point whether their options fit its job.
void check_options_in_job(const RunSpec& point, const ComponentPaths& paths, Problems& problems);

}  // namespace faultline
