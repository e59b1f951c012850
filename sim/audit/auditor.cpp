#include "sim/audit/auditor.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

Auditor::Auditor(std::uint32_t processes) : processes_(processes), starting_(processes) {}

void Auditor::check_conserved(ActorId actor, double now_s) {
  if (conserved_ == 0 || conserved_broken_) return;
  conserved_broken_ = true;  // the first moment tells; every later event would repeat it
  violation("credit", actor,
            "credit is not conserved: " + std::to_string(conserved_) +
                (conserved_ > 0 ? " too much" : " lost"),
            now_s);
}

void Auditor::lost(std::uint64_t messages) {
  application_lost_ += messages;
  in_flight_ -= static_cast<std::int64_t>(messages);
}

void Auditor::died(ActorId actor, bool is_rank, bool was_active, double now_s) {
  dead_.emplace(actor, now_s);
  if (!is_rank) return;
  declared_by_.emplace(actor, std::vector<bool>(processes_, false));
  active_ -= static_cast<std::int64_t>(was_active);
  if (active_ == 0 && in_flight_ == 0 && starting_ == 0) over(now_s);
}

void Auditor::restarted(ActorId actor, bool is_rank) {
  dead_.erase(actor);
  declared_by_.erase(actor);
  if (is_rank) ++starting_;
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

void Auditor::declared_dead(ActorId by, ActorId peer, double now_s) {
  ++reports_;
  const auto death = dead_.find(peer);
  if (death == dead_.end()) {
    violation("false-report", by, "declared the live actor " + std::to_string(peer) + " dead",
              now_s);
    return;
  }
  report_latency_max_s_ = std::max(report_latency_max_s_, now_s - death->second);
  const auto declared = declared_by_.find(peer);
  if (declared != declared_by_.end() && by < processes_) declared->second[by] = true;
}

bool Auditor::all_reported() const {
  return std::all_of(declared_by_.begin(), declared_by_.end(), [this](const auto& entry) {
    for (Rank rank = 0; rank < processes_; ++rank)
      if (!entry.second[rank] && !dead_.contains(rank)) return false;
    return true;
  });
}

void Auditor::violation(std::string kind, std::optional<ActorId> actor, std::string detail,
                        double now_s) {
  violations_.push_back({std::move(kind), now_s, actor, std::move(detail)});
}

void Auditor::finish(std::uint64_t in_flight_found) {
  const std::uint64_t accounted = application_delivered_ + application_lost_ + in_flight_found;
  if (accounted == application_sent_) return;
  violation("message-conservation", std::nullopt,
            std::to_string(application_sent_) + " application messages were sent, " +
                std::to_string(accounted) + " are accounted for",
            now_s_);
}

}  // namespace faultline
