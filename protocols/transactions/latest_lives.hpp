// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// The first entry of a sorted list that is of this actor or a later one.
template <class List>
auto place_of_life(List& list, ActorId actor) {
  return std::lower_bound(list.begin(), list.end(), actor,
                          [](const Incarnation& entry, ActorId of) { return entry.actor < of; });
}

/// Adds an incarnation to a list with one for each actor, unless the list has a later one. Returns
/// true if it was added.
inline bool put_latest(std::vector<Incarnation>& list, Incarnation life) {
  const auto place = place_of_life(list, life.actor);
  if (place == list.end() || place->actor != life.actor) {
    list.insert(place, life);
    return true;
  }
  const bool is_later = place->number < life.number;
  if (is_later) *place = life;
  return is_later;
}

}  // namespace faultline
