// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline::failures {

/// The length of a generated trace, and the repairs of its nodes.
struct GeneratedTrace {
  std::uint32_t nodes = 1;
  double duration_s = 0.0;
  std::uint64_t seed = 1;
  double repair_median_s = 0.0;  ///< of a lognormal law; 0: nodes are repaired at once
  double repair_sigma = 0.0;     ///< standard deviation of the logarithm
};

/// Draws failures from a source for `request.nodes` nodes on one switch. A node that is down cannot
/// fail. Times begin at zero.
std::vector<faults::FaultRecord> generate_trace(const faults::FaultSourceChoice& source,
                                                const GeneratedTrace& request);

/// Writes a trace in a format that parse_fault_trace reads back. LANL's has whole minutes. In
/// LANL's and FTA's, time zero is the beginning of the year 2000. A SimGrid profile has one node. A
/// table counts seconds from the beginning.
std::string trace_text(const std::vector<faults::FaultRecord>& records, faults::TraceFormat format);

}  // namespace faultline::failures
