// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// Refuses a resource manager that reaches no node but its own, ever.
void check_fencing(const RunSpec& point, json::Problems& problems);

/// Notes that what is stated of fencing has no effect in any of the points: no detector errs, or
/// nobody ends the accused.
void note_fencing(const std::vector<RunSpec>& points, json::Problems& problems);

}  // namespace faultline::scenario
