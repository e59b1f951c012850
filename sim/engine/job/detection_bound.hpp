// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/detector_traits.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::engine {

/// A detector is late after that many times its own bound, which is stated for the messages of a
/// job that does little else.
inline constexpr double kDetectionPatience = 2.0;

/// Has the run a detector that states a bound, and a clock by which it can be held to it? It has
/// none if a driver or a stated order decides what comes next.
[[nodiscard]] bool states_bound(const scenario::RunSpec& spec);

/// The death of one rank in that job, with what messages and the news of the system take there.
/// `routes` connects its nodes.
[[nodiscard]] DetectionCase quiet_case(const scenario::PlatformSpec& platform,
                                       const JobShape& shape, const platform::Topology& routes);

/// The time after which this detector has nothing more to say, whoever has died before, and
/// whatever has disturbed the job. kNever if it may speak at any time.
[[nodiscard]] double longest_bound_s(const scenario::ComponentChoice& detector,
                                     const DetectionCase& quiet);

}  // namespace faultline::engine
