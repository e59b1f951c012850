// SPDX-License-Identifier: Apache-2.0

// What a run reports.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/run_metrics.hpp"
#include "sim/engine/job/detection_bound.hpp"
#include "sim/engine/membership/missed_deaths.hpp"
#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

namespace {

constexpr std::size_t kWorkload = index_of(Family::workload);

void count(Metrics& metrics, const MetricSpec& metric, std::uint64_t number) {
  metrics.set(metric, static_cast<double>(number));
}

/// Does a notice, or a timer of its detector, wait for the actor's processor? Whom it would tell of
/// a death then, it has not told.
bool word_waits(const ActorState& actor) {
  if (!actor.alive || !Processors::timers_wait(actor)) return false;
  const RareState& rare = *actor.rare_state;
  return std::any_of(rare.due.begin(), rare.due.end(), [&](const Due& due) {
    const ArmedTimer* timer = due.is_of_timer() ? rare.timer(due.serial) : nullptr;
    return !due.is_of_timer() || (timer != nullptr && timer->family == Family::failure_detection);
  });
}

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
  for (const auto& [dead, components] : state_.membership.unreported())
    for (std::size_t family = 0; family < kFamilies; ++family)
      state_.tally.report(components[family].get(), family);
  for (const ActorState& actor : state_.actors)
    for (std::size_t family = 0; family < kFamilies; ++family)
      state_.tally.report(actor.component(kStack[family].family), family);
  for (const MetricTotals& reported : state_.tally.reported) reported.write_to(metrics);
  RunResult result = verdict_.result(state_.tally.reported[kWorkload], missed());
  result.metrics = std::move(metrics);
  return result;
}

/// The deaths that the failure detector has missed. A run without deaths pays nothing for that.
std::vector<audit::Violation> Runtime::missed() {
  if (broken_ || state_.truth.auditor().all_reported() || !states_bound(job_->spec)) return {};
  bool word_spreads = std::any_of(state_.actors.begin(), state_.actors.end(), word_waits);
  state_.pool.for_each_in_flight([&](const Message& message) {
    word_spreads = word_spreads || may_bring_word(*job_, message, now_s());
  });
  if (word_spreads) return {};
  const Schedule& schedule = state_.schedule;
  return missed_deaths(
      *job_, {.auditor = state_.truth.auditor(),
              .deaths = state_.membership.deaths(),
              .has_heard = [this](Rank rank, Incarnation dead) { return has_heard(rank, dead); },
              .is_known = [this](Incarnation life) { return is_known(life); },
              .now_s = now_s(),
              .nothing_is_left = schedule.foreground() == 0 && schedule.background() == 0,
              .all_wait = verdict_.all_wait()});
}

/// What waits for a processor counts as handled, and a rank that knows of a later life of a process
/// needs no report of the death before.
bool Runtime::has_heard(Rank rank, Incarnation dead) const {
  const bool is_busy =
      processors_.free_s(rank) > now_s() || Processors::timers_wait(state_.actors[rank]);
  return is_busy || reports_.has_declared(rank, dead) ||
         run_.known(rank, dead.actor).number > dead.number;
}

bool Runtime::is_known(Incarnation life) const {
  for (ActorId actor = 0; actor < run_.actor_count(); ++actor)
    if (state_.actors[actor].alive && run_.known(actor, life.actor).number >= life.number)
      return true;
  return false;
}

/// Only of runs with a layer that can send messages again, discard them or roll ranks back.
void Runtime::report_recovery_counts(Metrics& metrics) const {
  count(metrics, run_metrics::kApplicationMessagesResent,
        state_.truth.auditor().application_resent());
  count(metrics, run_metrics::kApplicationMessagesDiscarded,
        state_.truth.auditor().application_discarded());
  count(metrics, run_metrics::kApplicationMessagesRolledBack,
        state_.truth.auditor().application_rolled_back());
}

void Runtime::report_counts(Metrics& metrics) const {
  count(metrics, run_metrics::kApplicationMessages, state_.truth.auditor().application_messages());
  count(metrics, run_metrics::kApplicationBytes, state_.tally.application_bytes);
  count(metrics, run_metrics::kApplicationMessagesLost, state_.truth.auditor().application_lost());
  if (job_->spec.component(Family::message_logging).registration != nullptr ||
      job_->spec.component(Family::transactions).registration != nullptr)
    report_recovery_counts(metrics);
  if (state_.truth.blocks())
    count(metrics, run_metrics::kOrphanedDecisions, state_.truth.blocks()->orphaned_decisions());
  if (state_.truth.recovery()) report_recovery_stages(metrics);
  count(metrics, run_metrics::kIdleTransitions, state_.truth.auditor().idle_transitions());
  count(metrics, run_metrics::kBusyTransitions, state_.truth.auditor().busy_transitions());
  metrics.set(run_metrics::kEndTime, now_s());
  report_messages(metrics);
  const bool known_to_all = verdict_.all_know();
  const auto truth = state_.truth.auditor().termination_time_s();
  const double over_s = state_.truth.auditor().over_since_s();
  metrics.set(run_metrics::kTerminationTime, truth              ? truth
                                             : over_s != kNever ? std::optional(over_s)
                                                                : std::nullopt);
  metrics.set(run_metrics::kAnnounceTime,
              known_to_all ? std::optional(state_.ending.last_announcement_s()) : std::nullopt);
  metrics.set(run_metrics::kDetectionLatency,
              known_to_all && truth ? std::optional(state_.ending.last_announcement_s() - *truth)
                                    : std::nullopt);
  report_failures(metrics);
}

