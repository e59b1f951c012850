#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/core/component.hpp"
#include "sim/core/image_content.hpp"
#include "sim/core/placement.hpp"
#include "sim/engine/actor_state.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/faults/fault_plan.hpp"
#include "sim/platform/topology.hpp"
#include "sim/platform/transit.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

struct BrokenInvariant;

/// Everything that both engines share: actors and their stacks, turns, processors, timers, fences,
/// flushes, phases, faults, restarts and the end of a run. An engine adds the passing of time and
/// the transport of messages between nodes.
class Runtime : private Services {
 public:
  Runtime(const RunSpec& spec, Topology routes, std::uint64_t seed, std::uint64_t replication);
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

  // ---- for the engines -----------------------------------------------------------------------
  /// Called when a message has reached its receiver. Handles it if the receiver is free; else it
  /// waits in the inbox.
  void arrived(Message* message);
  /// Carries out any event that is not an arrival.
  void carry_out(const Event& event);
  /// Called with an event's time before the event: counts it. False if the run ends instead.
  bool goes_on(double time_s) {
    if (time_s > spec_.stop.time_s || events_ >= spec_.stop.events || awaits_announcement_)
      if (ends_before(time_s)) return false;
    ++events_;
    return true;
  }
  void schedule(double time_s, EventKind kind, Message* message);
  void schedule(double time_s, EventKind kind, std::uint32_t actor, std::uint32_t detail);
  /// Discards a message that never entered the network because its sender died (its inject_s is
  /// kNever).
  void forget_unsent(Message* message);
  [[nodiscard]] const Topology& routes() const { return routes_; }
  /// Called when an event that keeps the run alive has left the queue.
  void foreground_done() { --foreground_; }
  /// Carries out the actions that the handlers of an event asked for. Faults that a scenario sets
  /// by event number strike here, and the state is checked.
  void after_event() {
    if (!pending_actions_.empty()) carry_out_pending();
    if (heard_news_) {
      heard_news_ = false;
      check_stop();
    }
    if (events_ >= next_attended_) attend_to_event();
  }
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// True if nothing is left to happen. Background timers keep a run alive under `stop: time`, and
  /// while a detector may still find a death that a live rank has not heard of.
  [[nodiscard]] bool quiescent() const {
    if (foreground_ > 0) return false;
    return background_ == 0 || (spec_.stop.when != StopWhen::time && all_have_heard());
  }
  [[nodiscard]] NodeId node_of(ActorId actor) const { return placement_.node_of(actor); }
  [[nodiscard]] std::uint32_t node_count() const { return nodes_; }
  /// The number of ranks and, if there are daemons, of daemons.
  [[nodiscard]] std::uint32_t actor_count() const {
    return static_cast<std::uint32_t>(actors_.size());
  }
  /// Called when an actor has restarted on another node.
  virtual void moved(ActorId /*actor*/) {}
  /// Called in simulate() by an engine that has something to build first, when it is built. Sets
  /// RunResult::setup_s.
  void set_up_done();
  [[nodiscard]] const RunSpec& spec() const { return spec_; }
  [[nodiscard]] const Machine& machine() const { return spec_.platform.machine; }
  /// The random extra delay of the actor's next message; zero under fifo ordering.
  [[nodiscard]] double unordered_delay_s(ActorId from);
  [[nodiscard]] bool fifo() const { return network_random_.empty(); }

  // Hints about memory that an event will soon touch. They change no result. GCC believes that a
  // function that only prefetches has no effect, and drops its calls; the empty asm prevents that.
  static void prefetch(const void* begin, std::size_t bytes) {
    const auto* byte = static_cast<const char*>(begin);
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(byte + line);
    asm volatile("");
  }
  void prefetch_actor(ActorId actor) const { prefetch(&actors_[actor], sizeof(ActorState)); }
  void prefetch_components(ActorId actor) const {
    const ActorState& state = actors_[actor];
    if (state.workload) prefetch(state.workload.get(), 64);
    if (state.lower) prefetch_lower(*state.lower);
    if (state.inbox_tail != nullptr) prefetch(state.inbox_tail, sizeof(Message));
    prefetch(&nics_[node_of(actor)], sizeof(Nic));
  }

  /// The NIC of a node. Where several actors share it, messages that find it busy queue before it,
  /// in the order in which they became ready.
  struct Nic {
    double free_s = 0.0;             ///< when it can take up the next message
    double intake_free_s = -kNever;  ///< when it can take in the next (loggp: plus the overhead)
    Message* head = nullptr;
    Message* tail = nullptr;
    Message* logging_tail = nullptr;  ///< the last message of message logging in that queue
    std::uint32_t expected = 0;       ///< messages sent through it that it has not taken up yet
    bool awaited = false;             ///< a nic_free event is scheduled
  };

