#pragma once

#include "sim/scenario/scenario.hpp"

namespace faultline {

/// What `set_scenario_backends` has wired.
const ScenarioBackends& scenario_backends();

}  // namespace faultline
