// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/core/types.hpp"
#include "sim/faults/fault_spec.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::engine {

/// Until when something can make a failure detector err that a scenario states: a cut, a slow node,
/// messages that are late or lost, processors that the system takes away. Stalls are faults, and no
/// part of it.
struct Disturbance {
  /// The last moment at which something of it begins or ends; -kNever if there is none.
  double last_change_s = -kNever;
  bool is_endless = false;  ///< it does not end by then, or never ends at all

  /// Is nothing of it there, or to come?
  [[nodiscard]] bool is_over(double now_s) const { return !is_endless && now_s >= last_change_s; }
};

/// None where the detector never errs, or where there is none.
Disturbance disturbance_of(const scenario::RunSpec& spec,
                           const std::vector<faults::Outage>& outages);

}  // namespace faultline::engine
