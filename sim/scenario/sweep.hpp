// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/json/json_path.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/expression.hpp"

namespace faultline::scenario {

/// The key of the axis whose values are the names of stacks (docs/sweeps.md).
inline constexpr const char* kStacks = "stacks";

/// True for a key at the top of a scenario that makes points of it, so that only `faultline sweep`
/// carries it out: `sweep` and `stacks`.
bool makes_points(const std::string& key);

/// The values that one place of a scenario takes.
struct SweepAxis {
  json::JsonPath path;
  std::string key;    ///< the path as the file writes it
  std::string place;  ///< of that key in the file
  std::vector<json::JsonValue> values;
  /// What each value, a name, sets: paths and their values. Only the axis `stacks` has these.
  std::vector<json::JsonValue::Object> stacks = {};
};

/// Axes that advance together and have the same number of values. Most dimensions have one axis.
using SweepDimension = std::vector<SweepAxis>;

/// A place whose value is computed from other values.
struct DerivedValue {
  json::JsonPath path;
  std::string key;
  Expression formula;
};

/// The content of the keys `sweep` and `stacks` of a scenario, and the rest of it (`base`).
struct Sweep {
  json::JsonValue base;
  std::vector<SweepDimension> dimensions;  ///< the last one varies fastest
  std::vector<DerivedValue> derived;       ///< computed in this order
  std::vector<Expression> where;           ///< constraints, all of which a point must satisfy
  std::optional<Precision> precision;

  /// The product of the dimensions' sizes.
  [[nodiscard]] std::size_t combinations() const;
};

/// One combination of values.
struct SweepPoint {
  json::JsonValue scenario;  ///< an ordinary scenario, not checked yet
  json::JsonValue::Object
      parameters;      ///< swept and derived values by their paths; `stacks`: a name
  bool wanted = true;  ///< true if the constraints hold
};

/// The scenario with these values, which are set in their order; the key of each is its path.
/// Values that do not fit are added to the problems, at their key within `place`. Later problems of
/// what was set will name that place, too.
json::JsonValue with_values(json::JsonValue scenario, const json::JsonValue::Object& values,
                            const std::string& place, json::Problems& problems);

/// Reads the sweep of a scenario's tree. Lists of components and `stacks` beside `sweep` become
/// dimensions too, which vary more slowly than those of `sweep`. Adds all errors to the problems.
Sweep read_sweep(json::JsonValue root, json::Problems& problems);

/// The point with that number, which must be below `combinations()`. Values that do not fit are
/// added to the problems.
SweepPoint sweep_point(const Sweep& sweep, std::size_t combination, json::Problems& problems);

/// The point with these values, which need not be on the sweep's axes. Derived values are computed
/// from them, and constraints are ignored. Returns nothing if the sweep sets other paths than
/// these, or has no stack of that name.
std::optional<SweepPoint> sweep_point_at(const Sweep& sweep,
                                         const json::JsonValue::Object& parameters,
                                         json::Problems& problems);

/// The parameters as text: "platform.processes=64, termination=cda". An object is shown by its name
/// if no other value of its axis has the same name.
std::string parameters_text(const Sweep& sweep, const json::JsonValue::Object& parameters);

}  // namespace faultline::scenario
