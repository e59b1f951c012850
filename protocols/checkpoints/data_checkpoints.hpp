// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/checkpoints/checkpoint_times.hpp"
#include "protocols/checkpoints/gathering.hpp"
#include "protocols/checkpoints/saved_points.hpp"
#include "protocols/checkpoints/sorted_table.hpp"
#include "sim/core/digest.hpp"

namespace faultline::checkpoints {

/// The checkpoints of the data of one rank, and those that it keeps for others: which it has, which
/// one it is taking, and when that is complete. A checkpoint is complete when it is safe here, or,
/// where all ranks take it together, when each has said so up a tree. The protocol
/// decides when to take one, and what to do with it after a death.
class DataCheckpoints {
 public:
  // ---- to take one ----------------------------------------------------------------------------
  void begin(const SavedPoint& point, double now_s);
  /// The checkpoint that is being taken.
  [[nodiscard]] const std::optional<SavedPoint>& taking() const { return taking_; }
  [[nodiscard]] bool is_taking(std::uint64_t iteration) const {
    return taking_ && taking_->iteration == iteration;
  }
  /// It is safe as far as this rank is concerned. True if all below it in a tree have said so, too.
  bool own_is_safe(std::uint32_t children);
  /// All below a child have stored that checkpoint, which may be a later one. The same then.
  bool child_is_safe(std::uint64_t iteration, std::uint32_t children);
  /// It is complete, or will never be. Returns it.
  SavedPoint end(bool is_complete, double now_s);
  /// It is given up with its world.
  void give_up() { taking_.reset(); }
  /// What belongs to an earlier world is void.
  void forget_unfinished();

  // ---- how often ------------------------------------------------------------------------------
  /// Iterations from one checkpoint to the next, where seconds are counted.
  [[nodiscard]] std::uint64_t every() const { return every_; }
  void set_every(std::uint64_t iterations) { every_ = iterations; }
  /// Since when the program has worked for the next one.
  void begin_work(double now_s) { work_begin_s_ = now_s; }
  /// How long it has taken until now to take this one.
  [[nodiscard]] double taken_s(double now_s) const { return now_s - times_.begin_s(); }
  /// How many iterations fit into an interval: as long as they have taken since the last
  /// checkpoint.
  [[nodiscard]] std::uint64_t iterations_in(double interval_s) const;

  // ---- what there is --------------------------------------------------------------------------
  [[nodiscard]] const SavedPoints& saved() const { return saved_; }
  [[nodiscard]] SavedPoints& saved() { return saved_; }
  /// The data of this process's rank, if those are others.
  std::optional<SavedPoint> came;
  RankTable<KeptPoints> kept;
  Incarnation kept_by;  ///< it keeps the newest checkpoint

  /// Keeps a checkpoint of a client. What it had saved later is void. `needed`: SavedPoints::add.
  void keep(Rank rank, Incarnation client, const SavedPoint& point, std::uint64_t needed);
  /// All go on from that checkpoint.
  void go_back_to(std::uint64_t iteration);

  void report(const MetricSpec& mean_time, MetricTotals& totals) const {
    times_.report(mean_time, totals);
  }
  void digest(Digest& into) const {
    into.add(saved_, came, kept, taking_, kept_by, every_, stored_, stored_early_);
  }

 private:
  SavedPoints saved_;
  std::optional<SavedPoint> taking_;
  Gathering stored_;
  std::vector<std::uint64_t> stored_early_;  ///< by children, of later ones
  std::uint64_t every_ = 1;
  double work_begin_s_ = 0.0;
  CheckpointTimes times_;
};

}  // namespace faultline::checkpoints
