// SPDX-License-Identifier: Apache-2.0
#include "sim/audit/recovery_stages.hpp"

#include <algorithm>

namespace faultline::audit {

namespace {

constexpr std::size_t index_of(RecoveryStage stage) { return static_cast<std::size_t>(stage); }

/// Sets a flag of a rank, and updates the count of ranks with that flag.
void set(std::vector<bool>& of_ranks, Rank rank, bool holds, std::uint32_t& count) {
  if (of_ranks[rank] == holds) return;
  of_ranks[rank] = holds;
  holds ? ++count : --count;
}

}  // namespace

void RecoveryStages::go_to(RecoveryStage stage, double now_s) {
  times_s_[index_of(stage_)] += in_stage_s(now_s);
  stage_ = stage;
  since_s_ = now_s;
}

/// A late mark of a rank leads back to no earlier stage.
void RecoveryStages::advance_to(RecoveryStage stage, double now_s) {
  if (stage > stage_ && stage_ > RecoveryStage::detection) go_to(stage, now_s);
}

void RecoveryStages::died(Rank rank, double now_s, bool is_declared) {
  if (progress_.empty()) {
    progress_.assign(processes_, Progress::none);
    revokes_.assign(processes_, false);
    redoes_.assign(processes_, false);
  }
  progress(rank, Progress::none);
  set(revokes_, rank, false, revoking_);
  set(redoes_, rank, false, redoing_);
  if (is_declared) return;
  if (stage_ != RecoveryStage::detection) struck_ = stage_;
  go_to(RecoveryStage::detection, now_s);
  under_way_ = true;
}

/// A rank that waits for a new world goes on waiting. All others notice the death at some time.
void RecoveryStages::told(double now_s) {
  if (!under_way_ || stage_ != RecoveryStage::detection) return;
  const bool waits = struck_ == RecoveryStage::shrink || struck_ == RecoveryStage::spawn;
  go_to(waits ? struck_ : RecoveryStage::notice, now_s);
  struck_ = RecoveryStage::detection;
}

void RecoveryStages::marked(Rank rank, std::string_view name, std::int64_t value,
                            std::uint32_t living, double now_s) {
  if (name == "redo" || name == "redone") {
    if (stage_ == RecoveryStage::redone) go_to(RecoveryStage::redone, now_s);
    set(redoes_, rank, name == "redo", redoing_);
  }
  if (name == "revoke")
    revoke(rank, now_s);
  else if (name == "contributed" && value > 0 && stage_ != RecoveryStage::revoke)
    advance_to(RecoveryStage::agreement, now_s);
  else if (name == "shrink")
    advance_to(RecoveryStage::shrink, now_s);
  else if (name == "regroup" || name == "spawn")
    advance_to(RecoveryStage::spawn, now_s);
  else if (name == "join")
    join(rank, static_cast<std::uint64_t>(value), now_s);
  else if (name == "restore")
    progress(rank, Progress::entered);
  else if (name == "contributed" && progress_[rank] == Progress::entered)
    progress(rank, Progress::has_data);
  else if (name == "resume")
    progress(rank, Progress::resumed);
  go_on_if_all_have(living, now_s);
}

void RecoveryStages::join(Rank rank, std::uint64_t world, double now_s) {
  if (world > world_) {
    world_ = world;
    std::fill(progress_.begin(), progress_.end(), Progress::none);
    counts_.fill(0);
    revokes_.assign(processes_, false);
    revoking_ = 0;
  }
  if (world < world_) return;
  progress(rank, Progress::joined);
  advance_to(RecoveryStage::rebuild, now_s);
}

void RecoveryStages::progress(Rank rank, Progress to) {
  const auto count_up_to = [this](Progress last, std::uint32_t change) {
    for (std::size_t at = 1; at <= static_cast<std::size_t>(last); ++at) counts_[at] += change;
  };
  count_up_to(progress_[rank], ~std::uint32_t{0});  // one rank less
  progress_[rank] = to;
  count_up_to(to, 1);
}

void RecoveryStages::revoke(Rank rank, double now_s) {
  set(revokes_, rank, true, revoking_);
  advance_to(RecoveryStage::revoke, now_s);
}

/// When the last program goes on, it does not mark at the same moment that it repeats lost work. So
/// a recovery is over only when something else is marked later.
void RecoveryStages::go_on_if_all_have(std::uint32_t living, double now_s) {
  if (stage_ == RecoveryStage::revoke && revoking_ == living)
    go_to(RecoveryStage::agreement, now_s);
  if (stage_ == RecoveryStage::rebuild && count(Progress::entered) == living)
    go_to(RecoveryStage::restore, now_s);
  if (stage_ == RecoveryStage::restore && count(Progress::has_data) == living)
    go_to(RecoveryStage::commit, now_s);
  if (stage_ >= RecoveryStage::rebuild && stage_ < RecoveryStage::redone &&
      count(Progress::resumed) == living)
    go_to(RecoveryStage::redone, now_s);
  if (waits_for_nobody() && now_s > since_s_) under_way_ = false;
}

double RecoveryStages::time_s(RecoveryStage stage, double now_s) const {
  return times_s_[index_of(stage)] + (stage == stage_ ? in_stage_s(now_s) : 0.0);
}

}  // namespace faultline::audit
