#pragma once

#include <cstdint>

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

/// A layer of message logging that says when what happens at its rank above it is handled. Who
/// replays messages in their order must let computations end between the same messages as before,
/// if a layer above looks at that, as a termination detector does. The engine asks only where there
/// is a termination detector.
class OrdersLocalEvents {
 public:
  /// The event is due. `deliver`: it is handled now, in a turn of its own after this one. `hold`:
  /// later. Until then the computation has not ended for the components above, and keeps its core,
  /// and the timer is still set. It is offered again each time when a timer of this layer has run
  /// out.
  virtual Passage on_local_event(Context& context, const LocalEvent& event) = 0;

 protected:
  ~OrdersLocalEvents() = default;
};

}  // namespace faultline
