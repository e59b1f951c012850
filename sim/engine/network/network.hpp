// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/actors/common.hpp"
#include "sim/engine/actors/refusals.hpp"
#include "sim/engine/events/recount.hpp"
#include "sim/engine/network/network_state.hpp"
#include "sim/engine/network/transport.hpp"
#include "sim/engine/processors/processors.hpp"
#include "sim/platform/transit.hpp"

namespace faultline::engine {

/// How messages leave an actor, one after the other, come to the NIC of its node, and enter the
/// network; and what becomes of those that the network or a death loses. What a message takes from
/// there on is for the Transport. Calls no handler.
class Network {
 public:
  /// All must outlive it.
  Network(const Common& run, NetworkState& state, Processors& processors, Transport& transport)
      : run_(run),
        state_(state),
        processors_(processors),
        transport_(transport),
        packet_bytes_(run.job.spec.platform.packet_bytes),
        least_send_overhead_s_(platform::least_send_overhead_s(run.machine())) {}

  // ---- out of an actor (network_wire.hpp) ----------------------------------------------------
  /// Sends messages, which are in flight already, from begin_s on. At a fence, the message and
  /// those behind it wait until everything that the actor has sent before is in the network. Until
  /// then its processor handles no message. `held`: a fence has already held these back.
  inline void put_on_wire(ActorId self, ActorState& actor, const std::vector<Message*>& messages,
                          double begin_s, bool held = false);
  /// These wait at the fence at which others of the actor wait.
  void hold_at_fence(ActorState& actor, std::vector<Message*>::const_iterator begin,
                     std::vector<Message*>::const_iterator end, double now_s);
  /// An on_sent that is due: which it is, if the sender still waits for it.
  [[nodiscard]] std::optional<SentPromise> take_promise(const Event& sent);

  // ---- the NIC of a node (network_nic.cpp) ---------------------------------------------------
  /// A message that its sender's processor has sent stands before the NIC of the node.
  void stand_before_nic(Message* message);
  /// The NIC may take up the next message.
  void serve(const Event& nic_free);
  /// When the NIC of a node has taken in a message that is there now and takes it so long. LogGP's
  /// g separates two receptions as it separates two sends (Alexandrov et al., 1995, section 2).
  [[nodiscard]] double take_in_s(NodeId node, double duration_s) {
    double& free_s = state_.nics_[node].intake_free_s;
    const double taken_in_s = std::max(run_.now_s(), free_s + duration_s);
    free_s = taken_in_s + run_.machine().gap_s;
    return taken_in_s;
  }
  /// The NIC of a node. How it takes messages in is the Transport's to say.
  [[nodiscard]] Nic& nic(NodeId node) { return state_.nics_[node]; }
  /// What leaves a node packet by packet. There is such a message.
  [[nodiscard]] BulkQueue& bulk_queue(NodeId node) { return state_.bulk_queues_[node]; }
  /// Whatever actors have sent has left them: NICs can take up the next messages now.
  void free_all();
  /// From now on several actors may send through one NIC.
  void share_nics() { state_.nics_are_shared_ = true; }
  /// From now on a message that could leave at once asks the Transport whether it does.
  void let_departures_wait(bool wait) { departures_wait_ = wait; }
  [[nodiscard]] bool departures_wait() const { return departures_wait_; }

  // ---- across the network --------------------------------------------------------------------
  [[nodiscard]] platform::Transit transit_of(const Message& message) const {
    const NodeId from = run_.node_of(message.from);
    const NodeId to = run_.node_of(message.to);
    const auto bytes = static_cast<double>(message.bytes);
    return from == to
               ? platform::local_transit(run_.machine(), bytes)
               : platform::transit_over(run_.job.routes.route(from, to), run_.machine(), bytes);
  }
  /// Does the message leave packet by packet, if it goes to another node?
  [[nodiscard]] bool is_bulk(const Message& message) const { return message.bytes > packet_bytes_; }
  [[nodiscard]] bool is_fifo() const { return state_.is_fifo(); }
  /// Can noise or a cut delay a message that goes so, so that later ones could overtake it?
  [[nodiscard]] bool is_noisy(const platform::Transit& transit) const {
    return run_.job.cut.delays() || (!transit.local && !state_.noise_random_.empty());
  }
  /// The random extra delay of the actor's next message; zero under fifo ordering.
  [[nodiscard]] double unordered_delay_s(ActorId from) {
    if (is_fifo()) return 0.0;
    return state_.order_random_[from].exponential(run_.job.spec.platform.unordered_delay_s);
  }
  /// How much longer the noise of the network delays a message, and a cut in which it waits.
  [[nodiscard]] double noise_s(const Message& message, const platform::Transit& transit) {
    if (!is_noisy(transit)) return 0.0;
    const bool draws = !transit.local && !state_.noise_random_.empty();
    return (draws ? drawn_noise_s(message) : 0.0) + cut_wait_s(message);
  }
  /// When a message arrives that would arrive at that time, if it were not for those before it.
  /// Later ones of the same sender and receiver will not overtake it, if their times come from
  /// here, too.
  [[nodiscard]] double in_order_s(const Message& message, double arrival_s) {
    if (!is_fifo()) return arrival_s;
    double& last_s = state_.last_arrival_s_[std::uint64_t{message.from} << 32U | message.to];
    last_s = std::max(last_s, arrival_s);
    return last_s;
  }
  /// True if something from that incarnation to the actor is in flight, apart from what the actor
  /// refuses, and from words of failure detectors. Of the living, all that is in flight is looked
  /// at.
  [[nodiscard]] bool any_in_flight(Incarnation from, ActorId to);
  /// The load of a failure detector on the NIC of a receiver's node.
  void count_detection_received(const Message& message) {
    const NodeId node = run_.node_of(message.to);
    if (node != run_.node_of(message.from)) state_.nics_[node].detection_bytes += message.bytes;
  }

