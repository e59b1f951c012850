// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/core/component.hpp"
#include "sim/core/image_content.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/local_events.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/engine/state/run_state.hpp"
#include "sim/engine/verdict/verdict.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

/// Everything that both engines share: actors and their stacks, turns, processors, timers, fences,
/// flushes, phases, faults, restarts and the end of a run. An engine adds the passing of time and
/// the transport of messages between nodes.
class Runtime : private Services {
 public:
  explicit Runtime(std::shared_ptr<const RunJob> job);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  /// Shows the run to an observer, which must outlive it. Call before run().
  void observe(RunObserver& observer) { observer_ = &observer; }

  /// Simulates the run to its end and returns its result. Call once.
  RunResult run();

 protected:
  /// Processes events until stopped() or until nothing is left to happen.
  virtual void simulate() = 0;
  /// Takes a message into the network at message.inject_s. `transit` has the latency and transfer
  /// time of the unloaded route. The engine calls arrived() when the message is there.
  virtual void transmit(Message& message, const Transit& transit) = 0;
  /// The same for a message that leaves packet by packet from its inject_s on.
  virtual void stream(Message& message, const Transit& transit) { transmit(message, transit); }
  /// What streams out of that node leaves later, because a shorter message goes first.
  virtual void delay_bulk(NodeId /*node*/, double /*duration_s*/) {}

