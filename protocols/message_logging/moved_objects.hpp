// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/checkpoints/sorted_table.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/core/types.hpp"

namespace faultline::message_logging {

/// An object at home here that another rank hosts, or has hosted since the last checkpoint.
struct Emigrant {
  enum class Stage : std::uint8_t {
    leaving,  ///< its host has not said that it has it
    away,
    back,  ///< waits here for the next checkpoint, with all messages that it needs
  };
  ObjectId object = kNoObject;
  Incarnation host;
  Stage stage = Stage::leaving;
  /// How many restarts the sender of its homecoming must know of: those after which this rank has
  /// sent the object away. What set out before left its host without what was lost since.
  std::uint64_t level = 0;

  void digest(Digest& into) const { into.add(object, host, stage, level); }
};

/// An object at home elsewhere that is hosted here, or was since the last checkpoint.
struct Immigrant {
  enum class Stage : std::uint8_t {
    waiting,   ///< until this rank is where the object was packed
    settling,  ///< about to be hosted
    here,
    gone,  ///< home again, with all messages that it needs
  };
  ObjectId object = kNoObject;
  Rank home = kNobody;
  Stage stage = Stage::waiting;
  std::uint64_t epoch = 0;
  double death_s = 0.0;  ///< of the rank that had it
  PackedObject state;    ///< while it waits

  void digest(Digest& into) const { into.add(object, home, stage, epoch, state); }
};

/// Objects by their numbers.
template <class Entry>
using ByObject = checkpoints::SortedTable<Entry, &Entry::object>;

/// Is one of them at that stage?
template <class Entry>
bool any_is(const ByObject<Entry>& objects, typename Entry::Stage stage) {
  return std::ranges::find(objects, stage, &Entry::stage) != objects.end();
}
/// Is each of them at that stage?
template <class Entry>
bool all_are(const ByObject<Entry>& objects, typename Entry::Stage stage) {
  return std::ranges::all_of(objects, [=](const Entry& object) { return object.stage == stage; });
}

}  // namespace faultline::message_logging
