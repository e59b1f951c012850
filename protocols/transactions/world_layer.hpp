// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocols/checkpoints/data_checkpoints.hpp"
#include "protocols/checkpoints/point_storage.hpp"
#include "protocols/transactions/asked.hpp"
#include "protocols/transactions/world_messages.hpp"
#include "sim/core/component.hpp"
#include "sim/core/seldom.hpp"
#include "sim/core/transaction_requests.hpp"
#include "sim/core/world.hpp"

namespace faultline {

/// What the protocols of transactions have in common.
struct WorldOptions {
  std::string recovery = "rebuild";
  bool protect_recovery = true;
  std::string checkpoint = "none";
  std::optional<std::uint64_t> checkpoint_iterations;
  std::optional<double> checkpoint_interval_s;
  double storage_bandwidth_Bps = 58e9;
  double node_storage_bandwidth_Bps = 1e8;
  double spawn_s = 0.0;
  std::string spawn = "spare-node";
  std::string rebuild_over = "star";
  std::uint64_t control_bytes = 32;
};

/// A layer that puts the world of a program together again after deaths.
///
/// Every message of the program carries the epoch of its sender's world. The layer discards
/// messages from an earlier epoch, and holds those from a later one.
///
/// To regroup, every rank tells the leader that it is ready. The leader is the first live rank of
/// the world, as far as the rank knows. The leader has the dead started again, and when all are
/// ready, it tells all of the new world, of the processes that were replaced in it, and of the
/// checkpoint to go on from. New processes take the ranks of the dead (`rebuild`), or the ranks
/// above the dead move down, their data with them (`merge`: the new processes are the last ranks;
/// `shrink`: nobody is replaced, and the data of the dead are lost).
///
/// A new process is ready as soon as it knows its leader. The leader introduces itself, and if it
/// dies, the new process tells all ranks that it is there. A rank that has heard of another death
/// tells the next leader, and a rank that has reached a later world tells those that are still in
/// an earlier one.
class WorldLayer : public Layer {
 public:
  void start(Context& context) override;
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) final;
  Passage on_receive(Context& context, Message& message) final;
  void on_message(Context& context, const Message& message) final;
  void on_request(Context& context, const StackRequest& request) final;
  void on_timer(Context& context, std::uint64_t key) final;
  void on_peer_failed(Context& context, Incarnation peer) final;
  void on_peer_restarted(Context& context, Incarnation peer) final;
  void on_restart_refused(Context& context, Incarnation peer) final;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  enum Kind : std::uint16_t {
    kReady,       ///< the sender waits for a new world
    kLeader,      ///< to a new process: asks it to report when it is ready
    kWorld,       ///< the new world
    kCopy,        ///< a checkpoint for the receiver to keep
    kCopyStored,  ///< the sender keeps the checkpoint
    kRestore,     ///< to a new process: its checkpoint
    kStored,      ///< the sender and all below it in the tree have stored a checkpoint
    kCommitted,   ///< all have stored it
    kOwnKinds,
  };
  enum class Phase : std::uint8_t {
    spawned,     ///< in no world yet
    regrouping,  ///< waits for a new world
    entering,    ///< learns which processes were replaced in it
    restoring,   ///< waits for its data
    committing,  ///< has its data; the protocol has still to let it go on
    resuming,    ///< the program gets its answer
    running,
  };
  enum TimerKey : std::uint64_t { kSpawnTimer, kStorageTimer, kOwnTimers };

  WorldLayer(std::shared_ptr<const WorldOptions> options, const JobShape& job, Rank self);

