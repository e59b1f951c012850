#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline {

/// A run as one HTML page without anything from the network: a space-time diagram to look at and go
/// through, and the table of its events.
std::string space_time_page(const RunTrace& trace, const RunSpec& spec, const TraceTitle& title);

}  // namespace faultline
