// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {

/// Ends the refusal of a combination that a user may insist on.
inline constexpr const char* kOrAllow = ", or set \"allow_unsafe\": true";

/// Other components of the family that the scenario could use instead, as the end of a refusal:
/// would_do(registration).
template <class Predicate>
std::string alternatives(Family family, Predicate would_do) {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == family && would_do(registration)) names.push_back(registration.name);
  return names.empty() ? "" : ", choose " + json::any_of(names);
}

}  // namespace faultline::scenario
