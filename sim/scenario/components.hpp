#pragma once

#include <string>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// One component that a scenario names for a family.
struct Candidate {
  ComponentChoice choice;
  std::string path;    ///< where it stands: "termination[1]"
  std::string label;   ///< tells it from the family's other candidates; "" if it is the only one
  bool valid = false;  ///< read without a problem
};

/// The names that a family's object can have, `none` included where the family is optional.
std::vector<std::string> component_names(Family family);

/// Reads a family's object or list of objects; `value` null means that the file has none. At least
/// one candidate is returned. What is wrong goes to the problems.
std::vector<Candidate> read_family(Family family, const JsonValue* value, Problems& problems);

}  // namespace faultline
