// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Returns the kind of what is found in a scenario; "" if nothing is, or if it is refused.
using KindOf = std::function<std::string(const JsonValue& scenario)>;

/// A scenario in which the same is still found, and how many were tried on the way.
struct Shrunk {
  JsonValue scenario;
  std::uint64_t tries = 0;
};

/// Makes a scenario simpler as long as the same kind is found in it: keys go back to their
/// defaults, components and faults fall away, numbers become rounder and smaller, processes fewer.
/// It knows nothing of scenarios but their number of processes, on which the victims of faults
/// depend.
Shrunk shrunk(JsonValue scenario, const std::string& kind, const KindOf& kind_of,
              std::uint64_t most_tries);

/// All scenarios that are one step simpler, those that leave out most first.
std::vector<JsonValue> simpler_scenarios(const JsonValue& scenario);

}  // namespace faultline::search
