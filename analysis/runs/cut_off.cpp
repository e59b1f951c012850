// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/cut_off.hpp"

#include "sim/core/metrics.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"

namespace faultline::runs {

namespace {

/// True if this metric only rises in all components that declare it.
bool components_only_add(const std::string& metric) {
  bool known = false;
  for (const Registration& registration : registrations())
    for (const MetricSpec* spec : registration.metrics) {
      if (metric != spec->name) continue;
      if (!only_rises(*spec)) return false;
      known = true;
    }
  return known;
}

}  // namespace

bool is_cut_off(engine::Outcome outcome) { return outcome == engine::Outcome::limit; }

bool is_cut_off(const RunRecord& run) { return is_cut_off(run.outcome); }

statistics::MeanBound bound_of(const std::string& metric) {
  const MetricSpec* of_run = run_metrics::find(metric);
  if (of_run != nullptr && of_run->trend == Trend::settled) return statistics::MeanBound::exact;
  const bool grows = of_run != nullptr ? only_rises(*of_run) : components_only_add(metric);
  return grows ? statistics::MeanBound::at_least : statistics::MeanBound::unknown;
}

void mark_cut_off(statistics::Summary& summary, const std::string& metric, std::size_t cut_off) {
  const statistics::MeanBound bound = bound_of(metric);
  if (cut_off == 0 || bound == statistics::MeanBound::exact) return;
  summary.cut_off = cut_off;
  summary.bound = bound;
  summary.confidence_95.reset();
}

json::JsonValue bound_json(statistics::MeanBound bound) {
  if (bound == statistics::MeanBound::exact) return {};
  return statistics::bound_word(bound);
}

void RunCount::add(engine::Outcome outcome, std::size_t count) {
  runs += count;
  cut_off += is_cut_off(outcome) ? count : 0;
}

std::string cut_off_count(const RunCount& count) {
  if (count.cut_off == 0) return {};
  return std::to_string(count.cut_off) + " of " + std::to_string(count.runs) +
         (count.runs == 1 ? " run" : " runs") + (count.cut_off == 1 ? " was" : " were") +
         " cut off at a limit";
}

std::string cut_off_note(const RunCount& count) {
  std::string text = cut_off_count(count);
  if (text.empty()) return text;
  return text +
         ", which is no result. A mean with >= has such runs in it: without the limit, it would be "
         "at least that. One with (cut off) could be more or less.";
}

}  // namespace faultline::runs
