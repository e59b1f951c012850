#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/audit/block_ledgers.hpp"
#include "sim/audit/channel_ledgers.hpp"
#include "sim/audit/recovery_stages.hpp"
#include "sim/core/boxed.hpp"
#include "sim/core/component.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/placement.hpp"
#include "sim/core/random.hpp"
#include "sim/engine/actors/actor_state.hpp"
#include "sim/engine/events/schedule.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/membership/deaths.hpp"
#include "sim/engine/network/bulk_intake.hpp"
#include "sim/engine/network/last_messages.hpp"
#include "sim/engine/state/state_parts.hpp"
#include "sim/engine/storage/stable_storage.hpp"
#include "sim/engine/verdict/run_ending.hpp"
#include "sim/faults/fault_plan.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

/// The NIC of a node. Every message between nodes touches two, so none lies in two cache lines.
struct alignas(32) Nic {
  double free_s = 0.0;                ///< when it can take up the next message
  double intake_free_s = -kNever;     ///< when it can take in the next (loggp: plus the overhead)
  std::uint64_t detection_bytes = 0;  ///< of failure detection, sent to and received from others
  std::uint32_t expected = 0;         ///< messages sent through it that it has not taken up yet
  bool awaited = false;               ///< messages queue before it, and a nic_free is scheduled
  bool sends_bulk = false;            ///< a message of several packets is leaving, or has left
  bool takes_in_bulk = false;         ///< loggp engine: one is coming in
};
static_assert(sizeof(Nic) == 32);

/// The messages that have found the NIC of a node busy, in the order in which they became ready.
/// Those of message logging stand before all others.
struct NicQueue {
  Message* head = nullptr;
  Message* tail = nullptr;          ///< if there is any
  Message* logging_tail = nullptr;  ///< the last message of message logging

  void add(Message* message) {
    const bool goes_first = message->channel == Family::message_logging;
    Message* const before = goes_first ? logging_tail : head != nullptr ? tail : nullptr;
    Message*& place = before != nullptr ? before->next : head;
    message->next = goes_first ? place : nullptr;
    if (message->next == nullptr) tail = message;
    place = message;
    if (goes_first) logging_tail = message;
  }
  /// There is one.
  Message* take_first() { return take_after(nullptr); }
  /// The one behind that, or the first. There is one.
  Message* take_after(Message* before) {
    Message*& place = before != nullptr ? before->next : head;
    Message* message = place;
    place = message->next;
    if (tail == message) tail = before;
    // All before one of message logging are.
    if (logging_tail == message) logging_tail = before;
    return message;
  }
};

/// The messages of several packets before a NIC, and what must not overtake them.
struct BulkQueue {
  struct Pair {
    ActorId from = kNobody;
    ActorId to = kNobody;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  NicQueue waiting;
  std::vector<Pair> waits;  ///< of these, in any order
  Pair leaves;              ///< of the one that is leaving, if Nic::sends_bulk
  double until_s = 0.0;     ///< when that has left
  // loggp engine:
  Message* leaving = nullptr;    ///< that one, unless the network loses it
  Transit transit{};             ///< what it was when that began to leave
  double network_delay_s = 0.0;  ///< what it takes longer in the network than others
  bool is_on_link = false;       ///< so that its arrival is not scheduled yet
  Inflow inflow{};               ///< at its receiver, unless it is on a link

  bool awaited = false;  ///< a nic_free is scheduled
};

/// An on_sent that is to come.
struct SentPromise {
  ActorId from;  ///< kNobody once nobody waits for it any more
  ActorId to;
  std::uint16_t kind;
  std::uint16_t incarnation;
  Family channel;
};

/// A restart that the resource manager has been asked for.
struct PendingRestart {
  Incarnation dead;
  NodeId node;
  RestartOn where;
  Incarnation asker;
};

/// Messages of one kind that have been sent.
struct KindCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// A component for each family, where there is one.
using Components = std::array<Boxed<Component>, kFamilies>;

/// The messages of a run. Whoever copies them repoints what points to them.
struct Messages : MessagePool {
  Messages() = default;
  Messages(const Messages&) = default;
  Messages(Messages&&) noexcept = default;
  Messages& operator=(const Messages& other) { return *this = Messages(other); }
  Messages& operator=(Messages&&) noexcept = default;
  ~Messages() = default;
};

/// Everything of a run that changes, between two events. It is a value: a copy goes on as the
/// original does, and shares nothing with it that changes.
struct RunState {
  /// Before the first event, without components.
  explicit RunState(const RunJob& job);
  RunState(RunState&&) noexcept = default;
  RunState& operator=(RunState&&) noexcept = default;
  ~RunState() = default;
  [[nodiscard]] RunState copy() const;
  /// Becomes a copy of another state of the same job, in the memory that it has. Several times as
  /// fast as copy().
  void become(const RunState& other);

