// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocols/transactions/asked.hpp"
#include "protocols/transactions/epoch_gate.hpp"
#include "protocols/transactions/roll_call.hpp"
#include "protocols/transactions/world_checkpoints.hpp"
#include "protocols/transactions/world_crier.hpp"
#include "protocols/transactions/world_members.hpp"
#include "sim/core/component.hpp"
#include "sim/core/seldom.hpp"

namespace faultline::transactions {

enum class WorldPhase : std::uint8_t {
  spawned,     ///< in no world yet
  regrouping,  ///< waits for a new world
  entering,    ///< learns which processes were replaced in it
  restoring,   ///< waits for its data
  committing,  ///< the protocol has still to have data restored, or to let the program go on
  resuming,    ///< the program gets its answer
  running,
};

/// What a protocol of transactions does at the steps of its world (RecoveredWorld).
class WorldSteps {
 public:
  /// A process of the world has died.
  virtual void on_death(RecoveryContext& context, ActorId dead) = 0;
  /// This rank has entered a new world, and knows of all replaced processes. The protocol has data
  /// given back (RecoveredWorld::give_back), and waits for its own (RecoveredWorld::restore), now
  /// or later.
  virtual void on_world(RecoveryContext& context) = 0;
  /// This rank has its data again. The protocol lets the program go on (RecoveredWorld::resume),
  /// now or later.
  virtual void on_data(RecoveryContext& context) = 0;
  /// A message of the protocol that came before its world.
  virtual void on_message(RecoveryContext& context, const Message& message) = 0;
  /// This rank has told the leader that it waits for a new world, or is the leader itself.
  virtual void on_leader_told(RecoveryContext&) {}
  /// A rank waits for a new world, and this one does not.
  virtual void on_late_ready(RecoveryContext&, ActorId) {}
  /// True if no rank can be in an earlier world any more.
  [[nodiscard]] virtual bool all_have_entered() const { return false; }
  /// True if all will regroup although nobody is dead, and some may take no checkpoint before.
  [[nodiscard]] virtual bool is_given_up() const { return false; }

 protected:
  ~WorldSteps() = default;
};

/// The world of a program, which is put together again after deaths. The protocol holds it, hands
/// its handlers' events over, and is told of the steps in which it has a part (WorldSteps).
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
class RecoveredWorld {
 public:
  /// `options` must outlive it. `commits_blocks`: see WorldCheckpoints.
  RecoveredWorld(const WorldOptions& options, const JobShape& job, Rank self, bool commits_blocks)
      : options_(&options),
        members_(job.processes, self),
        checkpoints_(options, job, self, commits_blocks) {}

  // ---- handlers of the layer ------------------------------------------------------------------
  void start(RecoveryContext& context);
  void on_sends(RecoveryContext& context, std::span<Message* const> batch) const {
    EpochGate::on_sends(context, batch, members_.epoch());
  }
  Passage on_receive(RecoveryContext& context, Message& message) {
    return gate_.on_receive(context, message, members_.epoch(), phase_ == WorldPhase::running,
                            phase_ != WorldPhase::spawned);
  }
  /// Takes a message of a kind below WorldMessage::kinds; the others are the protocol's own.
  void on_message(RecoveryContext& context, const Message& message, WorldSteps& steps);
  /// False for a request that is the protocol's own.
  bool on_request(RecoveryContext& context, const StackRequest& request, WorldSteps& steps);
  /// False for a timer that is the protocol's own.
  bool on_timer(RecoveryContext& context, std::uint64_t key, WorldSteps& steps);
  void on_peer_failed(RecoveryContext& context, Incarnation peer, WorldSteps& steps);
  void on_peer_restarted(RecoveryContext& context, Incarnation peer, WorldSteps& steps);
  void on_restart_refused(RecoveryContext& context, Incarnation peer) const;

  // ---- asked for by the protocol --------------------------------------------------------------
  /// This rank wants another world.
  void regroup(RecoveryContext& context, WorldSteps& steps);
  /// The job has come to its end: this rank wants no other world any more.
  void end_regrouping() { phase_ = WorldPhase::running; }
  /// This rank gives back the data that others lack in the new world.
  void give_back(RecoveryContext& context);
  /// It waits for its own data.
  void restore(RecoveryContext& context, WorldSteps& steps);
  /// It no longer waits for them, because of a death. False if it did not.
  bool give_up_data();
  /// Recovers only from the deaths that all have agreed on: the calls of an unprotected recovery,
  /// which block, know of no others.
  void leave_others_out(const std::vector<Rank>& agreed);
  /// All have agreed that the processes with these ranks are dead.
  void add_dead(const std::vector<Rank>& agreed);
  /// A checkpoint that is being taken ends if it will never be complete.
  void end_lost_save(RecoveryContext& context, const WorldSteps& steps);
  /// The program goes on, from the checkpoint of this world.
  void resume(RecoveryContext& context, WorldSteps& steps);
  /// The program does nothing more until it enters the next world.
  void stop_program(RecoveryContext& context) const;
  /// The program goes back to its last checkpoint in the same world.
  void roll_back(RecoveryContext& context) { answer_program(context, checkpoints_.newest()); }
  /// Keeps a message of the protocol for a later world until that is entered. Returns true if the
  /// message is one, or is void.
  bool belongs_elsewhere(const Message& message, const WorldEpoch& of);

  // ---- how it stands --------------------------------------------------------------------------
  [[nodiscard]] WorldPhase phase() const { return phase_; }
  [[nodiscard]] const WorldMembers& members() const { return members_; }
  /// The ranks that have reported that they wait for a new world.
  [[nodiscard]] const RollCall& waiting_ranks() const { return regrouping_->ready; }
  /// Size of a control message.
  [[nodiscard]] std::uint64_t control_bytes() const { return options_->control_bytes; }

