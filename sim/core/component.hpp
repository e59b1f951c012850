// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/core/detector_context.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/large_pages.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/recovery_context.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/termination_context.hpp"
#include "sim/core/workload_context.hpp"

namespace faultline {

/// A layer's decision on a message on its way up: let it pass, or hold it (and keep a copy).
enum class Passage { deliver, hold };

/// One component's part of a conserved quantity, such as credit: what it holds, and what it knows
/// to have been issued. Over all ranks, the sum of `held - issued` and of what messages carry is
/// zero modulo kConservedModulus. The absolute value of each part is below that modulus.
struct Conserved {
  std::int64_t held = 0;
  std::int64_t issued = 0;
};

/// Far above any credit that a run issues, so that whole credit is conserved exactly. An odd prime,
/// so that every fraction 2^-Y has a residue as well.
inline constexpr std::int64_t kConservedModulus = (std::int64_t{1} << 61) - 1;

/// What the engine sees of all components: protocols, workloads and daemons. A component is an
/// event handler that never blocks and never touches an engine. It is a value: clone() copies its
/// whole state, so that rollback, restart and exploration can assign it. What a component is made
/// of is its role: Workload, TerminationDetector, RecoveryLayer or Detector.
class Component : public InComponentStorage {
 public:
  virtual ~Component() = default;
  [[nodiscard]] virtual std::unique_ptr<Component> clone() const = 0;

  /// The rank that is responsible for this one at the moment, such as the parent in the engagement
  /// tree, or kNobody. A fault that strikes related processes takes it as the second victim.
  [[nodiscard]] virtual Rank parent() const { return kNobody; }
  /// Reports this component's values of the metrics that its registration declares.
  virtual void report(MetricTotals&) const {}
  /// What this component waits for, in words; "" if nothing. Shown when a run is stuck.
  [[nodiscard]] virtual std::string waiting_for() const { return {}; }

  /// Adds the state of this component: its random stream, always, since two states from which
  /// different numbers will be drawn are not the same; and what digest_state() adds.
  void digest(Digest& into) const {
    into.add(random);
    digest_state(into);
  }

  /// This component's own random numbers. They are part of its state: a copy draws the same ones.
  Stream random;

 protected:
  /// Adds what determines all that this component will do and what its end will be judged by, each
  /// value in one way whatever path led to it. Two states of the component of one actor in one job
  /// may add the same only if every handler asks for the same actions in both and leaves states
  /// that again add the same. Left out is what never changes (options, the job, the actor's
  /// number), and what is only reported, such as counts of messages and times.
  virtual void digest_state(Digest& into) const = 0;
};

/// The handlers that all components have, whatever their role. A component overrides those that it
/// needs. `RoleContext` is what its role may ask of the engine.
template <class RoleContext>
class ComponentOf : public Component {
 public:
  using OwnContext = RoleContext;

  // ---- its life ------------------------------------------------------------------------------
  virtual void start(OwnContext&) {}
  virtual void on_timer(OwnContext&, std::uint64_t /*key*/) {}
  virtual void on_compute_done(OwnContext&, std::uint64_t /*tag*/) {}
  /// This component is a copy from an image, in the place of whatever was here
  /// (RecoveryContext::restore). Called from the bottom up, as start is. It begins here what only
  /// time or an action would make go on; a component that waits for messages has nothing to do.
  /// Called last at the layer that has restored the image: from now on, what it delivers reaches
  /// what it has put back.
  virtual void on_restored(OwnContext&) {}

  // ---- messages ------------------------------------------------------------------------------
  virtual void on_message(OwnContext&, const Message&) {}
  /// A message with kNotifySent has left this actor for good: the actor's death no longer stops it.
  virtual void on_sent(OwnContext&, ActorId /*to*/, std::uint16_t /*kind*/) {}
  virtual void on_flushed(OwnContext&, Incarnation /*peer*/) {}
  virtual void on_request(OwnContext&, const StackRequest&) {}
  virtual void on_answer(OwnContext&, const StackRequest&) {}

