#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_trace.hpp"

namespace faultline {

/// How long a generated trace is, and how nodes come back.
struct GeneratedTrace {
  std::uint32_t nodes = 1;
  double duration_s = 0.0;
  std::uint64_t seed = 1;
  double repair_median_s = 0.0;  ///< of a lognormal law; 0: a node is back at once
  double repair_sigma = 0.0;     ///< of its logarithm
};

/// Draws the failures of a source on so many nodes of one switch. A node that is down cannot fail.
/// Times begin at zero.
std::vector<FaultRecord> generate_trace(const FaultSourceChoice& source,
                                        const GeneratedTrace& request);

/// The text of a trace, which parse_fault_trace reads back. LANL has whole minutes, and like FTA
/// counts from the begin of the year 2000; a SimGrid profile has one node.
std::string trace_text(const std::vector<FaultRecord>& records, TraceFormat format);

}  // namespace faultline
