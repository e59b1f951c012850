// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline::checkpoints {

/// Entries in the order of one of their members, the key. No two have the same.
template <class Entry, auto Key>
class SortedTable {
 public:
  using Value = std::remove_cvref_t<std::invoke_result_t<decltype(Key), Entry&>>;

  /// The entry of that key, or null. Valid until one is added.
  [[nodiscard]] Entry* find(const Value& key) {
    const auto place = place_of(key);
    return place != entries_.end() && std::invoke(Key, *place) == key ? &*place : nullptr;
  }
  /// The entry of that key, a new one if there was none. Valid until another one is asked for.
  Entry& of(const Value& key) {
    if (Entry* found = find(key)) return *found;
    Entry fresh{};
    std::invoke(Key, fresh) = key;
    return *entries_.insert(place_of(key), std::move(fresh));
  }
  template <class Condition>
  void erase_if(Condition condition) {
    std::erase_if(entries_, condition);
  }
  void clear() { entries_.clear(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] auto begin() { return entries_.begin(); }
  [[nodiscard]] auto end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  void digest(Digest& into) const { into.add(entries_); }

 private:
  [[nodiscard]] auto place_of(const Value& key) {
    return std::ranges::lower_bound(entries_, key, {}, Key);
  }

  std::vector<Entry> entries_;
};

/// What a rank knows or keeps of others. `Entry::rank` says of which one.
template <class Entry>
using RankTable = SortedTable<Entry, &Entry::rank>;

}  // namespace faultline::checkpoints
