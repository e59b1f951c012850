// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/audit/run_observer.hpp"
#include "sim/engine/state/run_state.hpp"

namespace faultline::engine {

/// Keeps RunState::histories: a digest, for each rank, of all that it has sent, handled and been
/// told, in the order in which it did so. What the ranks' own orders leave open, such as which of
/// two ranks acted first, is no part of it.
class HistoryKeeper final : public audit::RunObserver {
 public:
  explicit HistoryKeeper(RunState& state) : state_(state) {}

  void see(const audit::Sight& sight) override {
    if (sight.actor >= state_.histories.size()) return;
    switch (sight.kind) {
      case audit::Sight::Kind::sent:
      case audit::Sight::Kind::received:
      case audit::Sight::Kind::declared_dead:
      case audit::Sight::Kind::announced:
      case audit::Sight::Kind::phase_began:
        return add(sight);
      default:
        return;
    }
  }

 private:
  void add(const audit::Sight& sight) {
    StateDigest& history = state_.histories[sight.actor];
    Digest into;
    into.add(history.high, history.low, sight.kind, sight.peer);
    if (const Message* message = sight.message)
      into.add(message->channel, message->kind, message->payload, message->attachments);
    history = into.value();
  }

  RunState& state_;
};

}  // namespace faultline::engine
