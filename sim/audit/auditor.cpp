#include "sim/audit/auditor.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

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

/// A death costs time that does not depend on the number of ranks: each live rank owes one more
/// declaration, and only those who made it too early have paid.
void Auditor::died(Incarnation dead, bool is_rank, bool was_active, double now_s) {
  if (!is_rank) return;
  if (debts_.empty()) {
    debts_.resize(processes_);
    is_live_.assign(processes_, true);
  }
  is_live_[dead.actor] = false;
  owed_ -= owed_by(debts_[dead.actor]);
  --live_;
  ++dead_now_;
  const Death& death = deaths_[dead] = {.time_s = now_s};
  owed_ += live_;
  const auto early = falsely_reported_.find(dead);
  if (early != falsely_reported_.end())
    for (const auto& [by, restarts] : early->second)
      if (is_live_[by] && restarts >= debts_[by].restarts) settle(by, death);
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
  deaths_[before].mended = ++restarts_;
  debts_[actor.actor] = {.exempt = deaths_.size() - dead_now_, .restarts = restarts_};
  owed_ += dead_now_;
}

/// A rank has declared a death, unless it is one that happened and was mended before the rank
/// started.
void Auditor::settle(Rank by, const Death& death) {
  if (death.mended <= debts_[by].restarts) return;
  ++debts_[by].declared;
  --owed_;
}

void Auditor::announced(Rank rank, std::uint32_t phase, double now_s) {
  if (announced_phase_ && *announced_phase_ >= phase) return;
  announced_phase_ = phase;
  if (over_since_s_ != kNever) {
    termination_time_s_ = over_since_s_;
    return;
  }
  violation("premature", rank,
            "announced with " + std::to_string(active_) + " active ranks and " +
                std::to_string(in_flight_) + " application messages in flight",
            now_s);
}

void Auditor::announcement_undone(std::uint32_t phase) {
  if (announced_phase_ != phase) return;
  announced_phase_ = phase > 0 ? std::optional(phase - 1) : std::nullopt;
  termination_time_s_.reset();
}

void Auditor::declared_dead(ActorId by, Incarnation peer, bool accurate, double now_s) {
  ++reports_;
  const auto death = deaths_.find(peer);
  if (death != deaths_.end()) {
    report_latency_max_s_ = std::max(report_latency_max_s_, now_s - death->second.time_s);
    if (by < processes_) {
      death->second.declared = true;
      settle(by, death->second);
    }
    return;
  }
  if (peer.actor >= processes_) return;
  first_false_report_s_ = std::min(first_false_report_s_, now_s);
  auto& declared_by = falsely_reported_[peer];
  if (by < processes_) declared_by.emplace_back(by, restarts_);
  if (accurate)
    violation("false-report", by, "declared the live actor " + std::to_string(peer.actor) + " dead",
              now_s);
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

}  // namespace faultline