  static void prefetch_lower(const LowerStack& lower) {
    for (const auto& component : lower.components)
      if (component) prefetch(component.get(), sizeof(Component));
  }

  EventQueue queue_;
  double now_s_ = 0.0;
  LargeVector<Nic> nics_;  ///< per node

 private:
  /// Values of Event::at.detail for a fault. Event::at.actor is then the index of a fault that the
  /// scenario states, or of a source that draws faults.
  static constexpr std::uint32_t kStatedFault = 0;
  static constexpr std::uint32_t kDrawnFault = 1;
  struct KindCount {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  struct SentPromise {
    ActorId from;  ///< kNobody once nobody waits for it any more
    ActorId to;
    std::uint16_t kind;
    std::uint16_t incarnation;
    Family channel;
  };
  struct PendingAction {
    Incarnation self;
    Action action;
  };
  /// A restart that the resource manager has been asked for.
  struct PendingRestart {
    Incarnation dead;
    NodeId node;
    Incarnation asker;
  };

  void place_actors();
  [[nodiscard]] bool nodes_matter() const;
  [[nodiscard]] bool shares_nics() const;
  void make_components(ActorId actor);
  void start_all();
  void start_actor(ActorId actor);
  void start_levels(ActorId actor, std::size_t top, std::size_t below);
  [[nodiscard]] Incarnation known(ActorId self, ActorId peer) const override;
  [[nodiscard]] std::optional<Image> capture(Family layer) const override;
  [[nodiscard]] Incarnation incarnation_of(ActorId actor) const {
    return {actor, actors_[actor].incarnation};
  }
  [[nodiscard]] bool is_rank(ActorId actor) const { return actor < job_.processes; }

  /// Shows an event to the observer. Call it only after `if (observer_ != nullptr)`, so that a run
  /// without an observer does not pay for it.
  [[gnu::cold]] void show(const Sight& sight) { observer_->see(sight); }
  void show_placement();
  void show_loss(const Message& message);
  void show_leaving(Sight::Kind kind, const Message& message, double time_s);
  void show_about(Sight::Kind kind, ActorId actor, ActorId peer = kNobody);
  void simulate_all();
  void attend_to_event();

  // what must hold between two events (runtime_invariants.cpp)
  struct Recount;
  void check_state();
  void check_actor(ActorId self, Recount& recount);
  void check_inbox(const ActorState& actor, Recount& recount) const;
  void check_rare_state(const ActorState& actor, Recount& recount) const;
  void check_nic(NodeId node, Recount& recount) const;
  void count_event(const Event& event, Recount& recount) const;
  void compare(const Recount& recount) const;
  void end_broken(const BrokenInvariant& broken);
  [[nodiscard]] std::string place_of_break() const;

  // turns (runtime_turn.cpp)
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
  void tell_idle();
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
    if (!actors_[actor].alive || actors_[actor].component(family) == nullptr) return;
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
  [[nodiscard]] bool reachable(const ActorState& actor, const Message& message) const;
  [[nodiscard]] bool blocked(const ActorState& actor) const;
  [[nodiscard]] bool wrong_phase(ActorId self, Message* message);
  [[nodiscard]] bool refuses(ActorId self, const Message& message) const;
  void wake(ActorId self);
  void schedule_wake(ActorState& actor, ActorId self);
  void drop(Message* message);

  // what leaves an actor (runtime_wire.cpp)
  void inject_wire();
  void leave_stack(ActorState& actor, Message& message);
  void note_sent(const Message& message) {
    auditor_.sent();
    application_bytes_ += message.bytes;
  }
  void put_on_wire(ActorId self, ActorState& actor, const std::vector<Message*>& messages,
                   bool held);
  void hold_at_fence(ActorState& actor, std::vector<Message*>::const_iterator begin,
                     std::vector<Message*>::const_iterator end);
  void pass_fence(ActorId self);
  void inject(ActorState& actor, Message* message, bool held);
  void count_control(const Message& message);
  [[nodiscard]] Transit transit_of(const Message& message) const;
  [[nodiscard]] bool nic_serves_next(const Nic& nic, double ready_s) const;
  [[nodiscard]] bool sender_is_gone(const Message& message) const;
  void enter_network(Message& message, const Transit& transit);
  void stand_before_nic(Message* message);
  void serve_nic(NodeId node);
  void take_up(NodeId node, Message* message);
  void withdraw(Message& message);
  void promise_sent(const Message& message, double time_s);
  void tell_sent(ActorId self, std::uint32_t promise);