/// Only of programs of TryBlocks. The stages add up to the last one.
void Runtime::report_recovery_stages(Metrics& metrics) const {
  const auto time_s = [this](audit::RecoveryStage stage) {
    return state_.truth.recovery()->time_s(stage, now_s());
  };
  const std::array<std::pair<const MetricSpec*, double>, 8> stages{
      {{&run_metrics::kDetectionTime, time_s(audit::RecoveryStage::detection)},
       {&run_metrics::kRevokeTime, time_s(audit::RecoveryStage::revoke)},
       {&run_metrics::kAgreementTime, time_s(audit::RecoveryStage::notice) +
                                          time_s(audit::RecoveryStage::agreement) +
                                          time_s(audit::RecoveryStage::commit)},
       {&run_metrics::kShrinkTime, time_s(audit::RecoveryStage::shrink)},
       {&run_metrics::kSpawnTime, time_s(audit::RecoveryStage::spawn)},
       {&run_metrics::kRebuildTime, time_s(audit::RecoveryStage::rebuild)},
       {&run_metrics::kRestoreTime, time_s(audit::RecoveryStage::restore)},
       {&run_metrics::kRedoneTime, time_s(audit::RecoveryStage::redone)}}};
  double sum_s = 0.0;
  for (const auto& [metric, stage_s] : stages) {
    metrics.set(*metric, stage_s);
    sum_s += stage_s;
  }
  metrics.set(run_metrics::kRecoveryTime, sum_s);
}

/// What the protocols have sent, those of failure detection apart from the others.
void Runtime::report_messages(Metrics& metrics) const {
  KindCount control;
  std::map<std::string, std::uint64_t> control_of_kind;
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const Registration* registration = job_->spec.components[family].registration;
    if (family == kWorkload || registration == nullptr) continue;
    KindCount all;
    std::map<std::string, std::uint64_t> of_kind;
    const auto& counts = state_.tally.control[family];
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      all.messages += counts[kind].messages;
      all.bytes += counts[kind].bytes;
      if (kind < registration->message_kinds.size())
        of_kind[registration->message_kinds[kind]] += counts[kind].messages;
    }
    if (static_cast<Family>(family) == Family::failure_detection) {
      count(metrics, run_metrics::kDetectionMessages, all.messages);
      count(metrics, run_metrics::kDetectionBytes, all.bytes);
      for (const auto& [kind, messages] : of_kind)
        metrics.set_of_kind(run_metrics::kDetectionMessagesOfKind, kind,
                            static_cast<double>(messages));
      continue;
    }
    control.messages += all.messages;
    control.bytes += all.bytes;
    for (const auto& [kind, messages] : of_kind) control_of_kind[kind] += messages;
  }
  count(metrics, run_metrics::kControlMessages, control.messages);
  count(metrics, run_metrics::kControlBytes, control.bytes);
  for (const auto& [kind, messages] : control_of_kind)
    metrics.set_of_kind(run_metrics::kControlMessagesOfKind, kind, static_cast<double>(messages));
  if (job_->spec.component(Family::failure_detection).registration == nullptr) return;
  const auto per_s = [this](std::uint64_t bytes) {
    return now_s() > 0.0 ? std::optional(static_cast<double>(bytes) / now_s()) : std::nullopt;
  };
  std::uint64_t of_node = 0;
  for (NodeId node = 0; node < job_->nodes; ++node)
    of_node = std::max(of_node, state_.network.nic(node).detection_bytes);
  metrics.set(run_metrics::kBusiestNode, per_s(of_node));
  std::uint64_t of_link = 0;
  for (const std::uint64_t bytes : state_.network.detection_link_bytes())
    of_link = std::max(of_link, bytes);
  metrics.set(run_metrics::kBusiestLink, per_s(of_link));
}

/// Only of runs in which ranks can die or be declared dead.
void Runtime::report_failures(Metrics& metrics) const {
  const bool detects = job_->spec.component(Family::failure_detection).registration != nullptr;
  const bool errs = detects && !job_->detector_is_accurate;
  if (!job_->spec.has_faults() && !errs) return;
  const Strikes& strikes = state_.membership.strikes();
  const auto if_any = [&](double time_s) {
    return strikes.count > 0 ? std::optional(time_s) : std::nullopt;
  };
  count(metrics, run_metrics::kFaultsStruck, strikes.count);
  metrics.set(run_metrics::kFirstFaultTime, if_any(strikes.first_s));
  metrics.set(run_metrics::kLastFaultTime, if_any(strikes.last_s));
  count(metrics, run_metrics::kFailedRanks, job_->shape.processes - state_.roll.live());
  if (errs) count(metrics, run_metrics::kFalseReports, state_.truth.auditor().false_reports());
  if (errs && job_->fences)
    count(metrics, run_metrics::kFencedAlive, state_.membership.fences().fenced_alive());
  count(metrics, run_metrics::kFailureReports, state_.truth.auditor().reports());
  metrics.set(run_metrics::kFailureReportLatency, state_.truth.auditor().report_latency_max_s());
  if (!detects) return;
  const audit::HearingFigures heard = state_.truth.auditor().hearing(
      [this](Rank rank, Incarnation dead) { return reports_.has_declared(rank, dead); });
  count(metrics, run_metrics::kMissedReports, heard.missed);
  metrics.set(run_metrics::kFailureDetectionLatency, heard.first_max_s);
  metrics.set(run_metrics::kFailureDetectionLatencyMean, heard.first_mean_s);
  metrics.set(run_metrics::kFailurePropagationLatency, heard.last_max_s);
  metrics.set(run_metrics::kFailurePropagationLatencyMean, heard.last_mean_s);
}

}  // namespace faultline::engine
