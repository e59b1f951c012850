// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/context.hpp"

namespace faultline {

/// What any layer may ask beside what all components have: it decides what happens to the messages
/// of the components above it.
class LayerContext : public Context {
 public:
  using Context::Context;

  /// In on_sends: passes an offered message down. A message that is not forwarded is held back; the
  /// layer must keep a copy and release it later.
  void forward(Message& offered) {
    offered.flags |= kForwarded;
    turn().pass_down(index(), &offered);
  }
  /// Passes down a message that was held back in on_sends.
  void release(const Message& held) {
    no_longer_holds(held);
    turn().pass_down(index(), copy(held, kNotifySent | kFence | kBackground));
  }
  /// Passes up a message that was held in on_receive.
  void deliver(const Message& held) {
    no_longer_holds(held);
    turn().pass_up(index(), copy(held, kNotifySent | kFence | kBackground));
  }
  /// There will be nothing more of this message, which the layer was offered in on_sends and does
  /// not forward, or holds from on_receive. It was a duplicate, or has become void.
  void discard(const Message& message) {
    no_longer_holds(message);
    counts().replays = true;
    if (message.channel == Family::workload) ++counts().discarded;
  }

 protected:
  Message* copy(const Message& original, std::uint8_t kept_flags) {
    Message* message = turn().pool->take();
    *message = original;
    message->flags = original.flags & kept_flags;
    message->next = nullptr;
    return message;
  }
  LayerCounts& counts() {
    turn().counts.any = true;
    return turn().counts;
  }
  void no_longer_holds(const Message& message) {
    if (message.channel == Family::workload) --counts().held[index()];
  }
};

}  // namespace faultline
