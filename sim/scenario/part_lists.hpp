// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/platform/hardware.hpp"
#include "sim/scenario/declarations.hpp"

namespace faultline::scenario {

/// A list of victims in an entry of `faults.at` that are parts of the machine.
struct PartList {
  platform::Part part;
  VictimList list;
};

/// All such lists: that of routers, then those of larger parts.
const std::vector<PartList>& part_lists();

}  // namespace faultline::scenario
