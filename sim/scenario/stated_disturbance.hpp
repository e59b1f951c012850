// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/faults/fault_spec.hpp"
#include "sim/scenario/may_err.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// As disturbance_of, whatever the failure detector is, and also without one.
[[nodiscard]] Disturbance stated_disturbance(const RunSpec& spec,
                                             const std::vector<faults::Outage>& outages = {});

/// Does a scenario state any of that, or routers that can fail? Of all that does not kill, only
/// stalls and errors in data are left out, which are faults of single ranks.
[[nodiscard]] bool is_disturbed(const RunSpec& spec);

}  // namespace faultline::scenario
