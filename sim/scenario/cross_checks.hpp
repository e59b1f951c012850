// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"
#include "sim/scenario/stack_rule.hpp"

namespace faultline::scenario {

/// The places of a point's components in the file, indexed by Family.
using ComponentPaths = std::array<std::string, kFamilies>;

/// The stack of a point, and what it has to bear: for the rule of stacks.
StackParts parts_of(const RunSpec& point);
StackDemands demands_of(const RunSpec& point);

/// The end of a run whose scenario does not state `stop.when`: the announcement of a termination
/// detector, else that of the workload, else the time.
StopWhen default_stop(const RunSpec& point);

/// Adds a problem, with names and the reason, for each clash between the parts of a point.
/// `allow_unsafe` permits clashes that only break a stated assumption (ordering, faults, detection,
/// logging). It does not permit a stop condition that can never hold.
void check_point(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

/// Adds the problems that the components of a point have with their options in its job.
void check_options_in_job(const RunSpec& point, const ComponentPaths& paths,
                          json::Problems& problems);

/// Adds a problem for each fault at a mark that no component of any point sets.
void check_marks(const std::vector<RunSpec>& points, json::Problems& problems);

}  // namespace faultline::scenario