  // actions (runtime_actions.cpp)
  void carry_out_pending();
  void carry_out(PendingAction pending);
  void carry_out(const Action& action, ActorId self);
  void set_timer(ActorId self, const Action& action);
  void cancel_timer(ActorState& actor, Family family, std::uint64_t key);
  void fire_timer(ActorId self, std::uint32_t serial);
  void start_compute(ActorId self, Computation computation);
  void compute_done(ActorId self, std::uint32_t serial);
  void take_from_workers(ActorId self, double spent_s);
  [[nodiscard]] ActorState* computing_on_node(NodeId node);
  void flush(ActorId self, const Flush& asked);
  void answer_flushes(ActorId self, Incarnation peer);
  [[nodiscard]] bool in_flight_between(Incarnation from, ActorId to);
  void announce(ActorId self);
  void start_phase(ActorId self);
  void release_early(ActorId self);
  void finish(ActorId self);
  void give_up(ActorId self, const Action& action);
  void mark(ActorId self, const char* name, std::int64_t value);

  // faults (runtime_faults.cpp)
  void add_fault_sources();
  void await_source(std::uint32_t source);
  void strike_from(std::uint32_t source);
  [[nodiscard]] Rank parent_of(Rank rank) const;
  void strike(const std::vector<Victim>& victims);
  void strike_by_number();
  void kill_node(const Victim& victim);
  void kill(ActorId actor, bool silent = false);
  void lose_messages_of(ActorId dead);
  void forget(Message* message);

  // who hears of deaths and restarts (runtime_notices.cpp)
  void spread_word(Incarnation dead, bool silent);
  [[nodiscard]] double notice_at(double delay_s);
  void tell_exit(EventKind kind, ActorId listener, Incarnation dead);
  void open_link(ActorId self, Incarnation peer);
  void break_link(ActorId holder, std::uint32_t death, bool silent);
  void report_failed(ActorId self, Incarnation peer);
  void note_report(ActorId self, Incarnation peer);
  void report_at_once(ActorId self, Incarnation peer);
  void stop_victim(ActorId self);
  [[nodiscard]] const Report* report_of(ActorId self, Incarnation peer) const;
  [[nodiscard]] std::vector<Incarnation> known_failures(ActorId self) const;
  void tell_stack(ActorId self, Incarnation peer,
                  void (Component::*handler)(Context&, Incarnation));
  void learn(ActorId self, Incarnation peer);

  // restarts (runtime_restart.cpp)
  void ask_restart(ActorId self, const Action& action);
  [[nodiscard]] std::optional<NodeId> node_for(Incarnation dead, RestartOn where) const;
  [[nodiscard]] bool node_is_up(NodeId node) const;
  [[nodiscard]] bool has_place(NodeId node) const;
  void refuse_restart(Incarnation asker, Incarnation dead);
  void restart(std::uint32_t pending);
  void revive(ActorId actor, NodeId node);
  void keep_reports(ActorId actor);
  void start_above(ActorId self, Family layer);

  // images (runtime_images.cpp)
  [[nodiscard]] bool has_images_above(Family layer) const;
  [[nodiscard]] bool turn_waits_above(Family layer) const;
  [[nodiscard]] bool actor_waits_above(Family layer) const;
  void restore(ActorId self, const Action& action);
  void void_actions(ActorId self, Family layer);
  void void_waits(ActorId self, Family layer);
  void void_promises(ActorId self, Family layer);
  void put_back(ActorId self, const ImageContent& content);
  void put_back_flags(ActorState& actor, const ImageContent& content);

