// SPDX-License-Identifier: Apache-2.0

// What a run reports.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

namespace {

constexpr std::size_t kWorkload = index_of(Family::workload);

}  // namespace

RunResult Runtime::result() {
  std::uint64_t in_flight = 0;
  for (const ActorState& actor : state_.actors)
    in_flight += static_cast<std::uint64_t>(std::max(std::int64_t{0}, actor.held()));
  state_.pool.for_each_in_flight([&](const Message& message) {
    if (message.channel == Family::workload && (message.flags & kLost) == 0) ++in_flight;
  });
  if (!broken_)
    state_.truth.auditor().finish(in_flight);  // a turn that broke off has messages nowhere

  Metrics metrics;
  report_counts(metrics);
  for (const auto& [dead, components] : state_.membership.unreported)
    for (std::size_t family = 0; family < kFamilies; ++family)
      state_.tally.report(components[family].get(), family);
  for (const ActorState& actor : state_.actors)
    for (std::size_t family = 0; family < kFamilies; ++family)
      state_.tally.report(actor.component(kStack[family].family), family);
  for (const MetricTotals& reported : state_.tally.reported) reported.write_to(metrics);
  RunResult result = verdict_.result(state_.tally.reported[kWorkload]);
  result.metrics = std::move(metrics);
  return result;
}

/// Only of runs with a layer that can send messages again, discard them or roll ranks back.
void Runtime::report_recovery_counts(Metrics& metrics) const {
  const auto set = [&metrics](const char* name, std::uint64_t count) {
    metrics.set(name, static_cast<double>(count));
  };
  set("application_messages_resent", state_.truth.auditor().application_resent());
  set("application_messages_discarded", state_.truth.auditor().application_discarded());
  set("application_messages_rolled_back", state_.truth.auditor().application_rolled_back());
}

void Runtime::report_counts(Metrics& metrics) const {
  metrics.set("application_messages",
              static_cast<double>(state_.truth.auditor().application_messages()));
  metrics.set("application_bytes", static_cast<double>(state_.tally.application_bytes));
  metrics.set("application_messages_lost",
              static_cast<double>(state_.truth.auditor().application_lost()));
  if (job_->spec.component(Family::message_logging).registration != nullptr ||
      job_->spec.component(Family::transactions).registration != nullptr)
    report_recovery_counts(metrics);
  if (state_.truth.blocks())
    metrics.set("orphaned_decisions",
                static_cast<double>(state_.truth.blocks()->orphaned_decisions()));
  if (state_.truth.recovery()) report_recovery_stages(metrics);
  metrics.set("idle_transitions", static_cast<double>(state_.truth.auditor().idle_transitions()));
  metrics.set("busy_transitions", static_cast<double>(state_.truth.auditor().busy_transitions()));
  metrics.set("end_time_s", now_s());
  report_messages(metrics);
  const bool known_to_all = verdict_.all_know();
  const auto truth = state_.truth.auditor().termination_time_s();
  const double over_s = state_.truth.auditor().over_since_s();
  metrics.set("termination_time_s", truth              ? truth
                                    : over_s != kNever ? std::optional(over_s)
                                                       : std::nullopt);
  metrics.set("announce_time_s",
              known_to_all ? std::optional(state_.ending.last_announcement_s()) : std::nullopt);
  metrics.set("detection_latency_s",
              known_to_all && truth ? std::optional(state_.ending.last_announcement_s() - *truth)
                                    : std::nullopt);
  report_failures(metrics);
}

