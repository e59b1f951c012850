// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/digest.hpp"
#include "sim/engine/actors/actor_state.hpp"

namespace faultline::engine {

/// The ranks of a job, counted, and what has ever happened in the run: where nothing of the kind
/// has, the engine need not look for the actors that it concerns.
class Roll {
 public:
  explicit Roll(std::uint32_t ranks) : live_(ranks) {}

  [[nodiscard]] std::uint32_t live() const { return live_; }
  /// How many of the live have announced the phase that they are in.
  [[nodiscard]] std::uint32_t announced() const { return announced_; }
  /// How many of the live have finished.
  [[nodiscard]] std::uint32_t finished() const { return finished_; }

  void set_announced(ActorState& rank, bool has_announced) {
    announced_ += static_cast<std::uint32_t>(has_announced) - rank.announced;
    rank.announced = has_announced;
  }
  void set_finished(ActorState& rank, bool has_finished) {
    finished_ += static_cast<std::uint32_t>(has_finished) - rank.finished;
    rank.finished = has_finished;
  }
  /// A rank is dead.
  void strike_off(const ActorState& rank) {
    --live_;
    announced_ -= rank.announced;
    finished_ -= rank.finished;
  }
  /// A rank lives again.
  void enter() { ++live_; }

  /// Has somebody died, be it a daemon?
  [[nodiscard]] bool any_death() const { return any_death_; }
  void note_death() { any_death_ = true; }
  /// Has somebody ever lived in a later life?
  [[nodiscard]] bool any_restart() const { return any_restart_; }
  void note_restart() { any_restart_ = true; }
  /// Has a living actor been declared dead?
  [[nodiscard]] bool any_refusal() const { return any_refusal_; }
  void note_refusal() { any_refusal_ = true; }
  /// Has somebody waited until nothing is in flight?
  [[nodiscard]] bool any_flush() const { return any_flush_; }
  void note_flush() { any_flush_ = true; }

  void digest(Digest& into) const { into.add(live_, announced_, finished_); }

 private:
  std::uint32_t live_;
  std::uint32_t announced_ = 0;
  std::uint32_t finished_ = 0;
  bool any_death_ = false;
  bool any_restart_ = false;
  bool any_refusal_ = false;
  bool any_flush_ = false;
};

}  // namespace faultline::engine
