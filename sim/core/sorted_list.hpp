// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

namespace faultline {

/// Adds an entry to a sorted list without repetitions. True if it is new. For lists that many
/// actors have and that stay short: they grow by a few places at first, then by half.
template <class Entry>
bool insert_sorted(std::vector<Entry>& list, const Entry& entry) {
  constexpr std::size_t kPlaces = 8;
  const auto place = std::lower_bound(list.begin(), list.end(), entry);
  if (place != list.end() && *place == entry) return false;
  const auto before = place - list.begin();
  if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 2 + kPlaces);
  list.insert(list.begin() + before, entry);
  return true;
}

}  // namespace faultline
