// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/types.hpp"

namespace faultline::failure_detection {

/// Actors with consecutive addresses, arranged in a circle: the daemons of a job, or its ranks.
struct MemberCircle {
  ActorId first = 0;
  std::uint32_t members = 0;

  [[nodiscard]] bool contains(ActorId actor) const { return actor - first < members; }
  /// The member that far after this one. `steps` is below `members`.
  [[nodiscard]] ActorId after(ActorId member, std::uint32_t steps = 1) const {
    const std::uint64_t place = std::uint64_t{member - first} + steps;
    return first + static_cast<ActorId>(place < members ? place : place - members);
  }
  [[nodiscard]] ActorId before(ActorId member, std::uint32_t steps = 1) const {
    return after(member, members - steps);
  }
  /// The number of steps from one member forward to the other, 0 to members - 1.
  [[nodiscard]] std::uint32_t steps(ActorId from, ActorId to) const {
    return to >= from ? to - from : members - (from - to);
  }
};

}  // namespace faultline::failure_detection