  // the end (runtime_end.cpp)
  [[nodiscard]] bool ends_before(double time_s);
  void check_stop();
  [[nodiscard]] bool all_faults_reported() const;
  [[nodiscard]] bool all_have_heard() const;
  [[nodiscard]] bool word_spreads() const;
  [[nodiscard]] bool awaits_recovery() const;
  [[nodiscard]] bool misled(const RunResult& result) const;
  [[nodiscard]] bool unannounced() const;
  [[nodiscard]] bool all_know() const;
  void stop(Outcome outcome);
  void conclude();
  void describe_stuck(const std::string& kind);
  [[nodiscard]] RunResult result();
  void check_end();
  void report(const ActorState& actor, std::size_t family) {
    report(actor.component(kStack[family].family), family);
  }
  void report(const Component* component, std::size_t family);
  void report_recovery_counts(Metrics& metrics) const;
  void report_counts(Metrics& metrics) const;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double setup_s_ = 0.0;
  RunSpec spec_;
  std::uint64_t seed_;
  std::uint64_t replication_;
  JobShape job_;
  std::uint32_t nodes_;
  std::array<ComponentFactory, kFamilies> factories_;
  LargeVector<ActorState> actors_;  ///< ranks, then one daemon per node if nodes matter
  Placement placement_;
  bool nics_are_shared_;  ///< several actors may send through one NIC
  Topology routes_;
  std::vector<Stream> network_random_;  ///< per actor, only if unordered
  MessagePool pool_;
  Auditor auditor_;
  RunObserver* observer_ = nullptr;
  FaultPlan faults_;

  std::vector<SentPromise> sent_promises_;
  std::vector<std::uint32_t> free_promises_;

  Turn turn_;
  std::vector<Message*> batch_;
  std::vector<PendingAction> pending_actions_;  ///< in the order in which they were asked for
  std::size_t next_pending_ = 0;
  std::size_t next_request_ = 0;
  std::size_t climbing_ = 0;   ///< messages of this turn that a layer has passed up and that wait
  std::size_t idle_told_ = 0;  ///< the layer that is being told that the rank is idle; 0 if none
  bool starts_above_ = false;  ///< the workload of the current actor is about to be started
  std::int64_t conserved_before_ = 0;
  ActorState* current_ = nullptr;
  bool handled_ = false;  ///< the workload ran in this turn
  double cpu_s_ = 0.0;    ///< time of the current actor's communication processor while it sends

  bool awaits_announcement_ = false;
  bool audits_conserved_ = false;
  bool shares_cores_ = false;  ///< what processors do may take time from computations
  bool any_death_ = false;
  bool any_flush_ = false;
  bool any_refusal_ = false;
  bool any_restart_ = false;
  bool daemons_share_cores_ = false;
  bool detector_is_accurate_ = false;
  std::optional<ExitNotice> exit_notice_;
  std::vector<Incarnation> deaths_in_order_;  ///< events name a death by its place in this list
  std::vector<bool> death_was_silent_;
  /// The ranks that have died with a node, by its daemon.
  std::map<Incarnation, std::vector<Incarnation>> died_with_node_;
  /// By node: when it is in operation again after its last failure, -kNever if it has not failed.
  /// Empty if no node can fail.
  std::vector<double> node_back_s_;
  std::vector<PendingRestart> pending_restarts_;
  /// The components of dead incarnations above message logging. They have reported nothing: what
  /// they have counted stays part of the result if the actor starts anew, but not if an image takes
  /// their place.
  std::map<ActorId, std::array<std::unique_ptr<Component>, kFamilies>> unreported_;
  std::uint32_t serial_ = 0;
  std::uint64_t sequence_ = 0;
  std::int64_t foreground_ = 0;
  std::int64_t background_ = 0;  ///< background timers that are set
  std::uint64_t events_ = 0;
  std::uint64_t next_attended_ = 0;  ///< the event after which attend_to_event() is due
  std::uint64_t next_checked_ = 0;   ///< the event after which check_state() is due
  bool checking_ = false;            ///< in check_state()
  bool broken_ = false;              ///< a broken invariant has ended the run in a turn
  ActorId checked_ = kNobody;        ///< the actor that check_state() looks at
  std::uint32_t live_ranks_ = 0;
  std::uint32_t announced_ranks_ = 0;
  std::uint32_t finished_ranks_ = 0;
  double announce_time_s_ = 0.0;
  double notices_until_s_ = 0.0;  ///< when the last notice of a death arrives or has arrived
  std::uint64_t deaths_ = 0;      ///< of ranks and daemons
  std::uint64_t faults_struck_ = 0;
  double first_fault_s_ = 0.0;
  double last_fault_s_ = 0.0;
  bool stopped_ = false;
  bool heard_news_ = false;  ///< a report was made in this event, so that the run may be over
  Outcome outcome_ = Outcome::limit;
  std::string fatal_reason_;
  ActorId fatal_actor_ = kNobody;
  Family fatal_family_ = Family::workload;
  std::array<MetricTotals, kFamilies> reported_;  ///< of all phases and incarnations
  std::array<std::vector<KindCount>, kFamilies> control_;
  std::uint64_t application_bytes_ = 0;
};

}  // namespace faultline