/// Only of programs of TryBlocks. The stages add up to the last one.
void Runtime::report_recovery_stages(Metrics& metrics) const {
  const auto time_s = [this](RecoveryStage stage) {
    return state_.truth.recovery()->time_s(stage, now_s());
  };
  const std::array<std::pair<const char*, double>, 8> stages{
      {{"detection_time_s", time_s(RecoveryStage::detection)},
       {"revoke_time_s", time_s(RecoveryStage::revoke)},
       {"agreement_time_s", time_s(RecoveryStage::notice) + time_s(RecoveryStage::agreement) +
                                time_s(RecoveryStage::commit)},
       {"shrink_time_s", time_s(RecoveryStage::shrink)},
       {"spawn_time_s", time_s(RecoveryStage::spawn)},
       {"rebuild_time_s", time_s(RecoveryStage::rebuild)},
       {"restore_time_s", time_s(RecoveryStage::restore)},
       {"redone_time_s", time_s(RecoveryStage::redone)}}};
  double sum_s = 0.0;
  for (const auto& [name, stage_s] : stages) {
    metrics.set(name, stage_s);
    sum_s += stage_s;
  }
  metrics.set("recovery_time_s", sum_s);
}

/// What the protocols have sent. Kinds of the same name count together, but for those of failure
/// detection, which counts apart.
void Runtime::report_messages(Metrics& metrics) const {
  std::map<std::string, std::uint64_t> totals{{"control_messages", 0}, {"control_bytes", 0}};
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const Registration* registration = job_->spec.components[family].registration;
    if (family == kWorkload || registration == nullptr) continue;
    const bool detects = static_cast<Family>(family) == Family::failure_detection;
    const std::string sender = detects ? "detection" : "control";
    std::uint64_t& messages = totals[sender + "_messages"];
    std::uint64_t& bytes = totals[sender + "_bytes"];
    const auto& counts = state_.tally.control[family];
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      messages += counts[kind].messages;
      bytes += counts[kind].bytes;
      if (kind < registration->message_kinds.size())
        totals[sender + "_messages." + registration->message_kinds[kind]] += counts[kind].messages;
    }
  }
  for (const auto& [name, total] : totals) metrics.set(name, static_cast<double>(total));
  if (job_->spec.component(Family::failure_detection).registration == nullptr) return;
  const auto per_s = [this](std::uint64_t bytes) {
    return now_s() > 0.0 ? std::optional(static_cast<double>(bytes) / now_s()) : std::nullopt;
  };
  std::uint64_t of_node = 0;
  for (const Nic& nic : state_.network.nics) of_node = std::max(of_node, nic.detection_bytes);
  metrics.set("detection_busiest_node_Bps", per_s(of_node));
  std::uint64_t of_link = 0;
  for (const std::uint64_t bytes : state_.network.detection_link_bytes)
    of_link = std::max(of_link, bytes);
  metrics.set("detection_busiest_link_Bps", per_s(of_link));
}

/// Only of runs in which ranks can die or be declared dead.
void Runtime::report_failures(Metrics& metrics) const {
  const bool detects = job_->spec.component(Family::failure_detection).registration != nullptr;
  const bool errs = detects && !job_->detector_is_accurate;
  if (!job_->spec.has_faults() && !errs) return;
  const bool struck = state_.membership.faults_struck > 0;
  metrics.set("faults_struck", static_cast<double>(state_.membership.faults_struck));
  metrics.set("first_fault_time_s",
              struck ? std::optional(state_.membership.first_fault_s) : std::nullopt);
  metrics.set("last_fault_time_s",
              struck ? std::optional(state_.membership.last_fault_s) : std::nullopt);
  metrics.set("failed_ranks", static_cast<double>(job_->shape.processes - state_.roll.live));
  if (errs)
    metrics.set("false_reports", static_cast<double>(state_.truth.auditor().false_reports()));
  metrics.set("failure_reports", static_cast<double>(state_.truth.auditor().reports()));
  metrics.set("failure_report_latency_max_s", state_.truth.auditor().report_latency_max_s());
  if (!detects) return;
  const HearingFigures heard = state_.truth.auditor().hearing(
      [this](Rank rank, Incarnation dead) { return reports_.has_declared(rank, dead); });
  metrics.set("missed_reports", static_cast<double>(heard.missed));
  metrics.set("failure_detection_latency_s", heard.first_max_s);
  metrics.set("failure_detection_latency_mean_s", heard.first_mean_s);
  metrics.set("failure_propagation_latency_s", heard.last_max_s);
  metrics.set("failure_propagation_latency_mean_s", heard.last_mean_s);
}

}  // namespace faultline::engine
