// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/json/problems.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

// Notes of what a point will surely fail at, or of what it will say little about. It runs all the
// same, because faults may spare it.

/// Notes a termination detector that may give up after the death of a node, of which it survives
/// the death of each rank.
void note_node_deaths(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

/// Notes checkpoints that are further apart than faults. The time between checkpoints that count
/// iterations is known only if the program states how long an iteration computes.
void note_rare_checkpoints(const RunSpec& point, const ComponentPaths& paths,
                           json::Problems& problems);

/// Notes a component that gives up what does not come before the failure detector must have told,
/// by its own bound, that it cannot come; or before ranks come that compute an iteration.
void note_impatience(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

/// Notes costs of a protocol that were measured on another machine, and that the scenario has left
/// as they are.
void note_borrowed_costs(const RunSpec& point, const ComponentPaths& paths,
                         json::Problems& problems);

/// Notes sources of faults of which none is expected in all replications of a point together.
void note_rare_faults(const RunSpec& point, std::uint32_t replications, json::Problems& problems);

}  // namespace faultline::scenario
