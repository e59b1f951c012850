// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// One component that a scenario names for a family.
struct Candidate {
  ComponentChoice choice;
  std::string path;    ///< its place in the file, such as "termination[1]"
  std::string label;   ///< tells it from the family's other candidates; "" if it is the only one
  bool valid = false;  ///< true if it was read without a problem
};

/// The names that a family's object can have, including `none` if the family is optional.
std::vector<std::string> component_names(Family family);

/// Reads a family's object or list of objects. `value` is null if the file has none. Returns at
/// least one candidate. Adds all errors to the problems.
std::vector<Candidate> read_family(Family family, const json::JsonValue* value,
                                   json::Problems& problems);

}  // namespace faultline::scenario
