// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/runtime/runtime.hpp"
#include "sim/engine/stepwise/history_keeper.hpp"
#include "sim/engine/stepwise/state_properties.hpp"

namespace faultline::engine {

/// Something that may happen next.
struct Choice {
  EventKind kind;
  ActorId actor = kNobody;  ///< to whom it happens; of a stated fault, its number
  ActorId peer = kNobody;   ///< the sender of a message, the dead of a notice, else kNobody
  /// Timers: the key. Computations: the tag. Messages: the kind. Else 0.
  std::uint64_t detail = 0;
  Family family = Family::workload;  ///< whose message, timer or computation it is

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// An actor dies in the middle of a step, when it has done that many things: a message has left it,
/// or an action has been carried out. What else it has sent and asked for is lost. A death after
/// more things than it does comes at the end of the step.
struct Cut {
  ActorId actor;
  std::uint64_t after;
};

/// What a driver decides of the choices of one step, each below the bound that is asked for.
using Decisions = std::vector<std::uint64_t>;

/// Turns the decisions of a step that asked for these bounds into the next ones in lexical order.
/// False, and none, if they were the last.
bool next_decisions(Decisions& decisions, const std::vector<std::uint64_t>& asked);

/// The engine for whoever explores a job. Time stands still, so that everything which is scheduled
/// may happen next, whatever its delay. The driver looks at the agenda and takes one of the
/// choices, as often as it likes from copies of the same state. Handlers, layers and the auditor
/// are those of every run.
///
/// - Messages, timers, computations, notices, on_sent, restarts and fences are choices. Under fifo
/// ordering
///   only the oldest message from one actor to another is.
/// - Messages cost nothing and computations end when they are chosen, whatever they have spent.
/// - The clock is at 0 until a live actor is declared dead. Each step in which anybody does that
///   moves it on by one second, because what such an actor sends later is refused. set_step_time()
///   lets it go on with every step, and be_patient() with timers.
/// - If the workload leaves its choices open (sim/core/choices.hpp), the driver decides those of a
///   step in advance: the n-th that a handler of the step asks for is the n-th of `decisions`.
///   Beyond that list it is 0, or drawn (draw_choices). All ways in which a step can go are seen
///   by taking it again with next_decisions until there are none.
class StepwiseEngine final : private Transport, private Executor, private Chooser {
 public:
  /// The job is without_costs().
  explicit StepwiseEngine(std::shared_ptr<const RunJob> job);

  /// Shows the run to an observer, which must outlive it. Call before begin().
  void observe(audit::RunObserver& observer) { run_.observe(observer); }
  /// Starts all actors, in one step. Call it first, or go_on_from a state that has begun.
  void begin(std::vector<Cut> cuts = {}, Decisions decisions = {});
  /// What may happen next, the oldest first. Empty if the run is over.
  [[nodiscard]] const std::vector<Choice>& agenda();
  /// Is the run over?
  [[nodiscard]] bool is_over() const {
    return run_.stopped() || run_.quiescent() || state_.schedule.empty();
  }
  /// Takes the choice at this place of the agenda.
  /// Throws std::out_of_range, as begin does, if a decision is not below its bound.
  void take(std::size_t place, std::vector<Cut> cuts = {}, Decisions decisions = {});
  /// An actor dies between two steps; a daemon with the ranks of its node.
  void kill(ActorId actor);
  /// Does the choice at this place stand for a message that a network may lose?
  [[nodiscard]] bool can_lose(std::size_t place);
  /// The network loses that message.
  void lose(std::size_t place);
  /// Is this a rank that lives and does not stall?
  [[nodiscard]] bool can_stall(ActorId actor) const;
  /// The rank does nothing until a choice of the kind stall_end. With patient timers that comes
  /// after the time that set_stall_time() says. The timers of the rank that were due by then come
  /// next, before the messages that have arrived.
  void stall(ActorId rank);
  void set_stall_time(double stall_s) { stall_s_ = stall_s; }
  /// How many things each actor has done in the last step, as a Cut counts them.
  [[nodiscard]] const std::vector<std::uint64_t>& done() const { return done_; }

  /// The bounds of the choices that the last step asked for, in order. What has only one answer is
  /// not asked.
  [[nodiscard]] const std::vector<std::uint64_t>& asked() const { return asked_; }
  /// What each of them was about, in words.
  [[nodiscard]] const std::vector<const char*>& asked_about() const { return asked_about_; }

  /// From now on choices beyond the decisions of the driver are drawn from this stream, which has
  /// to stay; from none, they are 0.
  void draw_choices(Stream* random) { random_ = random; }
  /// The driver's decisions of the last step, and behind them those that were drawn.
  [[nodiscard]] const Decisions& decisions() const { return decisions_; }

  /// What the last step has depended on and changed, beyond what StateParts says.
  using Reach = engine::Reach;
  [[nodiscard]] Reach reach() const { return run_.reached().reach(); }

