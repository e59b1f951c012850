#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// What a metric says: a truth value is averaged as a share of runs, a text not at all.
enum class MetricKind { number, truth, text };

/// The kind of a metric of runs, by its name.
MetricKind metric_kind(const std::string& name);

/// How one replication ended and what it measured, as worker processes send it and stores keep it.
struct RunRecord {
  std::int64_t replication = 0;
  std::string outcome;        ///< the word of an Outcome
  JsonValue::Object metrics;  ///< all others, each of its kind or null
  std::vector<Violation> violations;
  std::int64_t events = 0;
  double wall_s = 0;
  std::int64_t peak_rss_bytes = 0;

  /// The metric of that name, or null.
  [[nodiscard]] const JsonValue* find(const std::string& name) const;

  /// A metric as a number, where it has one; a truth value is 1 or 0, so that the mean of
  /// `terminated` is the share of runs that survive.
  [[nodiscard]] std::optional<double> number(const std::string& name) const;
};

/// One entry of `runs` in the JSON output: identity, metrics, violations, performance.
JsonValue run_record(const Scenario& scenario, std::size_t point, std::uint64_t replication,
                     const RunResult& result);

/// Reads such an entry. What is wrong goes to the problems.
RunRecord read_run_record(const JsonValue& json, Problems& problems);

/// `metrics` of such an entry, the outcome first, and its `violations`.
JsonValue metrics_json(const RunRecord& run);
JsonValue violations_json(const std::vector<Violation>& violations);

/// Read these two. What is wrong goes to the problems, at paths within them.
void read_metrics(const JsonValue& json, RunRecord& run, Problems& problems);
void read_violations(const JsonValue& json, RunRecord& run, Problems& problems);

/// Largest resident set of this process so far, bytes.
std::int64_t peak_rss_bytes();

}  // namespace faultline
