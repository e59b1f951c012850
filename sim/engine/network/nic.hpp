// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"
#include "sim/engine/network/bulk_intake.hpp"
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

/// What the messages of an actor know of each other when they leave it. Apart, because a NIC looks
/// at this and at nothing else of its actors.
struct Outgoing {
  double local_free_s = 0.0;     ///< when the copy of its last message within the node ends
  double entered_s = 0.0;        ///< when the last message that it has sent enters the network
  std::uint32_t before_nic = 0;  ///< sent messages that the node's NIC has not taken up yet
};

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
  /// Replaces the pointers to its messages by what `to` makes of them.
  template <class To>
  void repoint_messages(To to) {
    tail = head == nullptr ? nullptr : to(tail);
    head = to(head);
    logging_tail = to(logging_tail);
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
  platform::Transit transit{};   ///< what it was when that began to leave
  double network_delay_s = 0.0;  ///< what it takes longer in the network than others
  bool is_on_link = false;       ///< so that its arrival is not scheduled yet
  Inflow inflow{};               ///< at its receiver, unless it is on a link

  bool awaited = false;  ///< a nic_free is scheduled
};

}  // namespace faultline::engine