  // ---- the protocol's part --------------------------------------------------------------------
  /// A process of the world has died.
  virtual void on_death(Context& context, ActorId actor) = 0;
  /// A new world has been put together, and this rank knows of all replaced processes.
  virtual void on_world(Context&) {}
  /// True if the protocol has something to do in the new world before data are restored. It calls
  /// `restore_world` when that is done.
  [[nodiscard]] virtual bool restores_later() const { return false; }
  /// This rank has its data again.
  virtual void on_data(Context& context) = 0;
  virtual void on_block_request(Context& context, const StackRequest& request) = 0;
  virtual void on_own_message(Context&, const Message&) {}
  /// True if no rank can begin the next checkpoint before all have ended the last one, because they
  /// commit TryBlocks in between.
  [[nodiscard]] virtual bool commits_blocks() const { return true; }
  /// True if all will regroup although nobody is dead, and some may take no checkpoint before.
  [[nodiscard]] virtual bool is_given_up() const { return false; }
  /// True if no rank can be in an earlier world any more.
  [[nodiscard]] virtual bool all_have_entered() const { return false; }
  /// This rank has told the leader that it waits for a new world, or is the leader itself.
  virtual void on_leader_told(Context&) {}
  /// A rank waits for a new world, and this one does not.
  virtual void on_late_ready(Context&, Rank) {}
  virtual void on_own_timer(Context&, std::uint64_t /*key*/) {}
  /// True for a message that was sent before the last recovery.
  [[nodiscard]] virtual bool is_stale(const WorldEpoch& of) const { return of < epoch_; }
  /// True for a notice about a process that has been replaced in this world.
  [[nodiscard]] virtual bool is_replaced(Incarnation peer) const {
    return peer.number < incarnation_in_world(peer.actor);
  }

  void regroup(Context& context);
  /// This rank gives back the checkpoints that it keeps for others, and waits for its data.
  void restore_world(Context& context);
  /// Recovers only from the deaths that all have agreed on: the calls of an unprotected recovery,
  /// which block, know of no others.
  void leave_others_out(const std::vector<ActorId>& agreed);
  /// The program goes on, from the checkpoint of this world.
  void resume(Context& context);
  /// The program does nothing more until it enters the next world.
  void stop_program(Context& context) const;
  /// The program goes back to its last checkpoint in the same world.
  void roll_back(Context& context);
  /// Answers a QueryBlock about a TryBlock after which these ranks were reported dead.
  void answer_query(Context& context, const StackRequest& request,
                    const std::vector<Rank>& failed) const;
  /// All have agreed that this process is dead.
  void add_dead(ActorId actor);
  /// A checkpoint that is being taken ends if its keeper is dead.
  void end_lost_save(Context& context);
  /// Handles a message of the protocol for a later world in that world. Returns true if the message
  /// is one, or is void.
  bool belongs_elsewhere(const Message& message, const WorldEpoch& of);
  void tell_world(Context& context, ActorId to) const;

  [[nodiscard]] Phase phase() const { return phase_; }
  void set_phase(Phase phase) { phase_ = phase; }
  [[nodiscard]] const WorldEpoch& epoch() const { return epoch_; }
  [[nodiscard]] ActorId self() const { return self_; }
  /// The ranks of all processes; those of the first world until the process has entered another.
  [[nodiscard]] const World& world() const { return world_; }
  /// The processes with these ranks of this world, in their order.
  [[nodiscard]] std::vector<ActorId> actors_of(const std::vector<Rank>& ranks) const;
  /// The rank of this process.
  [[nodiscard]] Rank rank() const { return *world_.rank_of(self_); }
  /// Ranks of the job at the start.
  [[nodiscard]] std::uint32_t processes() const { return processes_; }
  [[nodiscard]] const WorldOptions& world_options() const { return *options_; }
  /// The dead processes of the world, ascending.
  [[nodiscard]] const std::vector<Incarnation>& dead() const { return dead_; }
  [[nodiscard]] std::uint16_t incarnation_in_world(ActorId actor) const;
  [[nodiscard]] bool is_dead(ActorId actor) const;
  /// The processes that are new in this world.
  [[nodiscard]] const std::vector<ActorId>& fresh() const { return replacements().fresh; }
  [[nodiscard]] ActorId leader() const;
  /// The ranks that have reported that they wait for a new world.
  [[nodiscard]] std::vector<Rank> waiting_ranks() const;
  void digest_state(Digest& into) const override;

 private:
  /// What a rank reports when it is ready.
  struct Ready {
    Incarnation from;
    WorldEpoch epoch;
    std::uint64_t saved = 0;
    std::uint64_t oldest = 0;
    bool is_spawned = false;
    Rank data_rank = kNobody;
    std::vector<HeldPoints> held;

