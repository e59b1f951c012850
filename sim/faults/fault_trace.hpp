// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/faults/state_profile.hpp"

namespace faultline::faults {

/// The format of a trace. It is recognised by the content of the file.
enum class TraceFormat : std::uint8_t {
  lanl,     ///< comma-separated, 26 columns: the failure data of Los Alamos, LA-UR-05-7318
  fta,      ///< event_trace of the Failure Trace Archive (Kondo et al., CCGrid 2010)
  simgrid,  ///< a state profile of one SimGrid host
  table,    ///< comma-separated columns that the first line names: node, down, up
};

/// "lanl", "fta", "simgrid" or "table".
const char* format_word(TraceFormat format);

/// One recorded failure of one node.
struct FaultRecord {
  double time_s = 0.0;          ///< since the zero of the trace, see FaultTrace
  std::optional<double> end_s;  ///< when the node was back, if that is known
  std::int64_t system = 0;      ///< LANL: System, FTA: platform_id
  std::int64_t node = 0;        ///< LANL: nodenumz, FTA: node_id
  std::size_t line = 0;
};

/// A line that could not be read, and why.
struct UnreadableLine {
  std::size_t line = 0;
  std::string reason;
  std::optional<std::int64_t> system = {};  ///< if at least that could be read
};

/// A trace of failures, in order of time. The zero of `time_s` is the UNIX epoch for FTA,
/// 1970-01-01 0:00 in local time for LANL, what the numbers of a table count from (for ISO 8601 the
/// UNIX epoch), and the start of the simulation for SimGrid.
struct FaultTrace {
  TraceFormat format = TraceFormat::lanl;
  std::vector<FaultRecord> records;  ///< of a looping profile, those of one loop
  std::vector<UnreadableLine> unreadable;
  std::uint64_t other_events = 0;  ///< readable events that are not failures, such as repairs
  StateProfile profile;            ///< only for simgrid
};

/// Reads a trace. `file` names it in messages. Throws UsageError if the text is compressed or in
/// UTF-16, has none of the formats, or has no readable failure. Unreadable lines are listed in the
/// result.
FaultTrace parse_fault_trace(const std::string& whole, const std::string& file);

/// The trace without those unreadable lines that are known to belong to another system. Keeps all
/// records.
FaultTrace without_unreadable_of_others(FaultTrace trace, std::int64_t system);

/// Describes the first unreadable lines, one line each. A last line counts the others.
std::vector<std::string> describe_unreadable(const FaultTrace& trace);

}  // namespace faultline::faults
