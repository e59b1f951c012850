// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/seldom.hpp"
#include "sim/core/world.hpp"

namespace faultline::transactions {

/// What stands between a program and the messages of other worlds than its own. Every message of
/// the program carries the epoch of its sender's world. Those of an earlier world are discarded,
/// and those of a later one wait.
class EpochGate {
 public:
  static void on_sends(RecoveryContext& context, std::span<Message* const> batch,
                       const WorldEpoch& epoch) {
    for (Message* message : batch) {
      message->transactions.put(epoch);
      context.forward(*message);
    }
  }
  /// `is_open`: the program can take messages of that epoch. `has_world`: this process has entered
  /// a world; until then it does not know what is stale.
  Passage on_receive(RecoveryContext& context, Message& message, const WorldEpoch& epoch,
                     bool is_open, bool has_world) {
    const auto of = message.transactions.get<WorldEpoch>();
    if (is_open && of == epoch) return Passage::deliver;
    if (has_world && of < epoch)
      context.discard(message);
    else
      held_.change().push_back(message);
    return Passage::hold;
  }
  /// The program goes on in that epoch, and gets what has waited for it.
  void release(RecoveryContext& context, const WorldEpoch& epoch) {
    if (is_empty()) return;
    std::vector<Message> held = std::exchange(held_.change(), {});
    held_.reset();
    for (Message& message : held)
      if (on_receive(context, message, epoch, true, true) == Passage::deliver)
        context.deliver(message);
  }
  [[nodiscard]] bool is_empty() const { return held_->empty(); }
  void digest(Digest& into) const { into.add(held_); }

 private:
  Seldom<std::vector<Message>> held_;
};

}  // namespace faultline::transactions
