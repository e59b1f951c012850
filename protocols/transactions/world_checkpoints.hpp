// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "protocols/checkpoints/data_checkpoints.hpp"
#include "protocols/checkpoints/point_storage.hpp"
#include "protocols/transactions/asked.hpp"
#include "protocols/transactions/roll_call.hpp"
#include "protocols/transactions/world_members.hpp"
#include "protocols/transactions/world_options.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/recovery_context.hpp"
#include "sim/core/seldom.hpp"

namespace faultline::transactions {

/// The checkpoints of a world at one of its ranks: when the program takes one, where it is kept,
/// and how the rank gets its data back in the next world. It keeps copies for partners, too.
class WorldCheckpoints {
 public:
  /// `commits_blocks`: no rank can begin the next checkpoint before all have ended the last one,
  /// because they commit TryBlocks in between. `options` must outlive it.
  WorldCheckpoints(const WorldOptions& options, const JobShape& job, Rank self,
                   bool commits_blocks);

  // ---- a process and its worlds ---------------------------------------------------------------
  /// This process takes the place of a dead one, and has no data but what it finds on its node.
  void begin_life(const RecoveryContext& context, const WorldMembers& members);
  /// The world is entered that goes on from that checkpoint. `is_new`: by a process that was in no
  /// world before.
  void enter(std::uint64_t point, std::uint64_t every, bool is_new);
  /// A world is lost: the checkpoint that is being taken is, too.
  void give_up();
  /// The checkpoint that this world goes on from, by its iteration.
  [[nodiscard]] std::uint64_t point() const { return point_; }
  /// Iterations from one checkpoint to the next, where seconds are counted.
  [[nodiscard]] std::uint64_t every() const { return own_->data.every(); }

  // ---- to take one ----------------------------------------------------------------------------
  /// The program says how much a checkpoint of it holds.
  void set_state_bytes(std::uint64_t bytes) { state_bytes_ = bytes; }
  /// The program begins to work for the next one.
  void begin_work(double now_s);
  /// The program can be saved. It gets its answer at once if no checkpoint is due, or none
  /// `is_possible`.
  void save(RecoveryContext& context, const StackRequest& request, const WorldMembers& members,
            bool is_possible);
  /// True if a checkpoint ends when all ranks have theirs, and not at each rank by itself.
  [[nodiscard]] bool is_collective() const;
  /// Ends a checkpoint that will never be complete, as far as this rank knows. `is_broken`: ranks
  /// of the world are dead, or all will regroup anyway.
  void end_lost(RecoveryContext& context, const WorldMembers& members, bool is_broken);
  /// The time to write has passed.
  void on_written(RecoveryContext& context, const WorldMembers& members);
  /// `copy`: keeps a checkpoint for its sender.
  void keep_copy(RecoveryContext& context, const Message& message, const WorldMembers& members);
  /// `copy_stored`, which may be of an earlier world.
  void on_copy_stored(RecoveryContext& context, const Message& message,
                      const WorldMembers& members);
  /// `stored` of a child, or `committed` of the parent, in the tree of this world.
  void on_step(RecoveryContext& context, const Message& message, const WorldMembers& members);
  /// The process that has kept this rank's checkpoint may have died and lost it.
  void renew_copy(RecoveryContext& context, const WorldMembers& members);

  // ---- to go on from one ----------------------------------------------------------------------
  /// Reports which checkpoints this rank has, and keeps for others.
  void report_to(Ready& ready) const;
  /// The latest checkpoint that all have; nothing if one rank's is lost. `own`: see report_to.
  [[nodiscard]] std::optional<std::uint64_t> common_point(const Ready& own, const RollCall& others,
                                                          const WorldMembers& members) const;
  /// Sends data to the processes that have got their rank: what they lack, from those that have it.
  void give_back(RecoveryContext& context, const WorldMembers& members);
  /// Begins to get this rank's data. True if they are there.
  bool fetch(RecoveryContext& context, const WorldMembers& members);
  /// `restore`: the data of this rank.
  void take_data(RecoveryContext& context, const Message& message, const WorldMembers& members);
  /// The time to read has passed.
  void read_back(const RecoveryContext& context, const WorldMembers& members);
  /// The world stands. From now on, each process has the data of its rank, and nobody else's.
  /// Returns what the program goes on from.
  checkpoints::SavedPoint settle(const WorldMembers& members);
  /// The newest checkpoint of this rank, or the beginning of the program.
  [[nodiscard]] checkpoints::SavedPoint newest() const;

  // ---- seen from outside ----------------------------------------------------------------------
  [[nodiscard]] const std::optional<checkpoints::SavedPoint>& taking() const {
    return own_->data.taking();
  }
  void report(MetricTotals& totals) const;
  void digest(Digest& into) const { into.add(point_, data_rank_, own_); }

 private:
  /// Those of this rank, and those that it keeps.
  struct Own {
    checkpoints::DataCheckpoints data;
    Asked request;  ///< to take the one that is being taken

    void digest(Digest& into) const { into.add(data, request); }
  };

  [[nodiscard]] bool is_due(std::uint64_t iteration) const;
  [[nodiscard]] bool counts_seconds() const;
  [[nodiscard]] bool is_written() const;
  [[nodiscard]] bool shrinks() const { return options_->recovery == "shrink"; }
  void end(RecoveryContext& context, bool is_safe);
  void own_part_is_safe(RecoveryContext& context, const WorldMembers& members);
  void pass_on_stored(RecoveryContext& context, const WorldMembers& members);
  void on_committed(RecoveryContext& context, std::uint64_t iteration, std::uint64_t every,
                    const WorldMembers& members);
  [[nodiscard]] std::uint64_t iterations_in_interval(double now_s) const;
  void send_copy(RecoveryContext& context, const checkpoints::SavedPoint& point,
                 const WorldMembers& members);
  void forget_moved(const RecoveryContext& context);
  [[nodiscard]] double storage_s(std::uint64_t bytes, const WorldMembers& members) const;
  [[nodiscard]] checkpoints::PointStorage places(const WorldMembers& members) const;
  void find_written(const RecoveryContext& context, std::uint64_t latest, std::uint64_t needed,
                    const WorldMembers& members);
  void give(RecoveryContext& context, Rank data_rank, const checkpoints::SavedPoint& point,
            const WorldMembers& members);
  [[nodiscard]] std::optional<checkpoints::SavedPoint> data(const WorldMembers& members) const;

  const WorldOptions* options_;
  double mtbf_s_;  ///< of the job
  std::uint32_t processes_per_node_;
  bool commits_blocks_;
  Rank data_rank_;  ///< whose data they are: the rank when they were taken
  std::uint32_t moved_ = 0;
  std::uint64_t point_ = 0;
  std::uint64_t state_bytes_ = 0;  ///< what a checkpoint of the program holds
  Seldom<Own> own_;
};

inline constexpr MetricSpec kSaveTime{"checkpoint_time_s", Merge::mean,
                                      "time for which a checkpoint keeps a program waiting"};
inline constexpr MetricSpec kMoved{"ranks_moved", Merge::sum,
                                   "survivors that have another rank after a recovery"};
inline constexpr Mark kRestoreMark{
    "restore", "a rank begins to get its data back: the iteration of the checkpoint, 0: none"};
inline constexpr Mark kSavedMark{"checkpoint",
                                 "a rank begins to save a checkpoint: its iteration, from 1"};

}  // namespace faultline::transactions
