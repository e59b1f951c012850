// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/cut_off.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/core/registry.hpp"

namespace faultline {

namespace {

/// Those of every run (sim/engine/runtime/runtime_end.cpp) that never become smaller while a run
/// goes on. Once one has a value, runs without one can only have larger ones.
constexpr std::array<std::string_view, 35> kGrowing = {"terminated",
                                                       "application_messages",
                                                       "application_bytes",
                                                       "application_messages_lost",
                                                       "application_messages_resent",
                                                       "application_messages_discarded",
                                                       "application_messages_rolled_back",
                                                       "orphaned_decisions",
                                                       "control_messages",
                                                       "control_bytes",
                                                       "detection_messages",
                                                       "detection_bytes",
                                                       "idle_transitions",
                                                       "busy_transitions",
                                                       "termination_time_s",
                                                       "announce_time_s",
                                                       "detection_latency_s",
                                                       "end_time_s",
                                                       "detection_time_s",
                                                       "revoke_time_s",
                                                       "agreement_time_s",
                                                       "shrink_time_s",
                                                       "spawn_time_s",
                                                       "rebuild_time_s",
                                                       "restore_time_s",
                                                       "redone_time_s",
                                                       "recovery_time_s",
                                                       "faults_struck",
                                                       "first_fault_time_s",
                                                       "last_fault_time_s",
                                                       "false_reports",
                                                       "failure_reports",
                                                       "failure_report_latency_max_s",
                                                       "failure_detection_latency_s",
                                                       "failure_propagation_latency_s"};

/// Metrics that are merged as a maximum or a sum, but that can become smaller: a mean over what a
/// rank has done so far, or a count beyond the tasks that are done.
constexpr std::array<std::string_view, 3> kShrinking = {"half_round_trip_s", "iteration_time_s",
                                                        "tasks_repeated"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// True if all components that declare this metric sum it up or keep its maximum.
bool components_only_add(const std::string& metric) {
  bool known = false;
  for (const Registration& registration : registrations())
    for (const MetricSpec* spec : registration.metrics) {
      if (metric != spec->name) continue;
      if (spec->merge != Merge::sum && spec->merge != Merge::maximum) return false;
      known = true;
    }
  return known;
}

}  // namespace

bool is_cut_off(engine::Outcome outcome) { return outcome == engine::Outcome::limit; }

bool is_cut_off(const RunRecord& run) { return is_cut_off(run.outcome); }

MeanBound bound_of(const std::string& metric) {
  if (contains(kShrinking, metric)) return MeanBound::unknown;
  const bool of_a_kind =
      metric.starts_with("control_messages.") || metric.starts_with("detection_messages.");
  const bool grows = of_a_kind || contains(kGrowing, metric) || components_only_add(metric);
  return grows ? MeanBound::at_least : MeanBound::unknown;
}

void mark_cut_off(Summary& summary, const std::string& metric, std::size_t cut_off) {
  summary.cut_off = cut_off;
  if (cut_off == 0) return;
  summary.bound = bound_of(metric);
  summary.confidence_95.reset();
}

JsonValue bound_json(MeanBound bound) {
  if (bound == MeanBound::exact) return {};
  return bound_word(bound);
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

}  // namespace faultline