  /// The digest of all that determines what can happen from here on and how it will be judged, but
  /// for times: for runs in which time stands still. Two states of one job with the same digest
  /// have the same future, whatever led to them. Left out is what is only reported. What is
  /// scheduled, but can no longer have an effect, must have been removed.
  [[nodiscard]] StateDigest digest(const RunJob& job) const;
  /// What the digest is made of.
  [[nodiscard]] StateParts parts(const RunJob& job) const;

  /// Does its receiver refuse the message, or the daemon of the receiver's node?
  [[nodiscard]] bool is_refused(const Message& message) const;

  Schedule schedule;
  LargeVector<Nic> nics;  ///< per node
  /// By the number of a link (Topology::for_each_link): bytes of failure detection that it has
  /// carried. Empty until there are any.
  std::vector<std::uint64_t> detection_link_bytes;
  std::vector<NicQueue> nic_queues;    ///< per node; empty until a message has found its NIC busy
  std::vector<BulkQueue> bulk_queues;  ///< per node; empty until there is such a message
  LargeVector<ActorState> actors;      ///< ranks, then one daemon per node if nodes matter
  LargeVector<Outgoing> outgoing;      ///< by actor
  Placement placement;
  /// By rank: a digest of all that it has done and been told (HistoryKeeper). Empty unless states
  /// are told apart by that.
  std::vector<StateDigest> histories;
  bool nics_are_shared;                ///< several actors may send through one NIC
  std::vector<Stream> network_random;  ///< per actor, only if unordered
  std::vector<Stream> noise_random;    ///< per actor, only if the network has noise
  /// By sender and receiver, under noise and fifo ordering: when the last message arrives (loggp).
  std::unordered_map<std::uint64_t, double> last_arrival_s;
  std::vector<Stream> loss_random;  ///< per actor, only if messages of detection can be lost
  Messages pool;
  LastMessages last_messages;
  Auditor auditor;
  /// Only if a layer can bring dead ranks back, and ranks can die.
  std::optional<ChannelLedgers> channels;
  /// Only of programs of TryBlocks.
  std::optional<BlockLedgers> blocks;
  std::optional<RecoveryStages> recovery;  ///< where there are blocks
  FaultPlan faults;

  std::vector<SentPromise> sent_promises;
  std::vector<std::uint32_t> free_promises;
  Deaths deaths;
  /// By node: when it is in operation again after its last failure, -kNever if it has not failed.
  /// Empty if no node can fail.
  std::vector<double> node_back_s;
  std::vector<PendingRestart> pending_restarts;
  /// The components of dead incarnations above message logging. They have reported nothing: what
  /// they have counted stays part of the result if the actor starts anew, but not if an image takes
  /// their place.
  std::map<ActorId, Components> unreported;

  StableStorage storage;
  Roll roll;
  RunEnding ending;

  bool audits_conserved = false;
  bool any_flush = false;
  bool any_refusal = false;
  bool any_restart = false;
  std::uint32_t serial = 0;
  std::uint64_t next_attended = 0;  ///< the event after which more is due than after every one
  std::uint64_t next_checked = 0;   ///< the event after which the state is checked
  std::uint64_t faults_struck = 0;
  double first_fault_s = 0.0;
  double last_fault_s = 0.0;
  std::array<MetricTotals, kFamilies> reported;  ///< of all phases and incarnations
  std::array<std::vector<KindCount>, kFamilies> control;
  std::uint64_t application_bytes = 0;

 private:
  // The messages are still those of the original.
  RunState(const RunState&) = default;
  RunState& operator=(const RunState&) = default;
  void repoint_messages(const RunState& from);
  [[nodiscard]] StateDigest common_part(const RunJob& job) const;
  void add_unanswered(Digest& into) const;
  [[nodiscard]] bool is_local(const RunJob& job) const;
  [[nodiscard]] ScheduledPart part_of(const Event& event) const;
  [[nodiscard]] StateDigest content_of(const Event& event) const;
};

Lane lane_of(const Event& event, const RunState& state);

}  // namespace faultline::engine
