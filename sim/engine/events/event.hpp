// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/core/message.hpp"

namespace faultline::engine {

/// What an event does.
enum class EventKind : std::uint8_t {
  arrive,    ///< a message has arrived and can be handled if its receiver is free
  taken_in,  ///< loggp engine: the same, for a message that found its receiver's NIC busy
  wake,      ///< a receiver that was busy looks into its inbox
  timer,
  compute_done,
  sent,  ///< a message has left its sender, which gets on_sent
  fault,
  exit_notice,
  local_exit,
  link_lost,
  inject,       ///< simgrid engine: the message enters the network now
  nic_ready,    ///< a message reaches a NIC that several actors share
  nic_free,     ///< such a NIC can take up the next message
  restart,      ///< an actor starts again
  vanish,       ///< a message that the network loses is gone
  stall_end,    ///< stepwise engine: an actor that has stalled goes on
  bulk_passed,  ///< loggp engine: such a message has passed a link or its receiver's NIC
  fence,        ///< the resource manager ends an actor that is declared dead
};
constexpr std::size_t kEventKinds = static_cast<std::size_t>(EventKind::fence) + 1;

/// The room that handles an event.
enum class Room : std::uint8_t {
  inbox,  ///< of a receiver
  processors,
  network,
  membership,
  engine,  ///< the one that moves time
};

constexpr Room room_of(EventKind kind) {
  switch (kind) {
    case EventKind::arrive:
    case EventKind::taken_in:
    case EventKind::wake:
      return Room::inbox;
    case EventKind::timer:
    case EventKind::compute_done:
      return Room::processors;
    case EventKind::sent:
    case EventKind::nic_ready:
    case EventKind::nic_free:
    case EventKind::vanish:
      return Room::network;
    case EventKind::fault:
    case EventKind::exit_notice:
    case EventKind::local_exit:
    case EventKind::link_lost:
    case EventKind::restart:
    case EventKind::fence:
      return Room::membership;
    case EventKind::inject:
    case EventKind::bulk_passed:
    case EventKind::stall_end:
      return Room::engine;
  }
  return Room::engine;
}

/// Is it one of these kinds?
template <EventKind... kinds>
constexpr bool is_one_of(EventKind kind) {
  return (((1U << static_cast<unsigned>(kinds)) | ...) & (1U << static_cast<unsigned>(kind))) != 0;
}

/// Do such events keep a run alive by themselves? What others lead to (a message, a timer, a fault
/// that is sure to come) does so instead of them, or nothing does.
constexpr bool keeps_run_alive(EventKind kind) {
  return is_one_of<EventKind::compute_done, EventKind::sent, EventKind::exit_notice,
                   EventKind::local_exit, EventKind::link_lost, EventKind::restart,
                   EventKind::fence>(kind);
}

/// Is a handler called when such an event comes, of the actor that it names, or that its message is
/// for?
constexpr bool is_handled_by_actor(EventKind kind) {
  return is_one_of<EventKind::arrive, EventKind::wake, EventKind::timer, EventKind::compute_done,
                   EventKind::sent, EventKind::exit_notice, EventKind::local_exit,
                   EventKind::link_lost>(kind);
}

/// One scheduled event, 24 bytes. Events at the same time are ordered by sequence number.
struct Event {
  struct At {
    std::uint32_t actor;
    std::uint32_t detail;
  };

  double time_s = 0.0;
  std::uint64_t order = 0;  ///< sequence number and, in the low bits, the kind
  union {
    Message* message;
    At at;
  };

  static constexpr unsigned kKindBits = 5;
  [[nodiscard]] EventKind kind() const {
    return static_cast<EventKind>(order & ((1U << kKindBits) - 1));
  }
  [[nodiscard]] bool is_about_message() const {
    return is_one_of<EventKind::arrive, EventKind::taken_in, EventKind::inject,
                     EventKind::nic_ready, EventKind::vanish>(kind());
  }
  friend bool operator<(const Event& a, const Event& b) {
    return a.time_s < b.time_s || (a.time_s == b.time_s && a.order < b.order);
  }
};

}  // namespace faultline::engine