    void digest(Digest& into) const {
      into.add(from, epoch, saved, oldest, is_spawned, data_rank, held);
    }
  };
  struct ReadyWords {
    WorldEpoch epoch;
    std::uint64_t saved = 0;
    std::uint64_t oldest = 0;
    std::uint32_t is_spawned = 0;
    Rank data_rank = kNobody;
  };

  /// What the leader, a new process and few others need while one world becomes the next.
  struct Regrouping {
    bool spawns = false;                 ///< the timer for new processes runs
    std::vector<Incarnation> unheeded;   ///< deaths during a recovery that is not protected
    std::optional<Incarnation> follows;  ///< a new process: its leader
    bool has_called = false;             ///< a new process: it has told all that it is there
    std::vector<Incarnation> asked;  ///< processes that this leader has asked to have started again
    std::vector<Ready> ready;        ///< other ranks, ascending
    std::vector<Message> early;      ///< of the protocol, about later worlds
    std::vector<Message> held;       ///< of the program

    [[nodiscard]] bool is_over() const {
      return !spawns && unheeded.empty() && !follows && asked.empty() && ready.empty() &&
             early.empty() && held.empty();
    }
    void digest(Digest& into) const {
      into.add(spawns, unheeded, follows, has_called, asked, ready, early, held);
    }
  };

  /// The state of checkpoints: those of this rank, and those that it keeps.
  struct Checkpoints {
    DataCheckpoints data;
    Asked request;  ///< to take the one that is being taken

    void digest(Digest& into) const { into.add(data, request); }
  };

  // Regrouping: protocols/transactions/regrouping.cpp, and entering.cpp.
  [[nodiscard]] const Replacements& replacements() const;
  [[nodiscard]] bool has_asked_for(Incarnation dead) const;
  /// The entries that were in one of the lists. Most ranks have none, and get no memory for them.
  template <class Entry>
  [[nodiscard]] std::vector<Entry> take(std::vector<Entry> Regrouping::*list) {
    Regrouping* own = regrouping_.changed();
    return own == nullptr ? std::vector<Entry>() : std::exchange(own->*list, {});
  }
  [[nodiscard]] bool shrinks() const { return options_->recovery == "shrink"; }
  [[nodiscard]] bool is_blocked() const;
  void heed(Context& context, Incarnation peer);
  void hear_as_spawned(Context& context, Incarnation peer);
  void call_all(Context& context);
  void follow(Context& context, Incarnation leader, ActorId from);
  void name_leader(Context& context, ActorId spawned) const;
  void give_up_if_world_is_lost(Context& context) const;
  [[nodiscard]] Incarnation last_to_enter(const Context& context, ActorId actor) const;
  [[nodiscard]] Ready own_ready() const;
  void send_ready(Context& context, ActorId to) const;
  void tell_leader(Context& context);
  void lead(Context& context);
  void spawn(Context& context);
  void restart(Context& context, Incarnation dead) const;
  void on_ready(Context& context, const Ready& ready);
  void try_to_put_together(Context& context);
  [[nodiscard]] bool is_dead_now(Incarnation process) const;
  [[nodiscard]] bool all_are_ready() const;
  [[nodiscard]] std::optional<std::uint64_t> common_point() const;
  [[nodiscard]] std::optional<std::uint64_t> copied_point() const;
  [[nodiscard]] World next_world() const;
  [[nodiscard]] std::optional<std::uint64_t> point_on_nodes() const;
  void put_together(Context& context, std::uint64_t point);
  [[nodiscard]] std::shared_ptr<const WorldNews> news_of_world() const;
  void send_world(Context& context, ActorId to, const std::shared_ptr<const WorldNews>& news) const;
  // Over a tree: protocols/transactions/world_tree.cpp.
  [[nodiscard]] std::uint64_t place_in_tree(ActorId actor) const;
  [[nodiscard]] ActorId actor_in_tree(std::uint64_t place) const;
  void tell_those_below(Context& context, std::uint64_t place) const;
  void take_over_from(Context& context, ActorId dead) const;
  void tell_those_behind(Context& context) const;
  void on_world_message(Context& context, const Message& message);
  void enter(Context& context, const WorldEpoch& epoch, std::shared_ptr<const WorldNews> news,
             std::uint64_t point);
  void enter_when_all_are_known(Context& context);
  void take_up_restarts(const Context& context);
  void forget_earlier_world(Context& context);
  void release_held(Context& context);
  void answer_program(Context& context, const SavedPoint& from);

