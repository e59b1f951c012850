// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::transactions {

/// The entry of this actor in a sorted list; null if there is none.
inline const Incarnation* find_life(const std::vector<Incarnation>& list, ActorId actor) {
  const auto place = std::ranges::lower_bound(list, actor, {}, &Incarnation::actor);
  return place != list.end() && place->actor == actor ? &*place : nullptr;
}

/// Adds an incarnation to a list with one for each actor, unless the list has it or a later one.
/// Returns true if it was added.
inline bool put_latest(std::vector<Incarnation>& list, Incarnation life) {
  const auto place = std::ranges::lower_bound(list, life.actor, {}, &Incarnation::actor);
  if (place == list.end() || place->actor != life.actor) {
    list.insert(place, life);
    return true;
  }
  const bool is_later = place->number < life.number;
  if (is_later) *place = life;
  return is_later;
}

}  // namespace faultline::transactions
