// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/exploration/exploration.hpp"

namespace faultline {

/// Can nothing come next but that computations end?
[[nodiscard]] bool is_calm(const std::vector<engine::Event>& next);

/// Who may die next in a search, and when.
class DeathBounds {
 public:
  explicit DeathBounds(const ExplorationRequest& request) : request_(request) {}

  /// May somebody die within the next step, after so many deaths?
  [[nodiscard]] bool within_steps(std::uint32_t deaths) const {
    return deaths < request_.faults && request_.crash == CrashPlaces::anywhere;
  }
  /// May somebody die in a state? `in_calm`: nothing can come next but that computations end.
  /// `after_death`: it was reached by a death.
  [[nodiscard]] bool between_steps(std::uint32_t deaths, bool in_calm, bool after_death) const;
  /// May this actor be the next one to die?
  [[nodiscard]] bool may_be_next(ActorId actor, std::uint32_t deaths) const;
  /// May these actors die within the start?
  [[nodiscard]] bool allow(const std::vector<engine::Cut>& at_start) const;
  /// Equal states after different numbers of deaths have different futures, as long as more may
  /// die, and so with losses and stalls. So do those after a death and after another step, if
  /// deaths may come together.
  [[nodiscard]] StateDigest with_mishaps(StateDigest digest, const Mishaps& mishaps,
                                         bool after_death) const;

 private:
  const ExplorationRequest& request_;
};

}  // namespace faultline