  // ---- for the engines -----------------------------------------------------------------------
  /// Lets everything begin that begins by itself: all actors, and the faults of the scenario.
  void open();
  /// Ends a run in which nothing is left to happen, and returns its result.
  RunResult close();
  /// Ends the run if a broken invariant is found in `act`.
  template <class Act>
  void guard(Act act) {
    try {
      act();
    } catch (const BrokenInvariant& broken) {
      end_broken(broken);
    }
  }
  /// Forgets what a handler has left that has thrown.
  void abandon_turn();
  void stop(Outcome outcome) { verdict_.stop(outcome); }
  /// The victims die now, find an error, or stall.
  void strike(const std::vector<Victim>& victims);
  /// Called when a message has reached its receiver. Handles it if the receiver is free; else it
  /// waits in the inbox.
  void arrived(Message* message);
  /// Carries out any event that is not an arrival.
  void carry_out(const Event& event);
  /// Called with an event's time before the event: counts it. False if the run ends instead.
  bool goes_on(double time_s) {
    if (time_s > job_->spec.stop.time_s || state_.schedule.events() >= job_->spec.stop.events ||
        job_->awaits_announcement)
      if (verdict_.ends_before(time_s)) return false;
    state_.schedule.count_event();
    return true;
  }
  [[nodiscard]] double now_s() const { return state_.schedule.now_s(); }
  void set_now_s(double time_s) { state_.schedule.set_now_s(time_s); }
  /// Discards a message that never entered the network because its sender died (its inject_s is
  /// kNever).
  void forget_unsent(Message* message);
  [[nodiscard]] const Topology& routes() const { return job_->routes; }
  /// Carries out the actions that the handlers of an event asked for. Faults that a scenario sets
  /// by event number strike here, and the state is checked.
  void after_event() {
    if (!pending_actions_.empty()) carry_out_pending();
    if (heard_news_) {
      heard_news_ = false;
      verdict_.check();
    }
    if (state_.schedule.events() >= state_.next_attended) attend_to_event();
  }
  /// Looks at the whole state between two events (runtime_invariants.cpp). Throws BrokenInvariant.
  void check_state();
  [[nodiscard]] bool stopped() const { return state_.ending.has_ended(); }
  /// True if nothing is left to happen.
  [[nodiscard]] bool quiescent() const {
    return state_.schedule.foreground() == 0 && verdict_.nothing_is_left();
  }
  [[nodiscard]] Incarnation incarnation_of(ActorId actor) const {
    return {actor, state_.actors[actor].incarnation};
  }
  [[nodiscard]] bool is_rank(ActorId actor) const { return job_->is_rank(actor); }
  [[nodiscard]] NodeId node_of(ActorId actor) const { return state_.placement.node_of(actor); }
  [[nodiscard]] std::uint32_t node_count() const { return job_->nodes; }
  /// The number of ranks and, if there are daemons, of daemons.
  [[nodiscard]] std::uint32_t actor_count() const {
    return static_cast<std::uint32_t>(state_.actors.size());
  }
  /// Called before an action of an actor is carried out, after count_actions().
  virtual void before_action(Incarnation /*actor*/, const Action& /*action*/) {}
  void count_actions() { counts_actions_ = true; }
  /// Called where a NIC that several actors share could take up a message at once, after
  /// let_departures_wait(): does it?
  virtual bool leaves_at_once() { return true; }
  void let_departures_wait(bool wait) { departures_wait_ = wait; }
  [[nodiscard]] bool departures_wait() const { return departures_wait_; }
  /// May a network that loses messages lose this one? Those of failure detection that go from one
  /// node to another, unless nobody will handle them anyway.
  [[nodiscard]] bool may_be_lost(const Message& message) const {
    return (message.flags & kLost) == 0 && message.channel == Family::failure_detection &&
           node_of(message.from) != node_of(message.to);
  }
  [[gnu::noinline]] void lose_in_network(Message& message);
  [[nodiscard]] bool sender_is_gone(const Message& message) const;
  /// What the events since forget_reach() have read or changed beyond the actor that they are
  /// about, what is common to all, and what they have scheduled.
  enum class Reach : std::uint8_t {
    actor,     ///< nothing
    channels,  ///< whether something is in flight to that actor, and from whom
    anything,
  };
  [[nodiscard]] Reach reach() const { return reach_; }
  void reaches_anything() { reach_ = Reach::anything; }
  void forget_reach() { reach_ = Reach::actor; }
  /// From now on the choices of workloads are branches, and this chooses.
  void let_choose(Chooser& chooser) { turn_.chooser = chooser_ = &chooser; }
  /// Called when an actor has restarted on another node.
  virtual void moved(ActorId /*actor*/) {}
  /// Called in simulate() by an engine that has something to build first, when it is built. Sets
  /// RunResult::setup_s.
  void set_up_done();
  [[nodiscard]] const RunSpec& spec() const { return job_->spec; }
  [[nodiscard]] const Machine& machine() const { return job_->spec.platform.machine; }
  /// The random extra delay of the actor's next message; zero under fifo ordering.
  [[nodiscard]] double unordered_delay_s(ActorId from);
  /// How much longer the noise of the network delays a message.
  [[nodiscard]] double noise_s(const Message& message, const Transit& transit) {
    return state_.noise_random.empty() || transit.local ? 0.0 : drawn_noise_s(message);
  }
  [[nodiscard]] bool fifo() const { return state_.network_random.empty(); }
  [[nodiscard]] Transit transit_of(const Message& message) const;
  /// Does the message leave packet by packet, if it goes to another node?
  [[nodiscard]] bool is_bulk(const Message& message) const { return message.bytes > packet_bytes_; }

  std::shared_ptr<const RunJob> job_;
  RunState state_;
  bool fetches_next_message_ = true;  ///< of an inbox, when one is taken out; a hint

 private:
  /// Values of Event::at.detail for a fault. Event::at.actor is then the index of a fault that the
  /// scenario states, or of a source that draws faults.
  static constexpr std::uint32_t kStatedFault = 0;
  static constexpr std::uint32_t kForBulk = 1;  ///< detail of a nic_free
  static constexpr std::uint32_t kDrawnFault = 1;
  struct PendingAction {
    Incarnation self;
    Action action;
  };
  void make_components(ActorId actor);
  void start_all();
  void start_actor(ActorId actor);
  void start_levels(ActorId actor, std::size_t top, std::size_t below);
  [[nodiscard]] Incarnation known(ActorId self, ActorId peer) const override;
  [[nodiscard]] double death_s(Incarnation now) const override;
  [[nodiscard]] std::optional<Image> capture(Family layer) const override;
  [[nodiscard]] std::vector<ObjectId> objects() const override;
  [[nodiscard]] std::vector<std::uint64_t> stored(Family family,
                                                  std::uint64_t place) const override;
  [[nodiscard]] std::optional<PackedObject> pack(Family layer, ObjectId object) const override;
  /// Shows an event to the observer. Call it only after `if (observer_ != nullptr)`, so that a run
  /// without an observer does not pay for it.
  [[gnu::cold]] void show(const Sight& sight) { observer_->see(sight); }
  void show_placement();
  void show_loss(const Message& message);
  void show_leaving(Sight::Kind kind, const Message& message, double time_s);
  void show_about(Sight::Kind kind, ActorId actor, ActorId peer = kNobody);
  void attend_to_event();

