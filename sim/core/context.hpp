#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/random.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Something that a handler asked for, beside its sends.
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
  Family family = Family::workload;  ///< whose handler asked
  bool background = false;           ///< set_timer: does not keep the run alive
  ActorId peer = kNobody;            ///< flush, report_failed, restart
  NodeId node = 0;                   ///< restart
  double delay_s = 0.0;              ///< set_timer, compute
  std::uint64_t value = 0;           ///< timer key, compute tag, value of a mark
  const char* text = nullptr;        ///< name of a mark, reason of a fatal error: a literal
};

/// Everything that happens at one actor at one moment: the handlers that run, the messages that
/// they pass down their stack, and the actions that the engine carries out when they are done.
/// One object is reused for all turns of a run.
struct Turn {
  MessagePool* pool = nullptr;
  JobShape job;
  double now_s = 0.0;
  ActorId self = kNobody;
  std::uint32_t phase = 0;
  std::int64_t computing = 0;      ///< computes running, queued or asked for in this turn
  std::int64_t declared_work = 0;  ///< of the workload
  bool active = false;             ///< was the rank active when the turn began
  std::vector<Message*> outbox[kFamilies];
  std::vector<Message*> upward[kFamilies];  ///< held messages that a layer passes up again
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

/// What a handler sees and asks with. Handlers never block: they ask for actions, which the engine
/// carries out in order when the handlers of the turn have returned, the sends first. The actor can
/// die between two of them; the rest is then dropped.
class Context {
 public:
  Context(Turn& turn, Family family) : turn_(turn), family_(family) {}

  [[nodiscard]] ActorId self() const { return turn_.self; }
  [[nodiscard]] double now_s() const { return turn_.now_s; }
  [[nodiscard]] const JobShape& job() const { return turn_.job; }
  [[nodiscard]] std::uint32_t phase() const { return turn_.phase; }

  /// Is the rank active: was it when this turn began, or has it work now?
  [[nodiscard]] bool active() const { return turn_.active || busy(); }
  /// Does the rank compute, or has its workload declared local work?
  [[nodiscard]] bool busy() const { return turn_.computing > 0 || turn_.declared_work > 0; }

  /// Sends a message of this component to its twin at `to`; fill in the payload of the result.
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

  /// The message, which this handler sends or forwards, waits until all that its sender has sent
  /// before is in the network (the send fence); the sender handles nothing until then.
  static void fence(Message& message) { message.flags |= kFence; }

  /// Layers, in on_sends: passes an offered message down. What is not forwarded is held back; the
  /// layer keeps a copy and owes its release.
  void forward(Message& offered) {
    offered.flags |= kForwarded;
    turn_.pass_down(index(), &offered);
  }
  /// Layers: passes a message down that was held back.
  void release(const Message& held) { turn_.pass_down(index(), copy(held)); }
  /// Layers: passes a message up that on_receive held.
  void deliver(const Message& held) { turn_.pass_up(index(), copy(held)); }

  /// Calls on_timer(key) after the delay; a timer with the same key is replaced. A background timer
  /// (heartbeats, polling) does not keep the run alive.
  void set_timer(std::uint64_t key, double delay_s, bool background = false) {
    ask({.kind = Action::Kind::set_timer,
         .background = background,
         .delay_s = delay_s,
         .value = key});
  }
  void cancel_timer(std::uint64_t key) { ask({.kind = Action::Kind::cancel_timer, .value = key}); }

  /// Computes on one of the worker cores, after what is queued there; then on_compute_done(tag).
  void compute(double duration_s, std::uint64_t tag = 0) {
    if (family_ == Family::workload) ++turn_.computing;
    ask({.kind = Action::Kind::compute, .delay_s = duration_s, .value = tag});
  }
  /// Declares (or with a negative count withdraws) local work that makes the rank active.
  void declare_work(std::int64_t count) { turn_.declared_work += count; }

  /// Calls on_flushed(peer) when nothing that the peer has sent to me is in flight.
  void flush(ActorId peer) { ask({.kind = Action::Kind::flush, .peer = peer}); }

  /// Termination: this process knows that the phase is over.
  void announce() { ask({.kind = Action::Kind::announce}); }
  /// This rank goes on to the next numbered phase: its detector starts anew, and messages of that
  /// phase that came early are handled. A message of the next phase does the same.
  void start_phase() { ask({.kind = Action::Kind::start_phase}); }
  /// Workload: this rank has done all that it will do.
  void finish() { ask({.kind = Action::Kind::finish}); }
  /// The protocol itself says that it cannot go on; `reason` is a literal.
  void fatal(const char* reason) { ask({.kind = Action::Kind::fatal, .text = reason}); }
  /// Failure detection: the peer is dead, as far as this actor knows. A daemon tells its ranks;
  /// an actor that reports itself stops.
  void report_failed(ActorId peer) { ask({.kind = Action::Kind::report_failed, .peer = peer}); }
  /// Holds an open connection to the peer: on_link_lost tells when it breaks.
  void open_link(ActorId peer) { ask({.kind = Action::Kind::open_link, .peer = peer}); }
  /// Restarts a dead actor on a node under its next incarnation.
  void restart(ActorId actor, NodeId node) {
    ask({.kind = Action::Kind::restart, .peer = actor, .node = node});
  }
  /// Publishes a point of the run at which faults can be told to strike; `name` is a literal.
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