  // ---- peers ---------------------------------------------------------------------------------
  /// This rank has been told that the peer is dead. The detector of a new phase is told of all
  /// deaths that its rank knows before its start() is called.
  virtual void on_peer_failed(OwnContext&, Incarnation /*peer*/) {}
  /// This actor knows of a new incarnation of the peer, and its messages go there from now on.
  virtual void on_peer_restarted(OwnContext&, Incarnation /*peer*/) {}
  /// Nobody can restart the peer, because no node is left for it.
  virtual void on_restart_refused(OwnContext&, Incarnation /*peer*/) {}
};

/// What the ranks do. Its messages are the application's.
class Workload : public ComponentOf<WorkloadContext> {
 public:
  /// The detector has told this rank that the numbered phase is over.
  virtual void on_announced(WorkloadContext&, std::uint32_t /*phase*/) {}

  // ---- its objects: only if WorkloadTraits::has_objects ----------------------------------------
  /// The objects that this rank hosts now, by ascending number.
  [[nodiscard]] virtual std::vector<ObjectId> objects() const { return {}; }
  /// The state of an object that this rank hosts. Nothing of the program is under way here.
  [[nodiscard]] virtual PackedObject pack(ObjectId object) const;
  /// No longer hosts an object that it has packed.
  virtual void remove(ObjectId object);
  /// Hosts the object from now on. It goes on from where it was when it was packed, and waits if it
  /// was at a synchronisation point that this rank has not passed.
  virtual void unpack(WorkloadContext& context, const PackedObject& packed);
};

/// The handlers of a protocol in the stack below a workload: it sees the messages of all components
/// above it.
template <class RoleContext>
class Layer : public ComponentOf<RoleContext> {
 public:
  /// Offers all messages that one handler above has sent. The layer may forward them, hold them
  /// back and add control messages, in any order. `still_active`: after that handler the rank
  /// computes or has local work.
  virtual void on_sends(RoleContext& context, std::span<Message* const> batch,
                        bool /*still_active*/) {
    for (Message* message : batch) context.forward(*message);
  }
  /// A message for a component above has arrived and will be handled next.
  virtual Passage on_receive(RoleContext&, Message&) { return Passage::deliver; }
  /// The rank was active in this turn and no longer is. Called after its sends have gone down.
  virtual void on_idle(RoleContext&) {}
};

/// A layer that finds out that all work is done.
class TerminationDetector : public Layer<TerminationContext> {
 public:
  /// This component's part of a conserved quantity, if it keeps one.
  [[nodiscard]] virtual std::optional<Conserved> conserved() const { return std::nullopt; }
  /// How much of that quantity a message carries.
  [[nodiscard]] virtual std::int64_t conserved_in(const Message&) const { return 0; }
};

/// A layer that brings a dead rank or its work back: message logging, or transactions.
class RecoveryLayer : public Layer<RecoveryContext> {
 public:
  /// True if this layer can recover the peer. The layers above then get no on_peer_failed.
  [[nodiscard]] virtual bool recovers(ActorId /*peer*/) const { return false; }
  /// The workload hosts an object here now that the layer has brought
  /// (RecoveryContext::host_object), or hosts one no longer (RecoveryContext::remove_object).
  virtual void on_object_moved(RecoveryContext&, ObjectId) {}
};

/// A failure detector, on ranks, on the daemons of nodes, or on both.
class Detector : public ComponentOf<DetectorContext> {
 public:
  /// The resource manager reports a death. Only for detectors whose registration asks for it.
  virtual void on_exit_notice(DetectorContext&, Incarnation /*dead*/) {}
  /// Called at a node's daemon when a rank of that node has died.
  virtual void on_local_exit(DetectorContext&, Incarnation /*rank*/) {}
  /// Called at the holder of an open connection when it breaks.
  virtual void on_link_lost(DetectorContext&, Incarnation /*peer*/) {}
};

}  // namespace faultline
