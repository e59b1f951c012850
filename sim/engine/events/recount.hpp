// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/engine/events/event.hpp"
#include "sim/engine/events/schedule.hpp"

namespace faultline::engine {

/// The counters of a run, counted anew. Each room adds what it has (`check`), and throws
/// BrokenInvariant if a list of its own is not well formed. In the end both counts are compared.
struct Recount {
  std::size_t looked_at = 0;  ///< roughly in proportion to the time that the check takes
  std::int64_t in_flight = 0;
  std::int64_t waiting = 0;      ///< of these: arrived, and not handled
  std::int64_t application = 0;  ///< messages of workloads, in flight or held by a layer
  std::int64_t foreground = 0;   ///< events, timers that are set, and messages
  std::int64_t background = 0;   ///< timers that are set, and messages
  std::int64_t events = 0;
  std::array<std::int64_t, kEventKinds> events_of_kind{};
  std::int64_t timers = 0;   ///< that are set
  std::int64_t wakes = 0;    ///< actors that have one coming
  std::int64_t running = 0;  ///< computations
  std::int64_t nics_awaited = 0;
  std::int64_t active = 0;
  std::int64_t live = 0;
  std::int64_t announced = 0;
  std::int64_t finished = 0;
  std::vector<std::uint32_t> before_nic;  ///< by node; empty if nothing can wait for a NIC

  /// Counts an event that is scheduled. Those of messages are not counted, but their messages are;
  /// of a timer its entry is, because its event stays when it is cancelled.
  void add(const Event& event);
  [[nodiscard]] std::int64_t events_of(EventKind kind) const {
    return events_of_kind[static_cast<std::size_t>(kind)];
  }
  std::int64_t& alive_by(const Message& message) {
    return Schedule::is_in_background(message) ? background : foreground;
  }
};

/// Throws BrokenInvariant unless the counter is right.
void expect_equal(const char* what, std::int64_t kept, std::int64_t counted);
/// Throws BrokenInvariant if there are more of these than events for them. There can be fewer: the
/// events of cancelled ones and of earlier incarnations stay.
void expect_at_most(const char* what, std::int64_t pending, std::int64_t events);

}  // namespace faultline::engine
