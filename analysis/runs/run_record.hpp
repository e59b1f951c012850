// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::runs {

/// A number that a run measured. It has no value if it does not apply to this run.
struct RunMetric {
  std::string name;
  std::optional<double> value;
};

/// How one replication ended and what it measured, as worker processes send it and stores keep it.
/// The scenario has what all replications of a point have in common.
struct RunRecord {
  std::int64_t replication = 0;
  engine::Outcome outcome = engine::Outcome::limit;
  std::optional<bool> terminated;  ///< no value without a detector
  std::string fatal_reason;        ///< "" unless a protocol gave up
  std::vector<RunMetric> metrics;  ///< all metrics but those above
  std::vector<RunMetric> derived;  ///< what follows from them and the scenario: derived_metrics()
  std::vector<audit::Violation> violations;
  std::int64_t events = 0;
  double wall_s = 0;
  std::int64_t peak_rss_bytes = 0;

  /// True if the run has a number of this name, with or without a value. `terminated` is one.
  [[nodiscard]] bool has_number(const std::string& name) const;

  /// The value of such a number. That of a truth value is 1 or 0, so that its mean is the share of
  /// runs in which it is true.
  [[nodiscard]] std::optional<double> number(const std::string& name) const;

  /// A metric as in `metrics_json`, which may be text, or a derived one; null if the run does not
  /// have it.
  [[nodiscard]] json::JsonValue cell(const std::string& name) const;
};

/// "no drawn or recorded fault has struck in any of 8 runs": what a table shows for a point with
/// sources of faults that struck in none of its runs.
std::string no_fault_struck(std::size_t runs);

/// True if a run that ends so has reached the end that its scenario states.
bool survived(engine::Outcome outcome);
bool survived(const RunRecord& run);

/// The record of a run that this process simulated.
RunRecord run_record(std::uint64_t replication, const engine::RunResult& result,
                     const scenario::RunSpec& spec);

/// The outcomes of runs that have no record.
inline constexpr const char* kOutOfMemory = "memory";
inline constexpr const char* kCrashed = "crashed";
/// How the error of a replication begins that ran out of memory.
inline constexpr const char* kMemoryError = "out of memory";

/// One replication of one point.
struct ReplicationRecord {
  std::size_t point = 0;
  std::uint64_t replication = 0;
  std::optional<RunRecord> run;  ///< nothing if it did not finish
  std::string error;             ///< why it did not finish
  bool out_of_memory = false;    ///< it did not finish because memory ran out
};

/// A replication as a line of JSON: an entry of `runs` in the output of `run` (docs/output.md), or
/// an object with the key `error`.
std::string replication_line(const scenario::Scenario& scenario, const ReplicationRecord& record);

/// Reads such a line. A line with an error does not tell which replication it is of. Throws
/// UsageError for any other text.
ReplicationRecord read_replication_line(const std::string& line);

/// The `metrics` of such an entry, which begin with the outcome, and its `violations`.
json::JsonValue metrics_json(const RunRecord& run);
json::JsonValue violations_json(const std::vector<audit::Violation>& violations);

/// Read these two. Errors are added to `problems`, with paths within them.
void read_metrics(const json::JsonValue& json, RunRecord& run, json::Problems& problems);
void read_violations(const json::JsonValue& json, RunRecord& run, json::Problems& problems);

/// The largest resident set of this process so far, in bytes.
std::int64_t peak_rss_bytes();

}  // namespace faultline::runs