  // what must hold between two events (runtime_invariants.cpp)
  struct Recount;
  void check_actor(ActorId self, Recount& recount);
  void check_inbox(const ActorState& actor, Recount& recount) const;
  void check_rare_state(const ActorState& actor, Recount& recount) const;
  void check_due(const ActorState& actor, Recount& recount) const;
  void check_heard(const ActorState& actor, Recount& recount) const;
  void check_reports(const RareState& rare) const;
  void check_nic(NodeId node, Recount& recount) const;
  void count_event(const Event& event, Recount& recount) const;
  void compare(const Recount& recount) const;
  void end_broken(const BrokenInvariant& broken);
  [[nodiscard]] std::string place_of_break() const;

  // turns (runtime_turn.cpp)
  void begin_turns();
  void begin_turn(ActorId actor);
  void end_turn();
  void count_for_layers();
  void settle();
  void pass_down(std::size_t level);
  void pass_up(std::size_t level);
  void climb(Message* message, std::size_t from);
  void handle(Message* message);
  void deliver_request();
  void spend_time();
  [[gnu::noinline]] void store_entries();
  void tell_idle();
  void expect_no_new_work(bool was_active, const char* handler) const;
  /// The number of messages that the workload has sent in this turn and that no layer has seen.
  [[nodiscard]] std::size_t sent_by_workload() const {
    return turn_.direct ? turn_.wire.size() : turn_.outbox[index_of(Family::workload)].size();
  }
  [[nodiscard]] std::int64_t conserved_now() const;
  /// Runs `handler(component, context)` as one turn, if the actor is alive and has a component of
  /// that family. A handler of the workload makes its rank active. The handler of a notice
  /// (`is_notice`) does so only if it starts or sends something.
  template <class Handler>
  void turn(ActorId actor, Family family, Handler handler, bool is_notice = false) {
    if (!state_.actors[actor].alive || state_.actors[actor].component(family) == nullptr) return;
    begin_turn(actor);
    Context context(turn_, family);
    handler(*current_->component(family), context);
    handled_ =
        family == Family::workload && (!is_notice || context.busy() || sent_by_workload() > 0);
    settle();
    end_turn();
  }

  // messages (runtime.cpp)
  void receive(ActorId self, Message* message);
  [[nodiscard]] bool wrong_phase(ActorId self, Message* message);
  [[gnu::noinline]] void count_detection_sent(const Message& message);
  void count_detection_received(const Message& message) {
    const NodeId node = node_of(message.to);
    if (node != node_of(message.from)) state_.nics[node].detection_bytes += message.bytes;
  }
  void wake(ActorId self);
  void drop(Message* message);

  // what leaves an actor (runtime_wire.cpp)
  void inject_wire();
  void leave_stack(ActorState& actor, Message& message);
  void note_sent(const Message& message) {
    state_.auditor.sent();
    state_.application_bytes += message.bytes;
    if (state_.channels) [[unlikely]]
      enter_in_ledger(message, true);
  }
  [[gnu::noinline]] void enter_in_ledger(const Message& message, bool sent);
  void put_on_wire(ActorId self, ActorState& actor, const std::vector<Message*>& messages,
                   bool held);
  void hold_at_fence(ActorState& actor, std::vector<Message*>::const_iterator begin,
                     std::vector<Message*>::const_iterator end);
  void pass_fence(ActorId self);
  void inject(Outgoing& outgoing, Message* message, bool held);
  void count_control(const Message& message);
  [[nodiscard]] double drawn_noise_s(const Message& message);
  void enter_network(Message& message, const Transit& transit, bool streams);
  // Kept out of the hot path, which is flattened.
  [[nodiscard, gnu::noinline]] bool is_lost_in_network(const Message& message);
  void vanish(Message* message);
  void promise_sent(const Message& message, double time_s);
  void tell_sent(ActorId self, std::uint32_t promise);

