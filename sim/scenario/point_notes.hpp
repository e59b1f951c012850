// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/problems.hpp"
#include "sim/scenario/cross_checks.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// Notes that the stated losses have no effect, because there is no detector whose messages the
/// network could lose.
void note_losses(const RunSpec& point, json::Problems& problems);

/// Notes that a program of TryBlocks waits for what the network loses while it is cut, unless
/// transactions let its requests time out.
void note_cuts(const RunSpec& point, json::Problems& problems);

/// Notes a partition, a slow node or a failing router that the run cannot live to see. A run
/// itself reports stated faults that have not struck.
void note_late_starts(const RunSpec& point, json::Problems& problems);

/// Notes what a node's memory cannot hold. The simulation runs as if memory had no end, so this is
/// no error.
void note_memory(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

/// Notes whose death a failure detector is known not to see, in a job that starts processes again.
void note_unwatched(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

/// Notes a detector that survives deaths of which it is never told.
void note_redundant(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

/// Notes a component that waits for a message for less time than any message takes: it takes all
/// others for dead, or all messages for lost.
void note_short_waits(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems);

}  // namespace faultline::scenario
