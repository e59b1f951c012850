// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/faults/fault_spec.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// Reads `faults.at`, the list of faults at stated moments. Adds its errors to `problems`, and
/// returns what remains, in the order of the file. `platform` is null if it is wrong, so that the
/// numbers of victims cannot be checked.
std::vector<faults::FaultSpec> read_stated_faults(const json::JsonValue& at,
                                                  const PlatformSpec* platform,
                                                  json::Problems& problems);

}  // namespace faultline::scenario
