// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/race.hpp"

namespace faultline::advice {

/// An alternative that need not race.
struct Pruned {
  std::size_t alternative = 0;
  std::string why;
};

/// The alternatives that break a requirement by a closed form (theory::closed_forms), whatever
/// their runs say. What is used today races all the same, so that the answer can compare it. If
/// nothing else is left, none is pruned.
std::vector<Pruned> pruned(const Field& field, const RaceRules& rules);

}  // namespace faultline::advice
