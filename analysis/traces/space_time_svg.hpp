// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline::traces {

/// A space-time diagram of a short run as an SVG that needs no script: a line for each rank, an
/// arrow for each message, from left to right. Moments are at equal distances, however much time
/// lies between them, so it suits runs whose order is stated.
std::string space_time_svg(const RunTrace& trace, const scenario::RunSpec& spec,
                           const std::string& title);

}  // namespace faultline::traces
