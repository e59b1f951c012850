// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/core/types.hpp"
#include "sim/faults/fault_spec.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// Until when something can make a failure detector err that a scenario states: a cut, a slow node,
/// messages that are late or lost, processors that the system takes away. Stalls are faults, and no
/// part of it (RunSpec::stalls).
struct Disturbance {
  /// The last moment at which something of it begins or ends; -kNever if there is none.
  double last_change_s = -kNever;
  bool is_endless = false;  ///< it does not end by then, or never ends at all

  /// Is anything of it stated?
  [[nodiscard]] bool is_ever() const { return is_endless || last_change_s > -kNever; }
  /// Is nothing of it there, or to come?
  [[nodiscard]] bool is_over(double now_s) const { return !is_endless && now_s >= last_change_s; }
};

/// None where the detector never errs, or where there is none. `outages`: those of routers, drawn.
Disturbance disturbance_of(const RunSpec& spec, const std::vector<faults::Outage>& outages = {});

/// True if the failure detector declares live processes dead because the scenario asks for that.
/// The resource manager tells it of deaths, so it does not err by itself.
bool errs_as_stated(const RunSpec& spec);

/// True if the scenario states anything that can make its failure detector err.
bool can_err(const RunSpec& spec);

}  // namespace faultline::scenario
