// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::audit {

/// The stages of recoveries of programs of TryBlocks, in their order.
enum class RecoveryStage : std::uint8_t {
  detection,  ///< from a death, or a false report, until a rank is told of it
  notice,     ///< until a rank acts: a rank that computes, for instance, does not
  revoke,     ///< from the first rank that revokes the world until all have
  agreement,  ///< until a rank wants another world
  shrink,     ///< until a rank wants new processes
  spawn,      ///< until the new world is put together
  rebuild,    ///< until the last rank has entered the world
  restore,    ///< until the last rank has its data
  commit,     ///< until all programs go on: the ranks agree on that
  redone,     ///< until all programs are where they were
};
inline constexpr std::size_t kRecoveryStages = 10;

/// The lengths of recoveries, by stages, as an observer sees them: deaths, the ranks that are told
/// of them, and the marks of protocols and programs. Knows nothing of any protocol.
///
/// At every moment of a recovery, all ranks together are in one stage, so the stages add up to the
/// time from the first death until the end. That holds even if others die meanwhile: every death
/// begins with detection again.
class RecoveryStages {
 public:
  explicit RecoveryStages(std::uint32_t processes) : processes_(processes) {}

  /// True from a death until all programs are where they were.
  [[nodiscard]] bool is_under_way() const { return under_way_; }
  /// A rank dies, or is declared dead for the first time while it lives. `is_declared`: it dies
  /// after that, and the others go by the report already.
  void died(Rank rank, double now_s, bool is_declared = false);
  /// A rank is told of a death.
  void told(double now_s);
  /// A rank marks something. `living`: the ranks that are alive.
  void marked(Rank rank, std::string_view name, std::int64_t value, std::uint32_t living,
              double now_s);
  /// The time of a stage, over all recoveries until now. A recovery that is not over counts.
  [[nodiscard]] double time_s(RecoveryStage stage, double now_s) const;

 private:
  /// How far a rank has come in the latest world.
  enum class Progress : std::uint8_t { none, joined, entered, has_data, resumed };
  static constexpr std::size_t kProgress = 5;

  void go_to(RecoveryStage stage, double now_s);
  void advance_to(RecoveryStage stage, double now_s);
  void join(Rank rank, std::uint64_t world, double now_s);
  void progress(Rank rank, Progress to);
  void revoke(Rank rank, double now_s);
  void go_on_if_all_have(std::uint32_t living, double now_s);
  [[nodiscard]] bool waits_for_nobody() const {
    return stage_ == RecoveryStage::redone && redoing_ == 0;
  }
  [[nodiscard]] double in_stage_s(double now_s) const {
    return under_way_ && !waits_for_nobody() ? now_s - since_s_ : 0.0;
  }
  [[nodiscard]] std::uint32_t count(Progress at_least) const {
    return counts_[static_cast<std::size_t>(at_least)];
  }

  std::uint32_t processes_;
  bool under_way_ = false;
  RecoveryStage stage_ = RecoveryStage::detection;
  RecoveryStage struck_ = RecoveryStage::detection;  ///< the stage in which the last death struck
  double since_s_ = 0.0;                             ///< when this stage began
  std::array<double, kRecoveryStages> times_s_{};
  std::uint64_t world_ = 0;         ///< the latest world that a rank has joined
  std::vector<Progress> progress_;  ///< by rank; empty until a rank dies
  std::vector<bool> revokes_;       ///< by rank: it has revoked the latest world
  std::uint32_t revoking_ = 0;      ///< ranks that have revoked it
  std::vector<bool> redoes_;        ///< by rank: it repeats lost work
  std::uint32_t redoing_ = 0;       ///< ranks that repeat lost work
  /// Ranks that have come this far in the latest world, or farther.
  std::array<std::uint32_t, kProgress> counts_{};
};

}  // namespace faultline::audit
