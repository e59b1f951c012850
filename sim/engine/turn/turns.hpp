// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/context.hpp"
#include "sim/core/in_role.hpp"
#include "sim/engine/actors/common.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/storage/stable_storage.hpp"
#include "sim/engine/turn/executor.hpp"
#include "sim/engine/verdict/tally.hpp"
#include "sim/engine/verdict/verdict.hpp"

namespace faultline::engine {

/// Runs turns: one handler of one component of an actor, and what follows from it in the stack of
/// that actor, until the messages of the turn leave. The actions that the handlers have asked for
/// wait in a list, which Executor carries out. Nothing of a turn matters between two events.
class Turns {
 public:
  /// What turns act on and ask, beside what all have in common. All must outlive them.
  struct Parts {
    Network& network;
    Processors& processors;
    StableStorage& storage;
    Verdict& verdict;
    Tally& tally;
    Services& services;  ///< answers what a handler asks at once
    Executor& executor;
  };
  Turns(const Common& run, const Parts& parts);

  // ---- turns ---------------------------------------------------------------------------------
  /// Runs `handler(component, context)` as one turn, if the actor is alive and has a component of
  /// that family. The handler takes a component of any role, with its own context. A handler of the
  /// workload makes its rank active. The handler of a notice (`is_notice`) does so only if it
  /// starts or sends something.
  template <class Handler>
  void turn(ActorId actor, Family family, Handler handler, bool is_notice = false) {
    run_handler(actor, family, is_notice,
                [&](Component& component) { call_in_role(component, family, turn_, handler); });
  }
  /// Runs `handler(component, context)` as one turn, where the components of that family are known
  /// to be `Base`: a handler that only they have.
  template <class Base, class Handler>
  void turn_as(ActorId actor, Family family, Handler handler, bool is_notice = false) {
    run_handler(actor, family, is_notice,
                [&](Component& component) { call_as<Base>(component, family, turn_, handler); });
  }
  /// An actor receives a message that nothing keeps it from handling.
  void receive(ActorId self, Message* message) {
    begin_turn(self);
    // Later than now if the news that its sender lives again has let this actor send.
    current_->cpu_free_s = cpu_s_;
    if (run_.job.shares_cores)
      processors_.take_from_workers(
          self, processors_.occupied_s(self, run_.receive_overhead_s(*message)));
    climb(message, index_of(Family::failure_detection));
    settle();
    end_turn();
  }
  /// A component of an actor starts. Those below it have started.
  void start(ActorId self, Family family);
  /// The detector of a new phase starts. As at the start of the run, a rank without work goes idle
  /// now.
  void start_detector(ActorId self);
  /// Calls a handler of all components of a rank about a peer, from the bottom up. If a layer can
  /// recover the peer, those above it are not told.
  template <class Handler>
  void tell_stack(ActorId self, ActorId peer, Handler handler) {
    for (std::size_t level = index_of(Family::failure_detection); level-- > 0;) {
      turn(self, kStack[level].family, handler, true);
      if (recovers(self, level, peer)) return;
    }
  }
  /// To be called in a turn, after a handler of the workload in which an idle rank takes up no work
  /// by itself. It gets work from messages alone: all detectors of termination rely on that, and
  /// none can know of other work. Transactions, which do not work above such a detector, answer
  /// whenever they like.
  void expect_no_new_work(const char* handler) const { expect_no_new_work(turn_.active, handler); }
  /// Whose handler has run last; kNobody before the first.
  [[nodiscard]] ActorId last_actor() const { return turn_.self; }

  // ---- what handlers have asked for ----------------------------------------------------------
  /// How many actions there are, carried out or not, until carry_out_all() has done all.
  [[nodiscard]] std::size_t actions() const { return turn_.actions.size(); }
  /// Carries out actions in order. An action can start a turn; the actions of that turn are queued
  /// behind the others. If an actor dies, the rest of its actions are dropped.
  void carry_out_all();
  /// Carries out now what has been asked for since there were so many actions.
  void carry_out_since(std::size_t first);
  /// So many actions as at the start of a run do not come again.
  void release_memory() { turn_.actions.shrink_to_fit(); }
  /// What the components above that layer of an actor have asked for comes too late.
  void void_actions(Incarnation self, Family layer);

