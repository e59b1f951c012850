// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/exploration/exploration.hpp"

namespace faultline::exploration {

/// True if nothing can come next but ends of computations.
[[nodiscard]] bool is_calm(const std::vector<engine::Event>& next);

/// Decides which actors may die next in a search, and when.
class DeathBounds {
 public:
  explicit DeathBounds(const ExplorationRequest& request) : request_(request) {}

  /// True if an actor may die within the next step, after that many deaths.
  [[nodiscard]] bool within_steps(std::uint32_t deaths) const {
    return deaths < request_.faults && request_.crash == CrashPlaces::anywhere;
  }
  /// True if an actor may die in a state. `in_calm`: nothing can come next but ends of
  /// computations. `after_death`: a death led to the state.
  [[nodiscard]] bool between_steps(std::uint32_t deaths, bool in_calm, bool after_death) const;
  /// True if this actor may be the next one to die.
  [[nodiscard]] bool may_be_next(ActorId actor, std::uint32_t deaths) const;
  /// True if these actors may die within the start.
  [[nodiscard]] bool allow(const std::vector<engine::Cut>& at_start) const;
  /// Adds what has gone wrong to a digest, as far as it matters. Equal states after different
  /// numbers of deaths have different futures, as long as more actors may die; so have states after
  /// different losses or stalls. If deaths may come together, so have states after a death and
  /// after another step.
  [[nodiscard]] StateDigest with_mishaps(StateDigest digest, const Mishaps& mishaps,
                                         bool after_death) const;

 private:
  const ExplorationRequest& request_;
};

}  // namespace faultline::exploration
