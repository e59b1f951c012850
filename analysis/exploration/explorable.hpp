// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/exploration/exploration.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::exploration {

/// The sizes of jobs that can be explored.
inline constexpr std::uint32_t kFewestExplored = 2;
inline constexpr std::uint32_t kMostExplored = 6;
/// The largest number of deaths of a run, and of lost messages.
inline constexpr std::uint32_t kMostFaults = 12;

/// Adds a problem, with the reason, for everything in a scenario that the search cannot explore in
/// this way. The request has no job yet.
void refuse_unexplorable(const scenario::Scenario& scenario, const ExplorationRequest& request,
                         json::Problems& problems);

}  // namespace faultline::exploration