  // the NIC (runtime_nic.cpp)
  [[nodiscard]] bool comes_to_nic_by_event(NodeId node, const Message& message);
  [[nodiscard]] bool nic_serves_next(const Nic& nic, double ready_s);
  void stand_before_nic(Message* message);
  void serve_nic(NodeId node);
  void take_up(NodeId node, Message* message);
  void leave_by_nic(Nic& nic, Message& message, const Transit& transit, bool streams);
  void withdraw(Message& message);
  void note_left_bulk(NodeId node);
  [[nodiscard]] bool is_behind_bulk(NodeId node, const Message& message) const;
  void stand_behind_bulk(NodeId node, Message* message);
  void begin_bulk(NodeId node);
  [[nodiscard]] Message* before_next_bulk(NodeId node) const;
  void begin_to_leave(NodeId node, Message& message);
  void go_on_with_bulk(NodeId node);

  // actions (runtime_actions.cpp)
  void carry_out_pending();
  void carry_out(PendingAction pending);
  void carry_out(const Action& action, ActorId self);
  void timer_event(ActorId self, std::uint32_t serial);
  void handle(ActorId self, const Due& due);
  void fire_timer(ActorId self, std::uint32_t serial);
  void flush(ActorId self, const Flush& asked);
  void answer_flushes(ActorId self, Incarnation peer);
  [[nodiscard]] bool in_flight_between(Incarnation from, ActorId to);
  void announce(ActorId self);
  void start_phase(ActorId self);
  void release_early(ActorId self);
  void finish(ActorId self);
  void give_up(ActorId self, const Action& action);
  void mark(ActorId self, const Action& action);

  void compute_done(ActorId self, std::uint32_t serial);
  void cancel_computations(ActorId self, Family family);

  // local events that message logging orders (runtime_local_events.cpp)
  [[nodiscard]] bool may_happen(ActorId self, const LocalEvent& event);
  [[nodiscard]] bool can_come(ActorId self, const LocalEvent& event) const;
  void leave_out_cancelled(ActorId self);
  void offer_held_events(ActorId self);

  // faults (runtime_faults.cpp)
  void await_source(std::uint32_t source);
  void strike_from(std::uint32_t source);
  [[nodiscard]] Rank parent_of(Rank rank) const;
  void strike_by_number();
  void strike(const Victim& victim);
  void find_error(ActorId self);
  void tell_error(ActorId self);
  void stall(ActorId self, double stall_s);
  void kill_node(const Victim& victim);
  void cover_earlier_deaths(NodeId node, Incarnation daemon);
  void kill(ActorId actor, bool silent = false, Incarnation daemon = {});
  void lose_messages_of(ActorId dead);
  void forget(Message* message);

  // who hears of deaths and restarts (runtime_notices.cpp)
  void spread_word(std::uint32_t death);
  [[nodiscard]] double notice_at(double delay_s);
  void hear(ActorId self, Notice notice);
  void tell_death(ActorId listener, Notice notice);
  void tell_exit(EventKind kind, ActorId listener, Incarnation dead);
  void open_link(ActorId self, Incarnation peer);
  void break_link(ActorId holder, std::uint32_t death, bool silent);
  void report_failed(ActorId self, Incarnation peer);
  void report_death(ActorId self, std::uint32_t death);
  void hear_of_ranks(ActorId self, Incarnation daemon);
  void report_falsely(ActorId self, Incarnation peer);
  void tell_of_death(ActorId self, Incarnation peer);
  void carry_out_since(std::size_t first);
  void stop_victim(ActorId self);
  [[nodiscard]] const Refusal* refusal_of(ActorId self, Incarnation peer) const;
  [[nodiscard]] bool has_declared(ActorId self, Incarnation peer) const;
  [[nodiscard]] std::vector<Incarnation> known_failures(ActorId self) const;
  void tell_stack(ActorId self, Incarnation peer,
                  void (Component::*handler)(Context&, Incarnation));
  void learn(ActorId self, Incarnation peer);

