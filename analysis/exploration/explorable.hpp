#pragma once

#include "analysis/exploration/exploration.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// The sizes of jobs that can be explored.
inline constexpr std::uint32_t kFewestExplored = 2;
inline constexpr std::uint32_t kMostExplored = 6;
/// The largest number of deaths of a run.
inline constexpr std::uint32_t kMostFaults = 12;

/// Adds a problem for everything in a scenario that cannot be explored, with the reason. `faults`
/// is the number of deaths that the search may choose.
void refuse_unexplorable(const Scenario& scenario, std::uint32_t faults, TimerRule timers,
                         Problems& problems);

}  // namespace faultline
