// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline::traces {

/// A run as an HTML page that loads nothing from the network. It has a space-time diagram that can
/// be moved, and a table of the events.
std::string space_time_page(const RunTrace& trace, const scenario::RunSpec& spec,
                            const TraceTitle& title);

}  // namespace faultline::traces
