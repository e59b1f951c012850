// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/component.hpp"

namespace faultline {

/// Something that happens at a rank without a message: a computation of a component ends, or a
/// timer of it runs out.
struct LocalEvent {
  enum class Kind : std::uint8_t { computed, timer };
  Kind kind = Kind::computed;
  Family family = Family::workload;  ///< the component that is about to be told
  std::uint64_t tag = 0;             ///< of the computation, or the key of the timer
};

/// A layer of message logging that determines when events above it at its rank are handled. A layer
/// that replays messages in their order must let computations end between the same messages as
/// before, if anything above depends on that, as a termination detector does. The engine asks only
/// where something does (JobShape::orders_local_events).
class OrdersLocalEvents {
 public:
  /// The event is due. `deliver`: it is handled now, in a turn of its own after this one. `hold`:
  /// later. Until then the computation has not ended for the components above, and keeps its core,
  /// and the timer is still set. It is offered again each time when a timer of this layer has run
  /// out.
  virtual Passage on_local_event(RecoveryContext& context, const LocalEvent& event) = 0;
  /// The event that comes next in the layer's order, before anything else can be handled. None if
  /// something else comes next, or nothing is known of what does.
  [[nodiscard]] virtual std::optional<LocalEvent> next_event() const { return std::nullopt; }
  /// The next event never comes: what was handled before it has cancelled the timer, or abandoned
  /// the computation, and it has not been asked for again. Asked after each timer of this layer, so
  /// in a replay the same events are left out, at the same places.
  virtual void leave_out_next(RecoveryContext&) {}

 protected:
  ~OrdersLocalEvents() = default;
};

}  // namespace faultline
