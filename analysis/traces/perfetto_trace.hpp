// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/traces/run_trace.hpp"

namespace faultline::traces {

/// A run as Chrome trace events in JSON, which Perfetto and chrome://tracing open. Each node is a
/// group; each process and each of its worker cores is a track, with slices for its activities. A
/// message that was handled is an arrow; everything else is an instant. Times are rounded to
/// nanoseconds, the precision of Perfetto, and written in microseconds, as the format requires.
std::string perfetto_text(const RunTrace& trace, const scenario::RunSpec& spec,
                          const TraceTitle& title);

}  // namespace faultline::traces
