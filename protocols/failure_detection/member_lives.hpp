// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::failure_detection {

/// One life of each member: the first one, but for the few of which a later one is noted.
class MemberLives {
 public:
  [[nodiscard]] Incarnation of(ActorId member) const {
    const auto found = place_of(member);
    return found != later_.end() && found->actor == member ? *found : Incarnation{member, 0};
  }
  /// Returns true if that is a later life of the member than the one that was noted.
  bool note(Incarnation life) {
    if (life.number <= of(life.actor).number) return false;
    const auto found = place_of(life.actor);
    if (found != later_.end() && found->actor == life.actor)
      later_[static_cast<std::size_t>(found - later_.begin())] = life;
    else
      later_.insert(found, life);
    return true;
  }
  void digest(Digest& into) const { into.add(later_); }

 private:
  [[nodiscard]] std::vector<Incarnation>::const_iterator place_of(ActorId member) const {
    return std::lower_bound(later_.begin(), later_.end(), member,
                            [](Incarnation life, ActorId sought) { return life.actor < sought; });
  }

  std::vector<Incarnation> later_;  ///< by ascending member
};

}  // namespace faultline::failure_detection
