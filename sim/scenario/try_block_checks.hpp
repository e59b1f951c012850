// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/problems.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// True for a program of TryBlocks, or a protocol that commits them.
bool has_try_blocks(const Registration& component);

/// Refuses errors that kill nobody where no TryBlock can be rejected because of them.
void check_soft_faults(const RunSpec& point, json::Problems& problems);

/// Refuses a termination detector of a program of TryBlocks above message logging that replays the
/// messages of a dead rank: such a program also goes on when its own messages have left, which no
/// replay does in the same order.
void check_detector_of_blocks(const RunSpec& point, const ComponentPaths& paths,
                              json::Problems& problems);

}  // namespace faultline::scenario
