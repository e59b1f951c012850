// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {

/// The names of the components of a family for which would_do(registration) is true.
template <class Predicate>
std::vector<std::string> names_where(Family family, Predicate would_do) {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == family && would_do(registration)) names.push_back(registration.name);
  return names;
}

/// Other components of the same family that a scenario could use instead, as ", choose a, b or c";
/// "" if there is none.
template <class Predicate>
std::string alternatives(Family family, Predicate would_do) {
  const std::vector<std::string> names = names_where(family, would_do);
  return names.empty() ? "" : ", choose " + json::any_of(names);
}

/// True for a program of TryBlocks, or a protocol that commits them.
inline bool has_try_blocks(const Registration& component) {
  return component.family == Family::workload
             ? static_cast<bool>(component.as<WorkloadTraits>().try_blocks)
             : component.as<RecoveryTraits>().commits_blocks;
}

}  // namespace faultline::scenario
