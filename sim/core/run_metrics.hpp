// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/metrics.hpp"
#include "sim/core/stack.hpp"

/// The metrics that the engine reports, whatever the components of a run, and those that follow
/// from these (analysis/runs/derived_metrics). Those of a component stand beside its code.
namespace faultline::run_metrics {

// ---- of every run -------------------------------------------------------------------------------

inline constexpr MetricSpec kOutcome{
    "outcome", Merge::whole, "how the run ended (docs/exit-codes.md); text", Trend::may_fall};
inline constexpr MetricSpec kFatalReason{
    "fatal_reason", Merge::whole,
    "why a protocol gave up, if the outcome is fatal or fatal-reported; text", Trend::may_fall};
inline constexpr MetricSpec kTerminated{
    "terminated", Merge::whole,
    "true if every live rank knows that the work is over; false if no rank is alive; null without "
    "a termination detector"};
inline constexpr MetricSpec kCompleted{
    "completed", Merge::whole,
    "true if the program came to its end: the outcome is terminated or finished; false after any "
    "other outcome, memory too; null if stop.when is time or all-reported, which end a run without "
    "regard to the program. Not in `metrics`, but in `derived`",
    Trend::settled};
inline constexpr MetricSpec kApplicationMessages{
    "application_messages", Merge::whole, "messages that the workload sent between ranks",
    Trend::of_merge, families(Family::transactions, Family::message_logging)};
inline constexpr MetricSpec kApplicationBytes{"application_bytes", Merge::whole,
                                              "bytes of these messages, headers included"};
inline constexpr MetricSpec kApplicationMessagesLost{
    "application_messages_lost", Merge::whole,
    "those of these messages that were sent to ranks that were dead or died, or that a partitioned "
    "network lost"};
inline constexpr MetricSpec kControlMessages{
    "control_messages", Merge::whole,
    "messages that the protocols sent, but for those of failure detection", Trend::of_merge,
    families(Family::transactions, Family::termination, Family::message_logging)};
inline constexpr MetricSpec kControlMessagesOfKind{
    "control_messages.KIND", Merge::whole,
    "those of one kind, even if there are none. Kinds of two protocols with one name count "
    "together"};
inline constexpr MetricSpec kControlBytes{"control_bytes", Merge::whole,
                                          "bytes of the control messages"};
inline constexpr MetricSpec kIdleTransitions{"idle_transitions", Merge::whole,
                                             "how often a rank became idle"};
inline constexpr MetricSpec kBusyTransitions{"busy_transitions", Merge::whole,
                                             "how often an idle rank became active"};
inline constexpr MetricSpec kTerminationTime{"termination_time_s", Merge::whole,
                                             "when the work was over, by the ground truth"};
inline constexpr MetricSpec kAnnounceTime{"announce_time_s", Merge::whole,
                                          "when the last live rank learned that the work is over"};
inline constexpr MetricSpec kDetectionLatency{"detection_latency_s", Merge::whole,
                                              "announce_time_s - termination_time_s",
                                              Trend::of_merge, families(Family::termination)};
inline constexpr MetricSpec kEndTime{"end_time_s", Merge::whole,
                                     "simulated time at the end of the run", Trend::of_merge,
                                     families(Family::workload)};
inline constexpr MetricSpec kNodeHours{
    "node_hours", Merge::whole,
    "what the run takes of the machine: the nodes that hold ranks at the start and the spare "
    "nodes, by end_time_s, in hours. Not in `metrics`, but in `derived`"};

// ---- of runs with message logging or transactions -----------------------------------------------

inline constexpr MetricSpec kApplicationMessagesResent{
    "application_messages_resent", Merge::whole,
    "application messages that were sent again from logs and images"};
inline constexpr MetricSpec kApplicationMessagesDiscarded{
    "application_messages_discarded", Merge::whole,
    "application messages that a layer discarded as duplicates or void"};
inline constexpr MetricSpec kApplicationMessagesRolledBack{
    "application_messages_rolled_back", Merge::whole,
    "application messages that layers held when they were rolled back"};

// ---- of programs of TryBlocks -------------------------------------------------------------------

inline constexpr MetricSpec kOrphanedDecisions{
    "orphaned_decisions", Merge::whole,
    "outcomes of TryBlocks that a rank was told before it died, while the survivors were told "
    "another outcome"};
inline constexpr MetricSpec kDetectionTime{
    "detection_time_s", Merge::whole,
    "stage of the recoveries: from a death, or a false report, until the first rank is told of it",
    Trend::of_merge, families(Family::transactions)};
inline constexpr MetricSpec kRevokeTime{
    "revoke_time_s", Merge::whole,
    "stage of the recoveries: until the last live rank has revoked the world", Trend::of_merge,
    families(Family::transactions)};
inline constexpr MetricSpec kAgreementTime{
    "agreement_time_s", Merge::whole,
    "stage of the recoveries: the ranks agree on the outcome of a TryBlock and on the dead",
    Trend::of_merge, families(Family::transactions)};
inline constexpr MetricSpec kShrinkTime{"shrink_time_s", Merge::whole,
                                        "stage of the recoveries: the world shrinks",
                                        Trend::of_merge, families(Family::transactions)};
inline constexpr MetricSpec kSpawnTime{"spawn_time_s", Merge::whole,
                                       "stage of the recoveries: processes start for a new world",
                                       Trend::of_merge, families(Family::transactions)};
inline constexpr MetricSpec kRebuildTime{"rebuild_time_s", Merge::whole,
                                         "stage of the recoveries: ranks enter the new world",
                                         Trend::of_merge, families(Family::transactions)};
inline constexpr MetricSpec kRestoreTime{
    "restore_time_s", Merge::whole,
    "stage of the recoveries: until the last rank has its data again", Trend::of_merge,
    families(Family::transactions)};
inline constexpr MetricSpec kRedoneTime{
    "redone_time_s", Merge::whole,
    "stage of the recoveries: until the last program is back where it was", Trend::of_merge,
    families(Family::transactions)};
inline constexpr MetricSpec kRecoveryTime{"recovery_time_s", Merge::whole,
                                          "from a death, or a false report, until all programs are "
                                          "back where they were, summed over all recoveries of the "
                                          "run: the sum of the stages",
                                          Trend::of_merge, families(Family::transactions)};

// ---- of runs in which ranks can die or be declared dead -----------------------------------------

inline constexpr MetricSpec kFaultsStruck{
    "faults_struck", Merge::whole,
    "faults that killed at least one process; one fault may kill many ranks"};
inline constexpr MetricSpec kFirstFaultTime{"first_fault_time_s", Merge::whole,
                                            "when the first of these faults struck; null if none"};
inline constexpr MetricSpec kLastFaultTime{"last_fault_time_s", Merge::whole,
                                           "when the last of these faults struck; null if none"};
inline constexpr MetricSpec kFailedRanks{"failed_ranks", Merge::whole,
                                         "ranks that are dead at the end", Trend::may_fall};
inline constexpr MetricSpec kFalseReports{
    "false_reports", Merge::whole,
    "ranks that were declared dead while they lived, each once for each of its incarnations; only "
    "with a detector that does not promise accuracy",
    Trend::of_merge, families(Family::failure_detection)};
inline constexpr MetricSpec kFencedAlive{
    "fenced_alive", Merge::whole,
    "live ranks that the resource manager ended because somebody had declared them dead; only "
    "where "
    "it does so (platform.fencing) and the detector does not promise accuracy"};
inline constexpr MetricSpec kFailureReports{
    "failure_reports", Merge::whole,
    "how often a rank or a daemon declared another dead; a node counts once, with the ranks that "
    "its daemon hosted"};
inline constexpr MetricSpec kFailureReportLatency{"failure_report_latency_max_s", Merge::whole,
                                                  "the longest time from a death to such a report"};

// ---- of runs whose faults are sampled by strata -------------------------------------------------

inline constexpr MetricSpec kStratum{"stratum", Merge::whole,
                                     "how many fail together in this replication", Trend::settled};
inline constexpr MetricSpec kStratumWeight{
    "stratum_weight", Merge::whole,
    "share of the recorded faults that have this size: the weight of the replications of this size "
    "together in means over all",
    Trend::settled};
inline constexpr MetricSpec kStratumSure{
    "stratum_sure", Merge::whole,
    "1 if theory says that a fault of this size is always survived, else 0. If all replications of "
    "the size agree, it then adds nothing to the interval of a share",
    Trend::settled};

// ---- of runs with a failure detector ------------------------------------------------------------

inline constexpr MetricSpec kDetectionMessages{"detection_messages", Merge::whole,
                                               "messages of the failure detector"};
inline constexpr MetricSpec kDetectionMessagesOfKind{"detection_messages.KIND", Merge::whole,
                                                     "those of one kind, even if there are none"};
inline constexpr MetricSpec kDetectionRate{
    "detection_messages_per_node_per_s", Merge::whole,
    "detection_messages by the nodes that hold ranks at the start and by end_time_s; null if that "
    "is 0. Not in `metrics`, but in `derived`",
    Trend::may_fall, families(Family::failure_detection)};
inline constexpr MetricSpec kDetectionBytes{"detection_bytes", Merge::whole,
                                            "bytes of these messages"};
inline constexpr MetricSpec kBusiestNode{
    "detection_busiest_node_Bps", Merge::whole,
    "bytes of the failure detector that the busiest node sent to and received from other nodes, by "
    "end_time_s; null if that is 0",
    Trend::may_fall};
inline constexpr MetricSpec kBusiestLink{
    "detection_busiest_link_Bps", Merge::whole,
    "bytes of the failure detector on the link of the network, in one direction, that carried most "
    "of them, by end_time_s. On a torus and a dragonfly all links of a route count, with parallel "
    "links as one; on a fat tree, a switch and in a platform file only those at the two nodes",
    Trend::may_fall};
inline constexpr MetricSpec kMissedReports{"missed_reports", Merge::whole,
                                           "dead ranks of which a live rank has not heard at the "
                                           "end. This and the four latencies: only if "
                                           "ranks can die or be declared dead",
                                           Trend::may_fall};
inline constexpr MetricSpec kFailureDetectionLatency{
    "failure_detection_latency_s", Merge::whole,
    "the longest time from a death to the first report of it by any process, over the deaths of "
    "the "
    "run",
    Trend::of_merge, families(Family::failure_detection)};
inline constexpr MetricSpec kFailureDetectionLatencyMean{
    "failure_detection_latency_mean_s", Merge::whole,
    "the mean time from a death to the first report of it by any process", Trend::may_fall};
inline constexpr MetricSpec kFailurePropagationLatency{
    "failure_propagation_latency_s", Merge::whole,
    "the longest time from a death until the last live rank hears of it, over the deaths of the "
    "run",
    Trend::of_merge, families(Family::failure_detection)};
inline constexpr MetricSpec kFailurePropagationLatencyMean{
    "failure_propagation_latency_mean_s", Merge::whole,
    "the mean time from a death until the last live rank hears of it", Trend::may_fall};

/// Metrics that come with the same runs.
struct Group {
  const char* runs;  ///< which runs have them: "every run"
  MetricSpecs metrics;
};

/// All of them, in the order in which `list` and the docs show them.
const std::vector<Group>& groups();

/// Returns the metric with this name in a result; null if the engine reports none. "KIND" at the
/// end of a name stands for any kind of message.
const MetricSpec* find(const std::string& name);

}  // namespace faultline::run_metrics
