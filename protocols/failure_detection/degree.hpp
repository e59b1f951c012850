// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/metrics.hpp"

namespace faultline::failure_detection {

/// How many connections a member needs. All detectors report it, so that they can be compared.
inline constexpr MetricSpec kDegreeMax{
    "detection_degree_max", Merge::maximum,
    "the most other members to which a member passes reports, or which it may probe"};

}  // namespace faultline::failure_detection
