#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// What became of a message.
enum class Fate : std::uint8_t {
  handled,
  receiver_died,       ///< before it was handled, or before it was sent
  receiver_restarted,  ///< it was for the receiver's life before
  sender_died,         ///< before it was in the network
  refused,             ///< its sender had been declared dead, falsely
  stale,               ///< a control message of a phase that was over
  under_way,           ///< when the run ended
};

/// "" for a message that was handled, else why it was not.
const char* fate_words(Fate fate);

/// A message from the moment at which its sender's processor takes it up to the one at which it is
/// handled or lost.
struct TracedMessage {
  ActorId from = kNobody;
  ActorId to = kNobody;
  Family family = Family::workload;  ///< whose message it is
  std::uint16_t kind = 0;            ///< index into the message kinds of its component
  Fate fate = Fate::under_way;
  std::uint32_t bytes = 0;
  std::uint32_t phase = 0;
  double begin_s = 0.0;
  double inject_s = 0.0;        ///< when its bytes enter the network
  double end_s = 0.0;           ///< the end of the run for those under way then
  std::size_t begin_order = 0;  ///< the place of its beginning and its end among all that was seen
  std::size_t end_order = 0;
};

/// What an actor was at for some time.
struct TracedSpan {
  enum class Kind : std::uint8_t {
    handling,   ///< its processor takes a message in, or sends some, or both
    computing,  ///< on a worker core
    active,
    dead,
  };
  static constexpr std::uint32_t kNoMessage = 0xffffffff;

  Kind kind = Kind::handling;
  ActorId actor = kNobody;
  double begin_s = 0.0;
  double end_s = 0.0;
  std::uint32_t core = 0;               ///< computing: of the rank's worker cores
  std::uint32_t received = kNoMessage;  ///< handling: index of the message that it takes in
  std::size_t order = 0;                ///< the place of its beginning
  std::uint32_t sends = 0;              ///< handling: how many messages it sends
};

/// What happened at an actor at one moment. Of the kinds of Sight, those from `announced` on are
/// here.
struct TracedMoment {
  Sight::Kind kind = Sight::Kind::mark;
  double time_s = 0.0;
  ActorId actor = kNobody;
  ActorId peer = kNobody;
  std::uint64_t value = 0;
  const char* text = nullptr;
  std::size_t order = 0;
};

/// A run as it is drawn: everything that an observer has seen, in the order in which it began.
struct RunTrace {
  std::uint32_t processes = 0;  ///< actors beyond are the daemons of nodes
  std::vector<NodeId> node_of;  ///< of every actor, at the start
  std::vector<TracedMessage> messages;
  std::vector<TracedSpan> spans;
  std::vector<TracedMoment> moments;
  RunResult result;
  double end_s = 0.0;  ///< of the run

  [[nodiscard]] bool is_daemon(ActorId actor) const { return actor >= processes; }
};

/// What to draw a run with, beside what happened in it.
struct TraceTitle {
  std::string scenario;  ///< its name
  std::string point;     ///< what tells it from the scenario's others, or ""
  std::string engine;
  std::uint64_t seed = 1;
  std::uint64_t replication = 0;
};

/// "process 3", "daemon of node 1".
std::string actor_name(const RunTrace& trace, ActorId actor);

/// The group of things that a moment belongs to (announcement, failure or mark), and what the actor
/// does or hears then.
struct MomentWords {
  const char* category;
  std::string what;
};
MomentWords words_of(const RunTrace& trace, const TracedMoment& moment);

/// Puts a run together from what it sees. It keeps everything, so it is for small runs.
class TraceRecorder final : public RunObserver {
 public:
  explicit TraceRecorder(std::uint32_t processes) { trace_.processes = processes; }

  void see(const Sight& sight) override;

  /// Ends what has not ended. Call once, with what the run gave.
  RunTrace finish(RunResult result);

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Core {
    std::uint64_t serial = 0;
    std::size_t span = kNone;
  };
  struct Actor {
    std::size_t handling = kNone;  ///< its last span of each kind
    std::size_t active = kNone;
    std::size_t dead = kNone;
    std::vector<Core> cores;
    std::uint32_t phase = 0;
  };

  void placed(const Sight& sight);
  void sent(const Sight& sight);
  void sending(const Sight& sight);
  void received(const Sight& sight);
  void lost(const Sight& sight);
  void compute_began(const Sight& sight);
  void compute_ended(const Sight& sight);
  void died(const Sight& sight);
  void restarted(const Sight& sight);
  std::size_t open(TracedSpan::Kind kind, ActorId actor, double time_s);
  void close(std::size_t& span, double time_s);
  [[nodiscard]] Fate fate_of(const Message& message) const;

  RunTrace trace_;
  std::size_t order_ = 0;  ///< how much has been seen
  std::vector<Actor> actors_;
  /// By address: nothing may depend on the order of this.
  std::map<const Message*, std::size_t> under_way_;
};

/// The name of a message's kind as its component declares it.
std::string kind_name(const RunSpec& spec, Family family, std::uint16_t kind);

}  // namespace faultline
