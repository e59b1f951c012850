#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline {

/// A run as Chrome trace events in JSON, which Perfetto and chrome://tracing open: a group for each
/// node, a track for each process and each of its worker cores, slices for what they are at, arrows
/// for messages that were handled, instants for everything else. Times are rounded to nanoseconds,
/// which is what Perfetto keeps, and written in microseconds, as the format wants.
std::string perfetto_text(const RunTrace& trace, const RunSpec& spec, const TraceTitle& title);

}  // namespace faultline
