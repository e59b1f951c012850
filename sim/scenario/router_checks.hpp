// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// Refuses routers that would fail more than 100,000 times until the run ends at the latest, and,
/// where a run waits until all are told of all deaths, routers that are never repaired.
void check_routers(const RunSpec& point, json::Problems& problems);

}  // namespace faultline::scenario