  // ---- seen from outside ----------------------------------------------------------------------
  void report(MetricTotals& totals) const;
  [[nodiscard]] std::string waiting_for() const;
  void digest(Digest& into) const {
    into.add(phase_, members_, regrouping_, gate_, enter_request_, told_, checkpoints_);
  }

 private:
  /// What the leader, a new process and few others need while one world becomes the next.
  struct Regrouping {
    bool spawns = false;                 ///< the timer for new processes runs
    std::vector<Incarnation> unheeded;   ///< deaths during a recovery that is not protected
    std::optional<Incarnation> follows;  ///< a new process: its leader
    bool has_called = false;             ///< a new process: it has told all that it is there
    std::vector<Incarnation> asked;  ///< processes that this leader has asked to have started again
    RollCall ready;
    std::vector<Message> early;  ///< of the protocol, about later worlds

    [[nodiscard]] bool is_over() const {
      return !spawns && unheeded.empty() && !follows && asked.empty() && ready.empty() &&
             early.empty();
    }
    void digest(Digest& into) const {
      into.add(spawns, unheeded, follows, has_called, asked, ready, early);
    }
  };

  void answer_program(RecoveryContext& context, const checkpoints::SavedPoint& from);
  [[nodiscard]] bool shrinks() const { return options_->recovery == "shrink"; }
  [[nodiscard]] bool leads() const {
    return phase_ == WorldPhase::regrouping && members_.leader() == members_.self() &&
           !members_.is_dead(members_.self());
  }
  [[nodiscard]] bool is_broken(const WorldSteps& steps) const {
    return !members_.dead().empty() || steps.is_given_up();
  }
  /// Takes what was in one of the lists. Most ranks have none, and get no memory for them.
  template <class List>
  [[nodiscard]] List take(List Regrouping::*list) {
    Regrouping* own = regrouping_.changed();
    return own == nullptr ? List() : std::exchange(own->*list, {});
  }

  // A death, and the next world: protocols/transactions/regrouping.cpp.
  [[nodiscard]] bool is_blocked() const;
  void heed(RecoveryContext& context, Incarnation peer, WorldSteps& steps);
  [[nodiscard]] Ready own_ready() const;
  void send_ready(RecoveryContext& context, ActorId to) const;
  void tell_leader(RecoveryContext& context, WorldSteps& steps);
  void name_leader(RecoveryContext& context, ActorId spawned) const;
  void on_ready(RecoveryContext& context, const Ready& ready, WorldSteps& steps);
  void lead(RecoveryContext& context, WorldSteps& steps);
  void spawn(RecoveryContext& context);
  [[nodiscard]] bool has_asked_for(Incarnation dead) const;
  void try_to_put_together(RecoveryContext& context, WorldSteps& steps);
  void put_together(RecoveryContext& context, std::uint64_t point, WorldSteps& steps);

  // A new process, and how a rank enters a world: protocols/transactions/entering.cpp.
  void hear_as_spawned(RecoveryContext& context, Incarnation dead);
  void learn_as_spawned(RecoveryContext& context, Incarnation restarted);
  void call_all(RecoveryContext& context);
  void follow(RecoveryContext& context, Incarnation leader, ActorId from);
  void give_up_if_world_is_lost(RecoveryContext& context) const;
  [[nodiscard]] std::uint64_t place_of_entry(ActorId actor) const;
  [[nodiscard]] Incarnation last_to_enter(const RecoveryContext& context, ActorId actor) const;
  [[nodiscard]] WorldCrier crier() const;
  void on_news(RecoveryContext& context, const Message& message, WorldSteps& steps);
  void enter(RecoveryContext& context, const WorldEpoch& epoch,
             std::shared_ptr<const WorldNews> news, std::uint64_t point, WorldSteps& steps);
  void enter_as_spawned(RecoveryContext& context);
  void forget_earlier_world(RecoveryContext& context);
  void enter_when_all_are_known(RecoveryContext& context, WorldSteps& steps);
  void take_early_data(RecoveryContext& context);
  void data_are_there(RecoveryContext& context, WorldSteps& steps);

  const WorldOptions* options_;
  WorldMembers members_;
  WorldCheckpoints checkpoints_;
  EpochGate gate_;
  WorldPhase phase_ = WorldPhase::running;
  ActorId told_ = kNobody;   ///< the leader that knows that this rank is ready
  Rank new_rank_ = kNobody;  ///< of a process that was spawned: in its first world
  std::uint32_t respawned_ = 0;
  std::optional<Asked> enter_request_;
  Seldom<Regrouping> regrouping_;
};

/// The metrics that all protocols with such a world have, followed by those of one of them.
MetricSpecs world_metrics(const MetricSpecs& own = {});
/// Their marks, followed by those of one of them.
Marks world_marks(const Marks& own = {});

inline constexpr Mark kRegroupMark{"regroup", "a rank wants a new world: the number of its epoch"};
inline constexpr Mark kShrinkMark{
    "shrink",
    "a rank wants a smaller world: the number of its epoch; in `ulfm`, a rank begins to shrink its "
    "world: the number of that epoch"};
inline constexpr Mark kSpawnMark{
    "spawn", "the leader asks for a new process: the number of the epoch of its world"};
inline constexpr Mark kJoinMark{"join", "a rank has learned of a world: the number of its epoch"};
inline constexpr Mark kResumeMark{
    "resume", "a rank goes on in a world: the number of its epoch, 0: the first"};

}  // namespace faultline::transactions
