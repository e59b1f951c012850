// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/failures/trace_summary.hpp"

namespace faultline::failures {

/// The summary of a trace of failures, and facts about its file.
struct TraceReport {
  std::string file;       ///< as the user named it
  double window_s = 0.0;  ///< failures this soon after a first one belong to the same fault
  faults::TraceFormat format = faults::TraceFormat::lanl;
  std::uint64_t other_events = 0;  ///< readable events that are not failures
  std::vector<faults::UnreadableLine> unreadable;
  TraceSummary summary;
};

/// The report for people: sizes of faults and laws fitted to the times between failures, in 80
/// columns.
std::string trace_summary_table(const TraceReport& report);

/// The report as JSON.
std::string trace_summary_json(const TraceReport& report);

/// The sizes of faults as a file of fault counts (sim/scenario/fault_counts_file).
std::string fault_counts_json(const TraceReport& report);

/// The `faults` of a scenario whose faults follow the laws fitted to the trace: those between
/// faults, of which it takes the one that fits best, and that of the repairs. The sizes come from
/// the file `counts` with fault counts; if that is empty, each fault takes one node. Throws
/// UsageError if too few failures are known to fit a law, or if no scenario takes the fitted one.
std::string faults_block_json(const TraceReport& report, const std::string& counts);

}  // namespace faultline::failures
