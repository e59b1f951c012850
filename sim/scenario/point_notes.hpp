// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/problems.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// Says which detector the messages are of that a network may lose, if there are none.
void note_losses(const RunSpec& point, Problems& problems);

/// Says that a program of TryBlocks waits for what a partition of the network loses, unless
/// transactions give its requests up after some time.
void note_cuts(const RunSpec& point, Problems& problems);

/// Says what a node's memory cannot hold. It runs as if memory had no end, so that is no error.
void note_memory(const RunSpec& point, const ComponentPaths& paths, Problems& problems);

/// Says which component waits for a message for less than any message takes: it takes all others
/// for dead, or all messages for lost.
void note_short_waits(const RunSpec& point, const ComponentPaths& paths, Problems& problems);

}  // namespace faultline
