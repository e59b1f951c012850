// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace faultline::engine {

/// Is each entry of a list in this relation to the next one?
template <class List, class Relation>
bool ordered(const List& list, Relation relation) {
  return std::adjacent_find(list.begin(), list.end(), [&](const auto& one, const auto& next) {
           return !relation(one, next);
         }) == list.end();
}

}  // namespace faultline::engine
