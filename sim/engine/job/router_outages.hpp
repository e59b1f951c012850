// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_spec.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::engine {

/// When routers of the job are out of operation, as the scenario states it and as its sources draw
/// it. Routers fail whatever happens in a run, so all their failures until its limit of time are
/// known beforehand. Throws UsageError if there are more than ten million.
std::vector<faults::Outage> router_outages(const scenario::RunSpec& spec,
                                           const faults::FaultTarget& target);

}  // namespace faultline::engine
