// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// A program can raise an error that it finds in its data only where a TryBlock can be rejected for
/// it. In other stacks a soft fault ends the process, as any fault does; this makes it one, and
/// notes that.
void end_by_soft_faults(RunSpec& point, json::Problems& problems);

}  // namespace faultline::scenario
