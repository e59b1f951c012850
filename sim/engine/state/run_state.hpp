// SPDX-License-Identifier: Apache-2.0
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
#include "sim/engine/network/last_messages.hpp"
#include "sim/engine/network/nic.hpp"
#include "sim/engine/network/sent_promises.hpp"
#include "sim/engine/state/state_parts.hpp"
#include "sim/engine/storage/stable_storage.hpp"
#include "sim/engine/verdict/run_ending.hpp"
#include "sim/faults/fault_plan.hpp"

namespace faultline::engine {

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

  SentPromises sent_promises;
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
