// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/failures/trace_summary.hpp"

namespace faultline {

/// The summary of a trace of failures, and facts about its file.
struct TraceReport {
  std::string file;       ///< as the user named it
  double window_s = 0.0;  ///< failures this soon after a first one belong to the same fault
  TraceFormat format = TraceFormat::lanl;
  std::uint64_t other_events = 0;  ///< readable events that are not failures
  std::vector<UnreadableLine> unreadable;
  TraceSummary summary;
};

/// The report for people: sizes of faults and laws fitted to the times between failures, in 80
/// columns.
std::string trace_summary_table(const TraceReport& report);

/// The report as JSON.
std::string trace_summary_json(const TraceReport& report);

/// The sizes of faults as a file of fault counts (sim/scenario/fault_counts_file).
std::string fault_counts_json(const TraceReport& report);

}  // namespace faultline