  /// What digest() is made of.
  [[nodiscard]] StateParts parts() const;
  /// Everything that the future depends on. The same for the same state, whatever led to it.
  [[nodiscard]] StateDigest digest() const { return parts().digest(); }
  [[nodiscard]] const RunState& state() const { return state_; }
  /// How many messages have been sent and not been handled.
  [[nodiscard]] std::size_t in_flight();
  /// Goes on from a state of the same job.
  void go_on_from(const RunState& state);
  /// Goes on from a state with the events that events() listed there: saves listing the agenda.
  void go_on_from(const RunState& state, const std::vector<Event>& events);
  /// What the agenda stands for, in the same order. Its messages are those of another copy.
  [[nodiscard]] const std::vector<Event>& events() {
    if (!is_listed_) list_events();
    return events_;
  }
  /// Looks at the whole state after every step, in every build (Runtime::check_state). A broken
  /// invariant is thrown.
  void check_every_step(bool checks = true) { checks_steps_ = checks; }
  /// Looks at the invariants that the components of the job declare, between two steps. One that
  /// does not hold is the violation `broken-property`, and ends the run.
  void check_properties();
  /// The invariants that the components of the job declare.
  [[nodiscard]] const std::vector<DeclaredProperty>& invariants() const { return invariants_; }
  /// Does a property of this job hold now?
  [[nodiscard]] bool holds(const DeclaredProperty& declared) {
    return view_.look_at(state_, run_.job().shape.processes) && view_.holds(declared);
  }
  /// From now on two states are the same only if each rank has done and been told the same on the
  /// way to them. Call it before the run begins, and observe() no more.
  void tell_histories_apart() {
    state_.histories.assign(run_.job().shape.processes, {});
    observe(histories_);
  }
  /// From now on each step moves the clock on by so much, so that what an observer sees has times.
  void set_step_time(double step_s) { step_s_ = step_s; }
  /// From now on a timer is a choice only if nothing else can come but ends of computations, and no
  /// other timer is due earlier. The clock goes on to the time at which it is due, and a digest has
  /// the time that each timer has still to run. So messages and notices take no time: a detector
  /// that declares a live actor dead has no excuse, and that is the violation `false-report`. A
  /// message may take up to `message_s`, though: a timer that is due by then can come before it.
  void be_patient(double message_s = 0.0) {
    is_patient_ = true;
    message_s_ = message_s;
    is_listed_ = false;
  }
  /// From now on, what an actor sends to another node may wait for the NIC of its node, if others
  /// share that, and be lost with the actor. A message that finds nothing waiting is a choice of
  /// the driver (as of a workload, about kDeparture): 0: it waits; 1: it enters the network at
  /// once. What waits departs in order, each message by a choice of the kind nic_ready.
  void let_departures_wait(bool wait) { run_.network().let_departures_wait(wait); }
  static constexpr const char* kDeparture = "whether a message departs at once";
  /// The result of a run that ends here: as its stop says, or because nothing is left to happen, or
  /// else as if it had come to a limit. After it, only go_on_from can be called.
  RunResult end();

 private:
  void transmit(Message& message, const platform::Transit& transit) override;
  bool leaves_at_once() override;
  void carry_out(Action action) override;
  template <class Step>
  void step(std::vector<Cut> cuts, Decisions decisions, Step happen);
  std::uint64_t choose(std::uint64_t bound, const char* what) override;
  void abandon_step();
  [[nodiscard]] bool is_cut(ActorId actor) const;
  void die_where_cut();
  void forget_unsent_messages();
  void free_processors();
  void end_computation(const Event& event);
  void remove_dead_wood();
  [[nodiscard]] bool leaves_no_choice(const Event& event) const;
  void list_events();
  [[nodiscard]] bool cannot_be_handled(const Event& event) const;
  void put_overdue_timers_first();
  void hold_timers_back();
  [[nodiscard]] std::int64_t ticks_until(double time_s) const;
  [[nodiscard]] std::int64_t left_of(const Event& timer) const { return ticks_until(timer.time_s); }
  [[nodiscard]] std::int64_t may_wait(const Event& event) const;
  [[nodiscard]] double wait_s(const Event& event) const;
  void outlast_reports();
  void refuse_errors(std::uint64_t false_reports_before);
  void refuse_repetition(ActorId self, Incarnation dead);
  void name_local(const RareState& rare, std::uint32_t serial, Choice& choice) const;
  [[nodiscard]] Choice choice_of(const Event& event) const;

  Runtime run_;
  RunState& state_ = run_.state();
  std::vector<Choice> agenda_;
  std::vector<Event> events_;  ///< of the agenda
  std::vector<Event> pending_;
  std::vector<ActorId> stalled_;
  bool is_listed_ = false;  ///< are these of the present state?
  std::vector<Cut> cuts_;
  std::vector<std::uint64_t> done_;
  Decisions decisions_;
  Stream* random_ = nullptr;
  std::vector<std::uint64_t> asked_;
  std::vector<const char*> asked_about_;
  std::vector<Message*> unsent_;  ///< of an actor that dies in this step
  bool torn_ = false;             ///< the last step was broken off
  bool checks_steps_ = false;
  double step_s_ = 0.0;
  double stall_s_ = 0.0;
  bool is_patient_ = false;
  double message_s_ = 0.0;  ///< the longest that a message takes while timers are patient
  std::vector<DeclaredProperty> invariants_;
  StateView view_;
  HistoryKeeper histories_{state_};
};

/// The job on a machine that costs nothing and that nothing disturbs, as a stepwise engine needs
/// it. Without time there is no noise, no slow node and no start; and what a network may lose would
/// be a choice of the driver.
scenario::RunSpec without_costs(scenario::RunSpec spec);

}  // namespace faultline::engine
