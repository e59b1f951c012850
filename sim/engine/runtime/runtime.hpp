// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/actors/common.hpp"
#include "sim/engine/events/recount.hpp"
#include "sim/engine/images/images.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/membership/faults.hpp"
#include "sim/engine/membership/fencing.hpp"
#include "sim/engine/membership/notices.hpp"
#include "sim/engine/membership/reports.hpp"
#include "sim/engine/membership/restarts.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/phases/phases.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/state/run_state.hpp"
#include "sim/engine/turn/flushes.hpp"
#include "sim/engine/turn/local_events.hpp"
#include "sim/engine/turn/stacks.hpp"
#include "sim/engine/turn/turns.hpp"
#include "sim/engine/verdict/verdict.hpp"

namespace faultline::engine {

/// The roof over the rooms, which every engine has: hands each event, and each action that a
/// handler has asked for, to the room that it concerns; begins and ends a run. The engine lets time
/// pass, and carries messages between nodes.
class Runtime final : private Services, public Executor {
 public:
  /// Both must outlive it. The executor, if there is one, is given the actions instead of this,
  /// and passes on those that are to be carried out.
  Runtime(std::shared_ptr<const RunJob> job, Transport& transport, Executor* executor = nullptr);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime() = default;

  // ---- the whole run -------------------------------------------------------------------------
  /// Shows the run to an observer, which must outlive it. Call before anything happens.
  void observe(audit::RunObserver& observer) { observer_ = &observer; }
  /// Simulates the run to its end and returns its result. Call once. `simulate` lets events come
  /// until stopped(), or until nothing is left to happen.
  template <class Simulate>
  RunResult run(Simulate simulate) {
    set_up_done();
    guard([&] {
      open();
      if (!stopped()) simulate();
    });
    return close();
  }
  /// Called in `simulate` by an engine that has something to build first, when it is built. Sets
  /// RunResult::setup_s.
  void set_up_done();
  /// Lets everything begin that begins by itself: all actors, and the faults of the scenario.
  void open();
  /// Ends a run in which nothing is left to happen, and returns its result.
  RunResult close();
  /// Ends the run if a broken invariant is found in `act`, or, in a handler that has been told of a
  /// false report, any other mistake.
  template <class Act>
  void guard(Act act) {
    try {
      act();
    } catch (const BrokenInvariant& broken) {
      end_broken(broken);
    } catch (const std::logic_error& mistake) {
      if (!end_misled(mistake)) throw;
    }
  }
  /// Forgets what a handler has left that has thrown.
  void abandon_turn();
  void stop(Outcome outcome) { verdict_.stop(outcome); }
  [[nodiscard]] bool stopped() const { return state_.ending.has_ended(); }
  /// True if nothing is left to happen.
  [[nodiscard]] bool quiescent() const {
    return state_.schedule.foreground() == 0 && verdict_.nothing_is_left();
  }

  // ---- what happens --------------------------------------------------------------------------
  /// The victims die now, find an error, or stall.
  void strike(const std::vector<faults::Victim>& victims) { faults_.strike(victims); }
  /// Called when a message has reached its receiver. Handles it if the receiver is free; else it
  /// waits in the inbox.
  void arrived(Message* message);
  /// Carries out any event that is not an arrival.
  void carry_out(const Event& event);
  /// Carries out an action, if the actor that asked for it still lives.
  void carry_out(Action action) override;
  /// Called with an event's time before the event: counts it. False if the run ends instead.
  bool goes_on(double time_s) {
    if (time_s > job_->spec.stop.time_s || state_.schedule.events() >= job_->spec.stop.events ||
        job_->awaits_announcement)
      if (verdict_.ends_before(time_s)) return false;
    state_.schedule.count_event();
    return true;
  }
  /// Carries out the actions that the handlers of an event asked for. Faults that a scenario sets
  /// by event number strike here, and the state is checked.
  void after_event() {
    if (turns_.actions() > 0) turns_.carry_out_all();
    if (reports_.take_news()) verdict_.check();
    if (state_.schedule.events() >= state_.next_attended) attend_to_event();
  }
  /// Looks at the whole state between two events. Throws BrokenInvariant.
  void check_state();

