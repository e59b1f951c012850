// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::traces {

/// The fate of a message.
enum class Fate : std::uint8_t {
  handled,
  receiver_died,       ///< died before the message was handled or sent
  receiver_restarted,  ///< the message was for its previous incarnation
  sender_died,         ///< died before the message was in the network
  lost_in_network,     ///< lost by a cut, or as the scenario allows
  refused,             ///< the sender had been falsely declared dead
  stale,               ///< a control message of a phase that was over
  under_way,           ///< still on its way at the end of the run
};

/// The words for why a message was not handled; "" if it was.
const char* fate_words(Fate fate);

/// A message, from the moment when its sender's processor begins to send it until it is handled or
/// lost.
struct TracedMessage {
  ActorId from = kNobody;
  ActorId to = kNobody;
  Family family = Family::workload;  ///< of the component that sent it
  std::uint16_t kind = 0;            ///< index into the message kinds of its component
  Fate fate = Fate::under_way;
  std::uint64_t bytes = 0;
  std::uint32_t phase = 0;
  std::uint32_t from_object = 0;
  std::uint32_t to_object = 0;
  double begin_s = 0.0;
  double inject_s = 0.0;        ///< when its bytes enter the network
  double end_s = 0.0;           ///< for a message under way: the end of the run
  std::size_t begin_order = 0;  ///< its begin and end, numbered among all sights
  std::size_t end_order = 0;
};

/// What an actor did for some time.
struct TracedSpan {
  enum class Kind : std::uint8_t {
    handling,   ///< its processor receives a message, sends messages, or does both
    computing,  ///< on a worker core
    active,
    dead,
  };
  static constexpr std::uint32_t kNoMessage = 0xffffffff;

  Kind kind = Kind::handling;
  ActorId actor = kNobody;
  double begin_s = 0.0;
  double end_s = 0.0;
  std::uint32_t core = 0;               ///< computing: which of the rank's worker cores
  std::uint32_t received = kNoMessage;  ///< handling: index of the message received
  std::size_t order = 0;                ///< its begin, numbered among all sights
  std::uint32_t sends = 0;              ///< handling: number of messages sent
};

/// What happened at an actor at one moment. It has the kinds of Sight from `announced` on.
struct TracedMoment {
  audit::Sight::Kind kind = audit::Sight::Kind::mark;
  double time_s = 0.0;
  ActorId actor = kNobody;
  ActorId peer = kNobody;
  std::uint64_t value = 0;
  const char* text = nullptr;
  std::size_t order = 0;
};

/// A run to be drawn: everything that an observer saw, in the order in which it began.
struct RunTrace {
  std::uint32_t processes = 0;  ///< actors from this number on are the nodes' daemons
  std::vector<NodeId> node_of;  ///< of each actor, at the start
  std::vector<TracedMessage> messages;
  std::vector<TracedSpan> spans;
  std::vector<TracedMoment> moments;
  engine::RunResult result;
  double end_s = 0.0;  ///< of the run

  [[nodiscard]] bool is_daemon(ActorId actor) const { return actor >= processes; }
};

/// The content of the title of a drawing.
struct TraceTitle {
  std::string scenario;  ///< its name
  std::string point;     ///< the words that distinguish it in the scenario, or ""
  std::string engine;
  std::uint64_t seed = 1;
  std::uint64_t replication = 0;
  std::string left_out = {};  ///< names of the kinds of messages that it leaves out, or ""
};

/// "process 3", "daemon of node 1".
std::string actor_name(const RunTrace& trace, ActorId actor);

/// The category of a moment (announcement, failure or mark), and what the actor does or hears then.
struct MomentWords {
  const char* category;
  std::string what;
};
MomentWords words_of(const RunTrace& trace, const TracedMoment& moment);

/// Kinds of messages, each with the family of the component that sends it.
using MessageKinds = std::set<std::pair<Family, std::uint16_t>>;

/// Records a run as it sees it, except for messages of some kinds and for what processors do for
/// these alone. It keeps everything else, so it is for small runs only.
class TraceRecorder final : public audit::RunObserver {
 public:
  explicit TraceRecorder(std::uint32_t processes, MessageKinds left_out = {})
      : left_out_(std::move(left_out)) {
    trace_.processes = processes;
  }

  void see(const audit::Sight& sight) override;

  /// Ends everything that is still open, and returns the trace. Call once, with the result of the
  /// run.
  RunTrace finish(engine::RunResult result);

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Core {
    std::uint64_t serial = 0;
    std::size_t span = kNone;
  };
  struct Actor {
    std::size_t handling = kNone;  ///< index of its last span of each kind
    std::size_t active = kNone;
    std::size_t dead = kNone;
    std::vector<Core> cores;
    std::uint32_t phase = 0;
    std::uint16_t incarnation = 0;
    std::uint64_t unseen = 0;  ///< omitted messages among those that it sends now
  };

  void placed(const audit::Sight& sight);
  void sent(const audit::Sight& sight);
  void injected(const audit::Sight& sight);
  void sending(const audit::Sight& sight);
  void received(const audit::Sight& sight);
  void lost(const audit::Sight& sight);
  void compute_began(const audit::Sight& sight);
  void compute_ended(const audit::Sight& sight);
  void died(const audit::Sight& sight);
  void restarted(const audit::Sight& sight);
  std::size_t open(TracedSpan::Kind kind, ActorId actor, double time_s);
  void close(std::size_t& span, double time_s);
  [[nodiscard]] Fate fate_of(const Message& message) const;

  MessageKinds left_out_;
  RunTrace trace_;
  std::size_t order_ = 0;  ///< number of sights so far
  std::vector<Actor> actors_;
  /// Ordered by address, so no result may depend on its order.
  std::map<const Message*, std::size_t> under_way_;
};

/// The name that a component declares for a kind of its messages.
std::string kind_name(const scenario::RunSpec& spec, Family family, std::uint16_t kind);

/// The names of all kinds of messages that a run can have, sorted.
std::vector<std::string> kind_names(const scenario::RunSpec& spec);

/// The kinds that have one of these names.
MessageKinds kinds_named(const scenario::RunSpec& spec, const std::vector<std::string>& names);

/// The group of these messages: "application", "detection" (of a failure detector) or "control".
const char* message_group(Family family);

}  // namespace faultline::traces
