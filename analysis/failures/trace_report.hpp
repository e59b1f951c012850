#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/failures/trace_summary.hpp"

namespace faultline {

/// What a trace of failures says, and what there is to know of its file.
struct TraceReport {
  std::string file;       ///< as the user named it
  double window_s = 0.0;  ///< failures within it after the first belong to one fault
  TraceFormat format = TraceFormat::lanl;
  std::uint64_t other_events = 0;  ///< readable ones that are no failure
  std::vector<UnreadableLine> unreadable;
  TraceSummary summary;
};

/// For people: the sizes of faults, and the laws that fit the times between failures, in 80
/// columns.
std::string trace_summary_table(const TraceReport& report);

/// For machines.
std::string trace_summary_json(const TraceReport& report);

/// How many nodes fail together, as a file of fault counts (sim/scenario/fault_counts_file).
std::string fault_counts_json(const TraceReport& report);

}  // namespace faultline
