// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// Refuses errors that kill nobody where no TryBlock can be rejected because of them.
void check_soft_faults(const RunSpec& point, json::Problems& problems);

}  // namespace faultline::scenario
