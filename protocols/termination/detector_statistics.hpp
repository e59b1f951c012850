// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "sim/core/metrics.hpp"

namespace faultline::termination {

// ---- metrics of every detector -----------------------------------------------------------------

inline constexpr MetricSpec kBorrows{
    "borrows", Merge::sum,
    "how often a process asked the agent for credit; null if the detector does not do this"};
inline constexpr MetricSpec kFlushes{
    "flushes", Merge::sum,
    "how often a process returned its own credit; null if the detector does not do this"};
inline constexpr MetricSpec kDelayedMessages{
    "delayed_messages", Merge::sum,
    "application messages that waited for credit; null if the detector does not do this"};
inline constexpr MetricSpec kWaves{"waves", Merge::sum,
                                   "completed waves; null if the detector has none"};

// ---- metrics of several detectors --------------------------------------------------------------

inline constexpr MetricSpec kEngagements{"engagements", Merge::sum,
                                         "how often a rank joined the engagement tree"};
inline constexpr MetricSpec kRecoveryMessages{"recovery_messages", Merge::sum,
                                              "messages that only recovery sends; divide by "
                                              "`failed_ranks` to get the cost of one death"};
inline constexpr MetricSpec kRecoveryTime{"recovery_time_max_s", Merge::maximum,
                                          "the longest time from the notice of a death to the end "
                                          "of the recovery from it"};
inline constexpr MetricSpec kStateBytesMax{
    "state_bytes_max", Merge::maximum,
    "the most bytes that a rank ever stores: the largest over the ranks"};
inline constexpr MetricSpec kStateBytesMean{
    "state_bytes_mean", Merge::mean,
    "the most bytes that a rank ever stores: the mean over the ranks"};

/// The metrics that every detector has, and `more`.
inline MetricSpecs detector_metrics(std::initializer_list<const MetricSpec*> more = {}) {
  MetricSpecs metrics = {&kBorrows, &kFlushes, &kDelayedMessages, &kWaves};
  metrics.insert(metrics.end(), more);
  return metrics;
}

/// Statistics of one process that all detectors report, beside what the engine counts. A statistic
/// that does not apply to a detector stays empty, and is reported as null.
struct DetectorStatistics {
  std::optional<std::uint64_t> borrows = {};
  std::optional<std::uint64_t> flushes = {};
  std::optional<std::uint64_t> delayed_messages = {};
  std::optional<std::uint64_t> waves = {};

  void report(MetricTotals& totals) const {
    put(totals, kBorrows, borrows);
    put(totals, kFlushes, flushes);
    put(totals, kDelayedMessages, delayed_messages);
    put(totals, kWaves, waves);
  }

 private:
  static void put(MetricTotals& totals, const MetricSpec& metric,
                  std::optional<std::uint64_t> value) {
    if (value)
      totals.put(metric, *value);
    else
      totals.put_null(metric);
  }
};

}  // namespace faultline::termination
