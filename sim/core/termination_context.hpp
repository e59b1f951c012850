// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/layer_context.hpp"

namespace faultline {

/// What a termination detector may ask beside what any layer has: whether its rank has work, that
/// channels are empty, and to announce that all is over.
class TerminationContext : public LayerContext {
 public:
  using LayerContext::LayerContext;

  /// The numbered phase whose end is to be found.
  [[nodiscard]] std::uint32_t phase() const { return turn().phase; }
  /// True if the rank was active when this turn began, or has work now.
  [[nodiscard]] bool active() const { return turn().active || turn().busy(); }

  /// Puts a send fence before a message that this handler sends or forwards: the message waits
  /// until everything its sender has sent before is in the network. The sender handles nothing
  /// until then.
  static void fence(Message& message) { message.flags |= kFence; }

  /// Asks for on_flushed(peer) as soon as nothing from that incarnation of the peer to this actor
  /// is in flight, but for the words of failure detectors, which say nothing about work.
  void flush(Incarnation peer) { want(Action::Flush{peer}); }
  void flush(ActorId peer) { flush(known(peer)); }

  /// This process knows that the phase is over.
  void announce() { want(Action::Announce{}); }
};

}  // namespace faultline