  // restarts (runtime_restart.cpp)
  void ask_restart(ActorId self, const Action& action);
  void start_elsewhere(std::uint32_t index);
  [[nodiscard]] std::optional<NodeId> node_for(Incarnation dead, RestartOn where) const;
  [[nodiscard]] bool node_is_up(NodeId node) const;
  [[nodiscard]] bool has_place(NodeId node) const;
  void refuse_restart(Incarnation asker, Incarnation dead);
  void restart(std::uint32_t pending);
  void answer_asker(const PendingRestart& pending);
  void revive_daemon(const PendingRestart& pending);
  void revive(ActorId actor, NodeId node);
  void keep_reports(ActorId actor);
  void start_above(ActorId self, Family layer);

  // images (runtime_images.cpp)
  [[nodiscard]] bool program_waits_above(Family layer) const;
  [[nodiscard]] bool has_images_above(Family layer) const;
  [[nodiscard]] bool turn_waits_above(Family layer) const;
  [[nodiscard]] bool actor_waits_above(Family layer) const;
  [[nodiscard]] bool moves_objects(Family layer) const;
  template <class IsSuch>
  [[nodiscard]] bool any_action_waits(IsSuch is_such) const;
  void restore(ActorId self, const Action& action);
  void void_actions(ActorId self, Family layer);
  void void_waits(ActorId self, Family layer);
  void void_promises(ActorId self, Family layer);
  void put_back(ActorId self, const ImageContent& content);
  void put_back_flags(ActorState& actor, const ImageContent& content);

  // objects (runtime_objects.cpp)
  void host_object(ActorId self, const Action& action);
  void remove_object(ActorId self, const Action& action);
  void tell_moved(ActorId self, Family layer, ObjectId object);

  // what a run reports (runtime_end.cpp)
  void audit_block(const StackRequest& request);
  [[nodiscard]] RunResult result();
  void report(const ActorState& actor, std::size_t family) {
    report(actor.component(kStack[family].family), family);
  }
  void report(const Component* component, std::size_t family);
  void report_recovery_counts(Metrics& metrics) const;
  void report_recovery_stages(Metrics& metrics) const;
  void report_counts(Metrics& metrics) const;
  void report_messages(Metrics& metrics) const;
  void report_failures(Metrics& metrics) const;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double setup_s_ = 0.0;
  RunObserver* observer_ = nullptr;
  Verdict verdict_;
  Processors processors_;

  // What a turn needs. Nothing of it matters between two events.
  Turn turn_;
  Chooser* chooser_ = nullptr;       ///< null: the random streams choose
  std::span<Message* const> batch_;  ///< messages that a layer is offered on their way down
  std::vector<PendingAction> pending_actions_;  ///< in the order in which they were asked for
  std::size_t next_pending_ = 0;
  std::size_t next_request_ = 0;
  std::size_t climbing_ = 0;   ///< messages of this turn that a layer has passed up and that wait
  std::size_t idle_told_ = 0;  ///< the layer that is being told that the rank is idle; 0 if none
  bool starts_above_ = false;  ///< the workload of the current actor is about to be started
  std::int64_t conserved_before_ = 0;
  ActorState* current_ = nullptr;
  bool handled_ = false;     ///< the workload ran in this turn
  bool heard_news_ = false;  ///< a rank heard of a death in this event: the run may be over
  std::uint64_t packet_bytes_;
  double cpu_s_ = 0.0;  ///< time of the current actor's communication processor while it sends
  bool counts_actions_ = false;
  bool departures_wait_ = false;
  mutable Reach reach_ = Reach::actor;  ///< also of what a handler asks at once
  bool checking_ = false;               ///< in check_state()
  bool broken_ = false;                 ///< a broken invariant has ended the run in a turn
  ActorId checked_ = kNobody;           ///< the actor that check_state() looks at
};

}  // namespace faultline::engine