  // Checkpoints: protocols/transactions/world_checkpoints.cpp.
  void save(Context& context, const StackRequest& request);
  [[nodiscard]] bool is_due(std::uint64_t iteration) const;
  [[nodiscard]] bool counts_seconds() const;
  [[nodiscard]] bool is_collective() const;
  [[nodiscard]] bool is_written() const;
  void end_save(Context& context, bool is_safe);
  void own_part_is_safe(Context& context);
  void keep_copy(Context& context, const Message& message);
  void renew_copy(Context& context);
  void restore(Context& context);
  [[nodiscard]] std::optional<SavedPoint> data() const;
  void give_back(Context& context);
  void give(Context& context, Rank data_rank, const SavedPoint& point);
  void take_back(Context& context, const Message& message);
  void take_early_data(Context& context);
  void take_data(Context& context, const Message& message);
  void settle(const SavedPoint& from);
  void forget_moved(const Context& context);
  void data_are_there(Context& context);
  void on_storage(Context& context);
  void on_stored(Context& context, std::uint64_t iteration);
  void pass_on_stored(Context& context);
  [[nodiscard]] std::uint64_t iterations_in_interval(double now_s) const;
  [[nodiscard]] std::uint32_t children() const;
  void on_committed(Context& context, std::uint64_t iteration, std::uint64_t every);
  [[nodiscard]] PointStorage places() const;
  [[nodiscard]] std::uint64_t place_of_entry(ActorId actor) const;
  void write_down(Context& context) const;
  void find_written(const Context& context, std::uint64_t latest, std::uint64_t needed);
  void read_back(Context& context);
  [[nodiscard]] double storage_s(std::uint64_t bytes) const;
  void send_copy(Context& context, const SavedPoint& point);

  std::shared_ptr<const WorldOptions> options_;
  double mtbf_s_;  ///< of the job
  std::uint32_t processes_;
  std::uint32_t processes_per_node_;
  ActorId self_;
  Rank data_rank_;           ///< whose data they are: the rank when they were taken
  Rank new_rank_ = kNobody;  ///< of a process that was spawned: in its first world
  ActorId told_ = kNobody;   ///< the leader that knows that this rank is ready
  Phase phase_ = Phase::running;
  std::uint32_t respawned_ = 0;
  std::uint32_t moved_ = 0;
  WorldEpoch epoch_;
  World world_;
  std::uint64_t point_ = 0;        ///< of this world
  std::uint64_t state_bytes_ = 0;  ///< what a checkpoint of the program holds
  std::vector<Incarnation> dead_;  ///< of this world, ascending
  std::optional<Asked> enter_request_;
  std::shared_ptr<const WorldNews> news_;  ///< of this world; none of the first
  Seldom<Regrouping> regrouping_;
  Seldom<Checkpoints> checkpoints_;
};

/// The kinds of messages that all these protocols have, followed by those of one of them.
std::vector<std::string> world_kinds(const std::vector<std::string>& own = {});
/// The metrics that all these protocols have, followed by those of one of them.
MetricSpecs world_metrics(const MetricSpecs& own = {});
/// The marks that all these protocols have, followed by those of one of them.
Marks world_marks(const Marks& own = {});

inline constexpr Mark kRegroupMark{"regroup", "a rank wants a new world: the number of its epoch"};
inline constexpr Mark kShrinkMark{
    "shrink",
    "a rank wants a smaller world: the number of its epoch; in `ulfm`, a rank begins to shrink its "
    "world: the number of that epoch"};
inline constexpr Mark kSpawnMark{
    "spawn", "the leader asks for a new process: the number of the epoch of its world"};
inline constexpr Mark kJoinMark{"join", "a rank has learned of a world: the number of its epoch"};
inline constexpr Mark kRestoreMark{
    "restore", "a rank begins to get its data back: the iteration of the checkpoint, 0: none"};
inline constexpr Mark kResumeMark{
    "resume", "a rank goes on in a world: the number of its epoch, 0: the first"};
inline constexpr Mark kSavedMark{"checkpoint",
                                 "a rank begins to save a checkpoint: its iteration, from 1"};

}  // namespace faultline
