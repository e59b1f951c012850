// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/core/types.hpp"

namespace faultline {

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

/// A list of objects, by their numbers. `Entry::object` says which one.
template <class Entry>
class ByObject {
 public:
  /// The entry of an object, or null.
  [[nodiscard]] Entry* find(ObjectId object) {
    const auto place = place_of(object);
    return place != entries_.end() && place->object == object ? &*place : nullptr;
  }
  /// The entry of an object, a new one if there was none.
  Entry& of(ObjectId object) {
    if (Entry* found = find(object)) return *found;
    Entry fresh;
    fresh.object = object;
    return *entries_.insert(place_of(object), fresh);
  }
  /// Is each of them at that stage?
  [[nodiscard]] bool all_are(typename Entry::Stage stage) const {
    return std::ranges::all_of(entries_, [=](const Entry& entry) { return entry.stage == stage; });
  }
  [[nodiscard]] bool any_is(typename Entry::Stage stage) const {
    return std::ranges::any_of(entries_, [=](const Entry& entry) { return entry.stage == stage; });
  }
  template <class Condition>
  void erase_if(Condition condition) {
    std::erase_if(entries_, condition);
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  void digest(Digest& into) const { into.add(entries_); }

 private:
  [[nodiscard]] auto place_of(ObjectId object) {
    return std::lower_bound(
        entries_.begin(), entries_.end(), object,
        [](const Entry& entry, ObjectId wanted) { return entry.object < wanted; });
  }

  std::vector<Entry> entries_;
};

}  // namespace faultline