  // ---- for images of the actor whose turn it is ----------------------------------------------
  [[nodiscard]] ActorState& actor() const { return *current_; }
  [[nodiscard]] const Turn& now() const { return turn_; }
  /// True if something of the components above the layer is on its way in this turn, or will be
  /// done after it.
  [[nodiscard]] bool waits_above(Family layer) const;
  /// True if the actor has asked for such an action, and it is still to come.
  template <class IsSuch>
  [[nodiscard]] bool any_action_waits(IsSuch is_such) const {
    const auto next = turn_.actions.begin() + static_cast<std::ptrdiff_t>(next_action_);
    return std::any_of(next, turn_.actions.end(), [&](const Action& action) {
      return action.self == run_.incarnation_of(turn_.self) && is_such(action);
    });
  }
  /// Is a layer, or one above it, still to be told in this turn that the rank is idle?
  [[nodiscard]] bool owes_idle(Family layer) const;

  // ---- the run -------------------------------------------------------------------------------
  /// From now on the choices of workloads are branches, and this chooses.
  void let_choose(Chooser& chooser) { turn_.chooser = chooser_ = &chooser; }
  /// Forgets what a handler has left that has thrown.
  void abandon();
  void check() const;

 private:
  template <class Call>
  void run_handler(ActorId actor, Family family, bool is_notice, Call call) {
    if (!run_.state.actors[actor].alive || run_.state.actors[actor].component(family) == nullptr)
      return;
    begin_turn(actor);
    call(*current_->component(family));
    handled_ = family == Family::workload && (!is_notice || turn_.busy() || sent_by_workload() > 0);
    settle();
    end_turn();
  }
  [[nodiscard]] bool recovers(ActorId self, std::size_t level, ActorId peer) const;
  void begin();
  void begin_turn(ActorId actor);
  void end_turn();
  void count_for_layers();
  void settle() {
    if (turn_.waiting != 0) settle_all();
  }
  void settle_all();
  void pass_down(std::size_t level);
  void pass_up(std::size_t level);
  void climb(Message* message, std::size_t from);
  void handle(Message* message);
  void deliver_request();
  void audit_block(const StackRequest& request);
  void spend_time();
  [[gnu::noinline]] void store_entries();
  void tell_idle();
  void expect_no_new_work(bool was_active, const char* handler) const;
  /// The number of messages that the workload has sent in this turn and that no layer has seen.
  [[nodiscard]] std::size_t sent_by_workload() const {
    return turn_.direct ? turn_.wire.size() : turn_.outbox[index_of(Family::workload)].size();
  }
  [[nodiscard]] std::int64_t conserved_now() const;
  void inject_wire();
  void leave_stack(ActorState& actor, Message& message);
  void note_sent(const Message& message) {
    run_.state.truth.sent(turn_.self, message);
    tally_.application_bytes += message.bytes;
  }

  const Common run_;
  Network& network_;
  Processors& processors_;
  StableStorage& storage_;
  Verdict& verdict_;
  Tally& tally_;
  Services& services_;
  Executor& executor_;

  Turn turn_;
  Chooser* chooser_ = nullptr;       ///< null: the random streams choose
  std::span<Message* const> batch_;  ///< messages that a layer is offered on their way down
  std::size_t next_action_ = 0;      ///< of Turn::actions: the first that is not carried out
  std::size_t next_request_ = 0;
  std::size_t climbing_ = 0;   ///< messages of this turn that a layer has passed up and that wait
  std::size_t idle_told_ = 0;  ///< the layer that is being told that the rank is idle; 0 if none
  bool starts_above_ = false;  ///< the workload of the current actor is about to be started
  std::int64_t conserved_before_ = 0;
  ActorState* current_ = nullptr;
  bool handled_ = false;  ///< the workload ran in this turn
  double cpu_s_ = 0.0;    ///< time of the current actor's communication processor while it sends
};

}  // namespace faultline::engine
