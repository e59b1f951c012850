// SPDX-License-Identifier: Apache-2.0
#include "sim/core/run_metrics.hpp"

#include <string_view>

namespace faultline::run_metrics {

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"every run",
       {&kOutcome, &kFatalReason, &kTerminated, &kCompleted, &kApplicationMessages,
        &kApplicationBytes, &kApplicationMessagesLost, &kControlMessages, &kControlMessagesOfKind,
        &kControlBytes, &kIdleTransitions, &kBusyTransitions, &kTerminationTime, &kAnnounceTime,
        &kDetectionLatency, &kEndTime, &kNodeHours}},
      {"runs with message logging or transactions",
       {&kApplicationMessagesResent, &kApplicationMessagesDiscarded,
        &kApplicationMessagesRolledBack}},
      {"programs of TryBlocks",
       {&kOrphanedDecisions, &kDetectionTime, &kRevokeTime, &kAgreementTime, &kShrinkTime,
        &kSpawnTime, &kRebuildTime, &kRestoreTime, &kRedoneTime, &kRecoveryTime}},
      {"runs in which ranks can die or be declared dead",
       {&kFaultsStruck, &kFirstFaultTime, &kLastFaultTime, &kFailedRanks, &kFalseReports,
        &kFencedAlive, &kFailureReports, &kFailureReportLatency}},
      {"runs whose faults are sampled by strata", {&kStratum, &kStratumWeight, &kStratumSure}},
      {"runs with a failure detector",
       {&kDetectionMessages, &kDetectionMessagesOfKind, &kDetectionRate, &kDetectionBytes,
        &kBusiestNode, &kBusiestLink, &kMissedReports, &kFailureDetectionLatency,
        &kFailureDetectionLatencyMean, &kFailurePropagationLatency,
        &kFailurePropagationLatencyMean}},
  };
  return all;
}

const MetricSpec* find(const std::string& name) {
  for (const Group& group : groups())
    for (const MetricSpec* metric : group.metrics) {
      std::string_view stem = metric->name;
      if (name == stem) return metric;
      if (!stem.ends_with(kOfAnyKind)) continue;
      stem.remove_suffix(kOfAnyKind.size());
      if (name.starts_with(stem)) return metric;
    }
  return nullptr;
}

}  // namespace faultline::run_metrics
