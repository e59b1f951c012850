// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/run_tally.hpp"

#include <algorithm>
#include <cstdio>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/runs/run_strata.hpp"

namespace faultline::runs {

namespace {

std::string in_words(const audit::Violation& violation) {
  char time[32];
  std::snprintf(time, sizeof time, "%.9g", violation.time_s);
  return violation.kind + " at " + time + " s: " + violation.detail;
}

}  // namespace

void RunTally::add(const ReplicationRecord& record) {
  ++replications;
  code = std::max(code, exit_code(record));
  PointTally& point = points[record.point];
  if (!record.run) {
    const char* const outcome = record.out_of_memory ? kOutOfMemory : kCrashed;
    ++point.outcomes[outcome];
    crashes.push_back({record.point, record.replication, record.error, outcome});
    add_trouble(record, record.error);
    return;
  }
  const RunRecord& run = *record.run;
  ++point.outcomes[engine::outcome_word(run.outcome)];
  point.fatal_reasons.add(run);
  runs.add(run.outcome);
  metrics.insert("terminated");
  if (!run.fatal_reason.empty()) metrics.insert("fatal_reason");
  for (const RunMetric& metric : run.metrics) add_number(point, metric, is_cut_off(run));
  for (const RunMetric& metric : run.derived) {
    metrics.insert(metric.name);
    if (metric.name != kCompleted)
      add_number(point, metric, is_cut_off(run));
    else if (metric.value)
      ++(*metric.value != 0.0 ? point.completed : point.uncompleted);
  }
  if (const auto stratum = stratum_of(run))
    for (const auto* numbers : {&run.metrics, &run.derived})
      for (const RunMetric& metric : *numbers)
        point.strata[metric.name].add(*stratum, metric.value);
  for (const audit::Violation& violation : run.violations) add_trouble(record, in_words(violation));
}

void RunTally::add_number(PointTally& point, const RunMetric& metric, bool cut_off) {
  metrics.insert(metric.name);
  statistics::RunningSummary& summary = point.metrics[metric.name];
  if (!metric.value) return;
  summary.add(*metric.value);
  if (cut_off) ++point.cut_off[metric.name];
}

void RunTally::add_trouble(const ReplicationRecord& record, const std::string& what) {
  constexpr std::size_t kKept = 5;  // the JSON has all of them
  if (++troubles <= kKept) first_troubles.push_back({record.point, record.replication, what, {}});
}

ExitCode exit_code(const RunTally& tally) {
  return tally.end.interrupted ? std::max(tally.code, kExitInterrupted) : tally.code;
}

}  // namespace faultline::runs
