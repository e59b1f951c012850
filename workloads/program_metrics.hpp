// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/metrics.hpp"

namespace faultline::workloads {

// What stencils and bulk programs report alike.

inline constexpr MetricSpec kSolution{"time_to_solution_s", Merge::maximum,
                                      "time at which the last rank finished"};

inline constexpr MetricSpec kIterationTime{
    "iteration_time_s", Merge::maximum,
    "time until the last rank finished, divided by the iterations", Trend::may_fall};

inline constexpr MetricSpec kDigest{
    "state_digest", Merge::digest,
    "digest of the final states of all objects, or of all ranks that have finished. A state is a "
    "digest of all that the object or rank has consumed"};

inline constexpr MetricSpec kDifference{
    "state_difference", Merge::digest,
    "state_digest minus the digest of the right states, computed "
    "without an engine; if it is not 0, the run ends as "
    "`wrong-state`"};

}  // namespace faultline::workloads
