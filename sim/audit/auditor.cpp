// SPDX-License-Identifier: Apache-2.0
#include "sim/audit/auditor.hpp"

#include <algorithm>
#include <utility>

namespace faultline::audit {

namespace {

/// The longest of some latencies, and their mean.
struct Latencies {
  std::uint64_t count = 0;
  double sum_s = 0.0;
  double longest_s = 0.0;

  void add(double latency_s) {
    ++count;
    sum_s += latency_s;
    longest_s = std::max(longest_s, latency_s);
  }
  [[nodiscard]] std::optional<double> max_s() const {
    return count > 0 ? std::optional(longest_s) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> mean_s() const {
    return count > 0 ? std::optional(sum_s / static_cast<double>(count)) : std::nullopt;
  }
};

}  // namespace

Auditor::Auditor(std::uint32_t processes)
    : processes_(processes), starting_(processes), live_(processes) {}

void Auditor::check_conserved(ActorId actor, double now_s) {
  if (conserved_ == 0 || conserved_broken_) return;
  conserved_broken_ = true;  // the first moment tells; every later event would repeat it
  violation("credit", actor,
            "credit is not conserved: " + std::to_string(conserved_) +
                (conserved_ > 0 ? " too much" : " lost"),
            now_s);
}

void Auditor::lost(std::uint64_t messages, double now_s) {
  application_lost_ += messages;
  in_flight_ -= static_cast<std::int64_t>(messages);
  if (messages > 0 && active_ == 0 && in_flight_ == 0 && starting_ == 0) over(now_s);
}

/// The cost of a death does not depend on the number of ranks: each live rank owes one more
/// declaration, and only ranks that made it too early have paid.
void Auditor::died(Incarnation dead, bool is_rank, bool was_active, double now_s,
                   Incarnation daemon) {
  if (!is_rank) return;
  if (debts_.empty()) {
    debts_.resize(processes_);
    is_live_.assign(processes_, true);
  }
  is_live_[dead.actor] = false;
  owed_ -= owed_by(debts_[dead.actor]);
  --live_;
  ++dead_now_;
  Death& death = deaths_[dead];
  death.failure = failure_of(daemon, now_s);
  ++unknown_;
  owed_ += live_;
  const auto early = falsely_reported_.find(dead);
  if (early != falsely_reported_.end() && !early->second.empty()) {
    failures_[death.failure].foretold = true;
    for (const auto& [by, restarts] : early->second)
      if (by < processes_ && is_live_[by] && restarts >= debts_[by].restarts) settle(by, death);
  }
  active_ -= static_cast<std::int64_t>(was_active);
  if (active_ == 0 && in_flight_ == 0 && starting_ == 0) over(now_s);
}

void Auditor::restarted(Incarnation actor, bool is_rank) {
  if (!is_rank) return;
  ++starting_;
  over_since_s_ = kNever;
  is_live_[actor.actor] = true;
  ++live_;
  --dead_now_;
  Incarnation before = actor;
  --before.number;
  Death& mended = deaths_.at(before);
  if (!mended.declared) --unknown_;
  mended.mended = ++restarts_;
  debts_[actor.actor] = {.exempt = deaths_.size() - dead_now_, .restarts = restarts_};
  owed_ += dead_now_;
}

/// The failure that a rank's death is part of: one of its own, or its node's.
std::size_t Auditor::failure_of(Incarnation daemon, double now_s) {
  const std::size_t next = failures_.size();
  if (daemon.actor != kNobody) {
    const auto [node, is_new] = failed_nodes_.emplace(daemon, next);
    if (!is_new) return node->second;
  }
  failures_.push_back({.time_s = now_s, .restarts = restarts_});
  return next;
}

/// A rank has declared a death. It need not have done so if the death happened and was mended
/// before the rank started.
void Auditor::settle(Rank by, Death& death) {
  if (!death.declared && death.mended == UINT64_MAX) --unknown_;
  death.declared = true;
  if (death.mended <= debts_[by].restarts) return;
  ++debts_[by].declared;
  --owed_;
}

void Auditor::announced(Rank rank, std::uint32_t phase, double now_s,
                        const std::function<bool()>& was_over) {
  if (announced_phase_ && *announced_phase_ >= phase) return;
  announced_phase_ = phase;
  if (over_since_s_ != kNever) {
    termination_time_s_ = over_since_s_;
    return;
  }
  if (was_over && was_over()) return;
  violation("premature", rank, "announced with " + what_goes_on(), now_s);
}

std::string Auditor::what_goes_on() const {
  return std::to_string(active_) + " active ranks and " + std::to_string(in_flight_) +
         " application messages in flight";
}

void Auditor::announcement_undone(std::uint32_t phase) {
  if (announced_phase_ != phase) return;
  announced_phase_ = phase > 0 ? std::optional(phase - 1) : std::nullopt;
  termination_time_s_.reset();
}

void Auditor::declared_dead(ActorId by, Incarnation peer, bool accurate, double now_s) {
  ++reports_;
  if (peer.actor >= processes_) {
    const auto node = failed_nodes_.find(peer);
    if (node != failed_nodes_.end()) reported(failures_[node->second], now_s);
    return;
  }
  const auto death = deaths_.find(peer);
  if (death != deaths_.end()) {
    heard(by, death->second, now_s);
    return;
  }
  first_false_report_s_ = std::min(first_false_report_s_, now_s);
  falsely_reported_[peer].emplace_back(by, restarts_);
  if (accurate)
    violation("false-report", by, "declared the live actor " + std::to_string(peer.actor) + " dead",
              now_s);
}

void Auditor::taken_back(ActorId by, Incarnation peer) {
  if (peer.actor >= processes_) return;
  ++taken_back_;
  std::erase_if(falsely_reported_.at(peer), [by](const auto& one) { return one.first == by; });
}

void Auditor::reported(Failure& failure, double now_s) {
  failure.first_report_s = std::min(failure.first_report_s, now_s);
  report_latency_max_s_ = std::max(report_latency_max_s_, now_s - failure.time_s);
}

void Auditor::heard(ActorId by, Death& death, double now_s) {
  Failure& failure = failures_[death.failure];
  reported(failure, now_s);
  if (by >= processes_) return;
  if (debts_[by].restarts <= failure.restarts) failure.last_heard_s = now_s;
  settle(by, death);
}

/// The live ranks that have not declared all that they owe.
std::vector<Rank> Auditor::owing() const {
  std::vector<Rank> ranks;
  if (owed_ == 0) return ranks;
  for (Rank rank = 0; rank < processes_; ++rank)
    if (is_live_[rank] && owed_by(debts_[rank]) > 0) ranks.push_back(rank);
  return ranks;
}

std::vector<UnheardDeath> Auditor::unheard(
    const std::function<bool(Rank, Incarnation)>& has_heard) const {
  std::vector<UnheardDeath> all;
  const std::vector<Rank> ranks = owing();
  for (const auto& [dead, death] : deaths_) {
    const Failure& failure = failures_[death.failure];
    UnheardDeath unheard{.dead = dead, .time_s = failure.time_s};
    for (const Rank rank : ranks) {
      if (rank == dead.actor || debts_[rank].restarts > failure.restarts || has_heard(rank, dead))
        continue;
      if (++unheard.ranks == 1) unheard.first = rank;
    }
    if (unheard.ranks > 0) all.push_back(unheard);
  }
  return all;
}

HearingFigures Auditor::hearing(const std::function<bool(Rank, Incarnation)>& has_heard) const {
  HearingFigures figures;
  std::vector<bool> is_missed(failures_.size());  // by a rank that lived at that time
  const std::vector<Rank> ranks = owing();
  for (const auto& [dead, death] : deaths_) {
    bool any = false;
    for (const Rank rank : ranks) {
      if (death.mended <= debts_[rank].restarts || has_heard(rank, dead)) continue;
      any = true;
      if (debts_[rank].restarts > failures_[death.failure].restarts) continue;
      is_missed[death.failure] = true;
      break;
    }
    if (any) ++figures.missed;
  }
  Latencies first;
  Latencies last;
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    const Failure& failure = failures_[i];
    if (failure.foretold) continue;
    if (failure.first_report_s < kNever) first.add(failure.first_report_s - failure.time_s);
    if (failure.last_heard_s > -kNever && !is_missed[i])
      last.add(failure.last_heard_s - failure.time_s);
  }
  figures.first_max_s = first.max_s();
  figures.first_mean_s = first.mean_s();
  figures.last_max_s = last.max_s();
  figures.last_mean_s = last.mean_s();
  return figures;
}

void Auditor::violation(std::string kind, std::optional<ActorId> actor, std::string detail,
                        double now_s) {
  violations_.push_back({std::move(kind), now_s, actor, std::move(detail)});
}

void Auditor::finish(std::uint64_t in_flight_found) {
  const std::uint64_t accounted = application_delivered_ + application_lost_ +
                                  application_discarded_ + application_rolled_back_ +
                                  in_flight_found;
  if (accounted == application_sent_ + application_resent_) return;
  const std::string again =
      application_resent_ > 0 ? " and " + std::to_string(application_resent_) + " sent again" : "";
  violation("message-conservation", std::nullopt,
            std::to_string(application_sent_) + " application messages were sent" + again + ", " +
                std::to_string(accounted) + " are accounted for",
            now_s_);
}

/// Adds only the debts: the actors and the network already tell how many ranks are active and how
/// many messages are in flight. A rank's debt follows from them, too, unless it has been restarted
/// or was wrong.
void Auditor::digest(Digest& into) const {
  into.add(starting_, conserved_, conserved_broken_, announced_phase_, over_since_s_ != kNever);
  into.add(deaths_.size());
  for (const auto& [dead, death] : deaths_) into.add(dead, death.declared, death.mended);
  into.add(owed_);
  if (restarts_ > 0 || !falsely_reported_.empty())
    for (const Debt& debt : debts_) into.add(owed_by(debt), debt.restarts);
  into.add(falsely_reported_.size());
  for (const auto& report : falsely_reported_) into.add(report.first);
  if (taken_back_ > 0) into.add(true);
  into.add(violations_.size());
  for (const Violation& violation : violations_) into.add(violation.kind);
}

}  // namespace faultline::audit
