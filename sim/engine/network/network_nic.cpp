// SPDX-License-Identifier: Apache-2.0

// The NIC of a node takes messages up in the order in which they are ready. If an actor has a NIC
// to itself, that order is the order of its turns, and the time of each message is known at once.
// The turns of several actors of a node overlap in time, so their messages queue before the NIC, by
// events.
//
// A message that is longer than a packet leaves packet by packet. Shorter ones go before what is
// left of it, and it waits for them. Those from its sender to its receiver stay behind it, where
// messages keep their order. Among themselves, long messages leave one after the other.

#include <algorithm>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/network/network_wire.hpp"

namespace faultline::engine {

// ---- messages of one packet -------------------------------------------------------------------

/// Whether the NIC takes a message of the current turn up by an event, once it is ready. A message
/// of several packets does, and so do those that meet one at the NIC.
bool Network::comes_to_nic_by_event(NodeId node, const Message& message, double ready_s) {
  Nic& nic = state_.nics_[node];
  if (is_bulk(message)) {
    if (state_.bulk_queues_.empty()) state_.bulk_queues_.resize(state_.nics_.size());
    return true;
  }
  note_left_bulk(node);
  if (nic.sends_bulk) return true;
  return state_.nics_are_shared_ ? !nic_serves_next(nic, ready_s) : nic.expected > 0;
}

/// True if it is already known when the NIC will take up a message that is ready at ready_s. No
/// other message of the node can be ready earlier: none is expected, and a turn that begins from
/// now on spends the send overhead first. If actors can die, the NIC must also be free by then,
/// because a death may withdraw a message that has reserved it; and if there is message logging,
/// because its messages go first.
bool Network::nic_serves_next(const Nic& nic, double ready_s) {
  return nic.expected == 0 && ready_s <= run_.now_s() + least_send_overhead_s_ &&
         (nic.free_s <= ready_s ||
          !(run_.state.roll.any_death() || run_.job.expects_deaths ||
            run_.job.spec.component(Family::message_logging).registration != nullptr)) &&
         (!departures_wait_ || transport_.leaves_at_once());
}

void Network::stand_before_nic(Message* message) {
  if (sender_is_gone(*message)) {
    forget_unsent(message);
    return;
  }
  const NodeId node = run_.node_of(message->from);
  Nic& nic = state_.nics_[node];
  note_left_bulk(node);
  if (is_bulk(*message) || is_behind_bulk(node, *message)) {
    stand_behind_bulk(node, message);
    return;
  }
  if (!nic.awaited && nic.free_s <= run_.now_s()) {
    take_up(node, message);
    return;
  }
  if (state_.queues_.empty()) state_.queues_.resize(state_.nics_.size());
  state_.queues_[node].add(message);
  if (nic.awaited) return;
  nic.awaited = true;
  run_.state.schedule.add(nic.free_s, EventKind::nic_free, node, 0);
}

void Network::serve(const Event& nic_free) {
  const NodeId node = nic_free.at.actor;
  if (nic_free.at.detail != kForBulk) return serve_short(node);
  // The NIC may be free for the next one, unless shorter messages have gone before the last.
  state_.bulk_queues_[node].awaited = false;
  begin_bulk(node);
}

void Network::serve_short(NodeId node) {
  Nic& nic = state_.nics_[node];
  nic.awaited = false;
  note_left_bulk(node);
  NicQueue& waiting = state_.queues_[node];
  while (waiting.head != nullptr && nic.free_s <= run_.now_s()) {
    Message* message = waiting.take_first();
    if (sender_is_gone(*message))
      forget_unsent(message);
    else
      take_up(node, message);
  }
  if (waiting.head == nullptr) {
    if (!state_.bulk_queues_.empty()) begin_bulk(node);
    return;
  }
  nic.awaited = true;
  run_.state.schedule.add(nic.free_s, EventKind::nic_free, node, 0);
}

void Network::take_up(NodeId node, Message* message) {
  const platform::Transit transit = transit_of(*message);
  Nic& nic = state_.nics_[node];
  nic.free_s = run_.now_s() + transit.nic_occupied_s;
  note_left_bulk(node);
  if (nic.sends_bulk && message->bytes > 0) {
    const double duration_s = transit.nic_occupied_s - run_.machine().gap_s;
    state_.bulk_queues_[node].until_s += duration_s;
    transport_.delay_bulk(node, duration_s);
  }
  leave_by_nic(nic, *message, transit, false);
}

/// The NIC begins to send the message now.
void Network::leave_by_nic(Nic& nic, Message& message, const platform::Transit& transit,
                           bool streams) {
  const ActorId self = message.from;
  message.inject_s = run_.now_s();
  --nic.expected;
  std::uint32_t& before_nic = state_.outgoing_[self].before_nic;
  --before_nic;
  if (run_.observer != nullptr) show_leaving(audit::Sight::Kind::injected, message, run_.now_s());
  enter(message, transit, streams);
  if (before_nic > 0) return;
  const ActorState& sender = run_.state.actors[self];
  if (sender.rare_state && !sender.rare_state->fenced.empty()) pass_fence(self);
}

/// Keeps a message of a dead sender out of the network. The time that it has reserved at the NIC,
/// but not begun to use, becomes free for others.
void Network::withdraw(Message& message) {
  const double inject_s = std::exchange(message.inject_s, kNever);
  if (inject_s == kNever || run_.node_of(message.from) == run_.node_of(message.to)) return;
  double& free_s = state_.nics_[run_.node_of(message.from)].free_s;
  // If the dead actor had the NIC to itself, all reserved time was its own. Else the last message
  // to reserve time may be another actor's.
  if (!state_.nics_are_shared_ || free_s == inject_s + transit_of(message).nic_occupied_s)
    free_s = std::min(free_s, inject_s);
}

void Network::free_all() {
  for (Outgoing& of_actor : state_.outgoing_)
    of_actor.local_free_s = of_actor.entered_s = run_.now_s();
  for (Nic& nic : state_.nics_) nic.free_s = run_.now_s();
}

// ---- messages of several packets --------------------------------------------------------------

/// Once the message has left of which this NIC sends one packet after the other, the NIC is free g
/// later. That needs no event: whoever asks what the NIC does looks here first.
void Network::note_left_bulk(NodeId node) {
  Nic& nic = state_.nics_[node];
  if (!nic.sends_bulk || state_.bulk_queues_[node].until_s > run_.now_s()) return;
  nic.sends_bulk = false;
  nic.free_s = std::max(nic.free_s, state_.bulk_queues_[node].until_s + run_.machine().gap_s);
}

/// Is a message of several packets from the same sender to the same receiver still before the NIC,
/// or leaving by it?
bool Network::is_behind_bulk(NodeId node, const Message& message) const {
  if (!is_fifo() || state_.bulk_queues_.empty()) return false;
  const BulkQueue& bulk = state_.bulk_queues_[node];
  const BulkQueue::Pair pair{message.from, message.to};
  return (state_.nics_[node].sends_bulk && bulk.leaves == pair) ||
         std::find(bulk.waits.begin(), bulk.waits.end(), pair) != bulk.waits.end();
}

void Network::stand_behind_bulk(NodeId node, Message* message) {
  BulkQueue& bulk = state_.bulk_queues_[node];
  bulk.waiting.add(message);
  bulk.waits.push_back({message->from, message->to});
  begin_bulk(node);
}

/// Lets the next message of several packets begin to leave, if the NIC has nothing else to send.
void Network::begin_bulk(NodeId node) {
  Nic& nic = state_.nics_[node];
  BulkQueue& bulk = state_.bulk_queues_[node];
  while (bulk.waiting.head != nullptr && !nic.awaited) {
    note_left_bulk(node);
    if (nic.sends_bulk || nic.free_s > run_.now_s()) {
      if (std::exchange(bulk.awaited, true)) return;
      const double free_s = nic.sends_bulk ? bulk.until_s + run_.machine().gap_s : nic.free_s;
      run_.state.schedule.add(free_s, EventKind::nic_free, node, kForBulk);
      return;
    }
    Message* message = bulk.waiting.take_after(before_next_bulk(node));
    bulk.leaves = {message->from, message->to};
    bulk.waits.erase(std::find(bulk.waits.begin(), bulk.waits.end(), bulk.leaves));
    bulk.leaving = nullptr;
    if (sender_is_gone(*message))
      forget_unsent(message);
    else if (is_bulk(*message))
      begin_to_leave(node, *message);
    else
      take_up(node, message);
  }
}

/// Which message stands before the one that is next: a short one that no longer has a long one of
/// its pair before it, or the first. Null if that is the first.
Message* Network::before_next_bulk(NodeId node) const {
  const BulkQueue& bulk = state_.bulk_queues_[node];
  Message* before = nullptr;
  for (Message* message = bulk.waiting.head; message != nullptr; message = message->next) {
    const auto is_of_its_pair = [&](const Message& other) {
      return other.from == message->from && other.to == message->to;
    };
    if (!is_bulk(*message)) {
      const Message* first = bulk.waiting.head;
      while (!is_of_its_pair(*first)) first = first->next;
      if (first == message) return before;
    }
    before = message;
  }
  return nullptr;
}

void Network::begin_to_leave(NodeId node, Message& message) {
  const platform::Transit transit = transit_of(message);
  Nic& nic = state_.nics_[node];
  if (!transit.local) {  // else its receiver has been started again on this node
    nic.sends_bulk = true;
    state_.bulk_queues_[node].until_s =
        run_.now_s() + static_cast<double>(message.bytes) / run_.machine().nic_bandwidth_Bps;
  }
  leave_by_nic(nic, message, transit, !transit.local);
}

// ---- what must hold ---------------------------------------------------------------------------

void Network::check(NodeId node, Recount& recount) const {
  const Nic& nic = state_.nics_[node];
  expect_equal("messages that a NIC expects", nic.expected,
               recount.before_nic.empty() ? 0 : recount.before_nic[node]);
  const NicQueue waiting = state_.queues_.empty() ? NicQueue() : state_.queues_[node];
  invariant(nic.awaited == (waiting.head != nullptr),
            "a NIC has nobody to serve, or serves nobody");
  if (nic.awaited) ++recount.nics_awaited;
  const BulkQueue bulk = state_.bulk_queues_.empty() ? BulkQueue() : state_.bulk_queues_[node];
  invariant(bulk.waiting.head == nullptr || bulk.awaited || nic.awaited,
            "a message of several packets waits for a NIC that nothing reminds of it");
  if (bulk.awaited) ++recount.nics_awaited;
  std::int64_t queued = 0;
  for (const Message* message = waiting.head; message != nullptr; message = message->next) {
    invariant((message->flags & kInFlight) != 0, "a message that is not in flight is before a NIC");
    ++queued;
    invariant(queued <= recount.in_flight, "the queue before a NIC has no end");
    invariant(message->next != nullptr || message == waiting.tail,
              "the queue before a NIC does not end with its last message");
  }
}

}  // namespace faultline::engine
