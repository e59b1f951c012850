// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Returns the kind of a scenario's finding; "" if nothing is found, or if the scenario is refused.
using KindOf = std::function<std::string(const json::JsonValue& scenario)>;

/// A scenario with the same finding, and the number of scenarios tried on the way.
struct Shrunk {
  json::JsonValue scenario;
  std::uint64_t tries = 0;
};

/// Makes a scenario simpler as long as it has a finding of the same kind: keys go back to their
/// defaults, components and faults fall away, numbers become rounder and smaller, processes fewer.
/// It knows nothing of scenarios except their number of processes, which bounds the victims of
/// faults.
Shrunk shrunk(json::JsonValue scenario, const std::string& kind, const KindOf& kind_of,
              std::uint64_t most_tries);

/// All scenarios that are one step simpler; those that leave out most come first.
std::vector<json::JsonValue> simpler_scenarios(const json::JsonValue& scenario);

}  // namespace faultline::search