  // ---- the clock, and what an engine looks at ------------------------------------------------
  [[nodiscard]] double now_s() const { return state_.schedule.now_s(); }
  void set_now_s(double time_s) { state_.schedule.set_now_s(time_s); }
  [[nodiscard]] const RunJob& job() const { return *job_; }
  [[nodiscard]] const platform::Machine& machine() const { return job_->spec.platform.machine; }
  [[nodiscard]] NodeId node_of(ActorId actor) const { return state_.placement.node_of(actor); }
  [[nodiscard]] Schedule& schedule() { return state_.schedule; }
  [[nodiscard]] RunState& state() { return state_; }
  [[nodiscard]] const RunState& state() const { return state_; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const Processors& processors() const { return processors_; }
  /// How far the events of a step reach, and what a handler asks at once.
  [[nodiscard]] Reached& reached() { return reached_; }
  [[nodiscard]] const Reached& reached() const { return reached_; }
  /// From now on the choices of workloads are branches, and this chooses.
  void let_choose(Chooser& chooser) { turns_.let_choose(chooser); }

 private:
  // ---- what a handler asks at once -----------------------------------------------------------
  [[nodiscard]] Incarnation known(ActorId self, ActorId peer) const override {
    return run_.known(self, peer);
  }
  [[nodiscard]] double death_s(Incarnation now) const override;
  [[nodiscard]] std::optional<Image> capture(Family layer, Moment moment) const override {
    return images_.capture(layer, moment);
  }
  [[nodiscard]] std::vector<ObjectId> objects() const override { return images_.objects(); }
  [[nodiscard]] std::optional<PackedObject> pack(Family layer, ObjectId object) const override {
    return images_.pack(layer, object);
  }
  [[nodiscard]] std::vector<std::uint64_t> stored(Family family,
                                                  std::uint64_t place) const override;

  // ---- events and actions --------------------------------------------------------------------
  void show_report(ActorId self, Incarnation peer) const;
  void mark(ActorId self, Family family, const Action::SetMark& mark);
  void timer_event(ActorId self, std::uint32_t serial);
  void handle(ActorId self, const Due& due);
  void receive(ActorId self, Message* message);
  void wake(ActorId self);
  void vanish(Message* message);
  void tell_sent(const Event& event);
  void pass_to_network(const Event& event);
  void pass_to_membership(const Event& event);
  void attend_to_event();
  void start_all();
  void show_placement();

  // ---- what must hold between two events (runtime_invariants.cpp) ----------------------------
  void check_actor(ActorId self, Recount& recount);
  void compare(const Recount& recount) const;
  void end_broken(const BrokenInvariant& broken);
  [[nodiscard]] bool end_misled(const std::logic_error& mistake);
  void end_at(const char* kind, const std::string& words);
  [[nodiscard]] std::string place_of_break() const;

  // ---- what a run reports (runtime_end.cpp) --------------------------------------------------
  [[nodiscard]] RunResult result();
  [[nodiscard]] std::vector<audit::Violation> missed();
  [[nodiscard]] bool has_heard(Rank rank, Incarnation dead) const;
  [[nodiscard]] bool is_known(Incarnation life) const;
  void report_recovery_counts(Metrics& metrics) const;
  void report_recovery_stages(Metrics& metrics) const;
  void report_counts(Metrics& metrics) const;
  void report_messages(Metrics& metrics) const;
  void report_failures(Metrics& metrics) const;

  std::shared_ptr<const RunJob> job_;
  RunState state_;
  audit::RunObserver* observer_ = nullptr;
  Reached reached_;
  const Common run_;
  Processors processors_;
  Network network_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double setup_s_ = 0.0;
  Verdict verdict_;
  Turns turns_;
  Flushes flushes_;
  LocalEvents local_events_;
  Stacks stacks_;
  Notices notices_;
  Faults faults_;
  Fencing fencing_;
  Reports reports_;
  Restarts restarts_;
  Phases phases_;
  Images images_;
  const bool is_stepwise_;     ///< its driver may ask for what cannot be
  bool checking_ = false;      ///< in check_state()
  bool broken_ = false;        ///< a broken invariant has ended the run in a turn
  ActorId checked_ = kNobody;  ///< the actor that check_state() looks at
};

}  // namespace faultline::engine