  // ---- what is lost --------------------------------------------------------------------------
  /// May a network that loses messages lose this one? Those of failure detection that go from one
  /// node to another, unless nobody will handle them anyway.
  [[nodiscard]] bool may_be_lost(const Message& message) const {
    return (message.flags & kLost) == 0 && message.channel == Family::failure_detection &&
           run_.node_of(message.from) != run_.node_of(message.to);
  }
  /// The message has cost its sender and its NIC what every message costs them. It takes no link,
  /// does not come to its receiver's NIC, and no later message waits for it.
  [[gnu::noinline]] void lose(Message& message);
  /// Nobody will handle the message any more: an end of it is dead, or has been.
  void note_lost(Message& message) {
    message.flags |= kLost;
    if (message.channel == Family::workload) run_.state.truth.auditor().lost(1, run_.now_s());
  }
  [[nodiscard]] bool sender_is_gone(const Message& message) const {
    return run_.state.roll.any_death() && !run_.lives({message.from, message.from_incarnation});
  }
  /// Fail-stop: of an actor that dies now, messages in the network stay there; all others that it
  /// has sent, and those that wait for it to handle them, are lost.
  void lose_messages_of(ActorId dead);
  /// Discards a message that cannot be handled, for instance because its receiver is dead or has
  /// restarted since.
  void drop(Message* message);
  /// Discards a message whose sender died before it entered the network.
  void forget_unsent(Message* message) {
    run_.state.schedule.let_go(*message);
    discard(message);
  }
  /// Nobody above that layer of the sender is told any more that its messages have left. They go
  /// on.
  void void_promises(ActorId self, Family layer);

  /// True of an event that is the network's own affair: a message passes a NIC, or nobody waits for
  /// what has left. False if the driver of a stepwise engine chooses when it happens.
  [[nodiscard]] bool leaves_no_choice(const Event& event) const;
  void check(NodeId node, Recount& recount) const;

 private:
  static constexpr std::uint32_t kForBulk = 1;  ///< detail of a nic_free

  [[nodiscard]] inline double inject(Outgoing& outgoing, Message* message, double begin_s,
                                     bool held);
  [[nodiscard]] double overheads_s(const std::vector<Message*>& messages, std::size_t sent) const;
  void pass_fence(ActorId self);
  inline void enter(Message& message, const platform::Transit& transit, bool streams);
  void promise_sent(const Message& message, double time_s);
  [[gnu::noinline]] void count_detection_sent(const Message& message);
  [[nodiscard]] double drawn_noise_s(const Message& message);
  [[nodiscard]] double cut_wait_s(const Message& message) const;
  // Kept out of the hot path, which is flattened.
  [[nodiscard, gnu::noinline]] bool is_lost_on_its_way(const Message& message);
  void discard(Message* message);
  void show_leaving(audit::Sight::Kind kind, const Message& message, double time_s) const;

  // the NIC
  [[nodiscard]] bool comes_to_nic_by_event(NodeId node, const Message& message, double ready_s);
  [[nodiscard]] bool nic_serves_next(const Nic& nic, double ready_s);
  void serve_short(NodeId node);
  void take_up(NodeId node, Message* message);
  void leave_by_nic(Nic& nic, Message& message, const platform::Transit& transit, bool streams);
  void withdraw(Message& message);
  void note_left_bulk(NodeId node);
  [[nodiscard]] bool is_behind_bulk(NodeId node, const Message& message) const;
  void stand_behind_bulk(NodeId node, Message* message);
  void begin_bulk(NodeId node);
  [[nodiscard]] Message* before_next_bulk(NodeId node) const;
  void begin_to_leave(NodeId node, Message& message);

  const Common run_;
  NetworkState& state_;
  Processors& processors_;
  Transport& transport_;
  std::uint64_t packet_bytes_;
  double least_send_overhead_s_;
  bool departures_wait_ = false;
};

}  // namespace faultline::engine
