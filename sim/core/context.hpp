#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/random.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// One request of a handler to the engine. Sends are kept apart, in Turn::outbox.
struct Action {
  enum class Kind : std::uint8_t {
    set_timer,
    cancel_timer,
    compute,
    flush,
    announce,
    start_phase,
    finish,
    fatal,
    report_failed,
    open_link,
    restart,
    mark,
  };
  Kind kind = Kind::announce;
  Family family = Family::workload;  ///< the component whose handler asked
  bool background = false;           ///< set_timer: does not keep the run alive
  ActorId peer = kNobody;            ///< flush, report_failed, restart
  NodeId node = 0;                   ///< restart
  double delay_s = 0.0;              ///< set_timer, compute
  std::uint64_t value = 0;           ///< timer key, compute tag, value of a mark
  const char* text = nullptr;        ///< name of a mark, reason of a fatal error; a string literal
};

/// Everything that happens at one actor at one moment: handlers run, pass messages down the stack,
/// and ask for actions, which the engine carries out when the handlers have returned. One object
/// is reused for all turns of a run.
struct Turn {
  MessagePool* pool = nullptr;
  JobShape job;
  double now_s = 0.0;
  ActorId self = kNobody;
  std::uint32_t phase = 0;
  std::int64_t computing = 0;      ///< computations running, queued or asked for in this turn
  std::int64_t declared_work = 0;  ///< local work that the workload has declared
  bool active = false;             ///< whether the rank was active when the turn began
  std::vector<Message*> outbox[kFamilies];
  std::vector<Message*> upward[kFamilies];  ///< messages that a layer held and now passes up
  std::uint32_t waiting = 0;  ///< bit 2 f: outbox[f] has messages; bit 2 f + 1: upward[f] has
  std::vector<Action> actions;

  void pass_down(std::size_t family, Message* message) {
    outbox[family].push_back(message);
    waiting |= 1U << (2 * family);
  }
  void pass_up(std::size_t family, Message* message) {
    upward[family].push_back(message);
    waiting |= 2U << (2 * family);
  }
};

/// A handler's view of the run, and its way to ask the engine for actions. Handlers never block.
/// The engine carries out the actions in order when the handlers of the turn have returned, the
/// sends first. If the actor dies between two actions, the rest is dropped.
class Context {
 public:
  Context(Turn& turn, Family family) : turn_(turn), family_(family) {}

  [[nodiscard]] ActorId self() const { return turn_.self; }
  [[nodiscard]] double now_s() const { return turn_.now_s; }
  [[nodiscard]] const JobShape& job() const { return turn_.job; }
  [[nodiscard]] std::uint32_t phase() const { return turn_.phase; }

  /// True if the rank was active when this turn began, or has work now.
  [[nodiscard]] bool active() const { return turn_.active || busy(); }
  /// True if the rank computes, or its workload has declared local work.
  [[nodiscard]] bool busy() const { return turn_.computing > 0 || turn_.declared_work > 0; }

  /// Sends a message to the same component of the actor `to`. The caller fills in the payload of
  /// the message that is returned.
  Message& send(ActorId to, std::uint16_t kind, std::uint32_t bytes) {
    Message* message = turn_.pool->take();
    message->from = turn_.self;
    message->to = to;
    message->kind = kind;
    message->channel = family_;
    message->bytes = bytes;
    message->phase = turn_.phase;
    turn_.pass_down(index(), message);
    return *message;
  }

  /// Puts a send fence before a message that this handler sends or forwards: the message waits
  /// until everything its sender has sent before is in the network. The sender handles nothing
  /// until then.
  static void fence(Message& message) { message.flags |= kFence; }

  /// For layers, in on_sends: passes an offered message down. A message that is not forwarded is
  /// held back; the layer must keep a copy and release it later.
  void forward(Message& offered) {
    offered.flags |= kForwarded;
    turn_.pass_down(index(), &offered);
  }
  /// For layers: passes down a message that was held back in on_sends.
  void release(const Message& held) { turn_.pass_down(index(), copy(held)); }
  /// For layers: passes up a message that was held in on_receive.
  void deliver(const Message& held) { turn_.pass_up(index(), copy(held)); }

  /// Asks for on_timer(key) after the delay. Replaces a timer with the same key. A background timer
  /// (heartbeats, polling) does not keep the run alive.
  void set_timer(std::uint64_t key, double delay_s, bool background = false) {
    ask({.kind = Action::Kind::set_timer,
         .background = background,
         .delay_s = delay_s,
         .value = key});
  }
  void cancel_timer(std::uint64_t key) { ask({.kind = Action::Kind::cancel_timer, .value = key}); }

  /// Queues a computation on the worker cores. on_compute_done(tag) is called when it has ended.
  void compute(double duration_s, std::uint64_t tag = 0) {
    if (family_ == Family::workload) ++turn_.computing;
    ask({.kind = Action::Kind::compute, .delay_s = duration_s, .value = tag});
  }
  /// Declares local work, which makes the rank active. A negative count withdraws work.
  void declare_work(std::int64_t count) { turn_.declared_work += count; }

  /// Asks for on_flushed(peer) as soon as nothing from the peer to this actor is in flight.
  void flush(ActorId peer) { ask({.kind = Action::Kind::flush, .peer = peer}); }

  /// Termination: this process knows that the phase is over.
  void announce() { ask({.kind = Action::Kind::announce}); }
  /// Moves this rank on to the next numbered phase. Its detector starts afresh, and messages of
  /// that phase that came early are handled. Receiving a message of the next phase has the same
  /// effect.
  void start_phase() { ask({.kind = Action::Kind::start_phase}); }
  /// Workload: this rank has done everything it will ever do.
  void finish() { ask({.kind = Action::Kind::finish}); }
  /// The protocol itself gives up: it cannot go on. `reason` must be a string literal.
  void fatal(const char* reason) { ask({.kind = Action::Kind::fatal, .text = reason}); }
  /// Failure detection: this actor takes the peer for dead. A daemon's report goes to its ranks.
  /// An actor that reports itself stops.
  void report_failed(ActorId peer) { ask({.kind = Action::Kind::report_failed, .peer = peer}); }
  /// Opens a connection to the peer. on_link_lost(peer) is called when it breaks.
  void open_link(ActorId peer) { ask({.kind = Action::Kind::open_link, .peer = peer}); }
  /// Restarts a dead actor on the given node, with its incarnation number raised by one.
  void restart(ActorId actor, NodeId node) {
    ask({.kind = Action::Kind::restart, .peer = actor, .node = node});
  }
  /// Marks a point of the run at which a scenario can let a fault strike. `name` must be a string
  /// literal.
  void mark(const char* name, std::int64_t value) {
    ask({.kind = Action::Kind::mark, .value = static_cast<std::uint64_t>(value), .text = name});
  }

 private:
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(family_); }
  void ask(Action action) {
    action.family = family_;
    turn_.actions.push_back(action);
  }
  Message* copy(const Message& held) {
    Message* message = turn_.pool->take();
    *message = held;
    message->flags = held.flags & (kNotifySent | kFence);
    message->next = nullptr;
    return message;
  }

  Turn& turn_;
  Family family_;
};

}  // namespace faultline
