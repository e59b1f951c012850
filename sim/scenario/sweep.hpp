#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/json/json_path.hpp"
#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/expression.hpp"

namespace faultline {

/// The values that one place of a scenario takes.
struct SweepAxis {
  JsonPath path;
  std::string key;  ///< the path as the file writes it
  std::vector<JsonValue> values;
};

/// Axes that advance together; all have the same number of values. Most have one axis.
using SweepDimension = std::vector<SweepAxis>;

/// A place whose value follows from others.
struct DerivedValue {
  JsonPath path;
  std::string key;
  Expression formula;
};

/// What the key `sweep` of a scenario says, and what is left without it.
struct Sweep {
  JsonValue base;
  std::vector<SweepDimension> dimensions;  ///< the last one varies fastest
  std::vector<DerivedValue> derived;       ///< carried out in this order
  std::vector<Expression> where;           ///< constraints: a point satisfies them all
  std::optional<Precision> precision;

  /// The product of the dimensions' sizes.
  [[nodiscard]] std::size_t combinations() const;
};

/// One combination of values.
struct SweepPoint {
  JsonValue scenario;            ///< an ordinary one, not checked yet
  JsonValue::Object parameters;  ///< swept and derived values by their paths
  bool wanted = true;            ///< do the constraints hold?
};

/// Reads the sweep of a scenario's tree. Lists of components become dimensions of their own, slower
/// than those of `sweep`. What is wrong goes to the problems.
Sweep read_sweep(JsonValue root, Problems& problems);

/// The point of that number, below `combinations()`. What does not fit goes to the problems.
SweepPoint sweep_point(const Sweep& sweep, std::size_t combination, Problems& problems);

/// The point that has these values, which may be none of the sweep's. What is derived follows from
/// them; constraints are not asked. Nothing where the sweep sets other paths than these.
std::optional<SweepPoint> sweep_point_at(const Sweep& sweep, const JsonValue::Object& parameters,
                                         Problems& problems);

/// "platform.processes=64, termination=cda": an object goes by its name where that tells it from
/// the other values of its axis.
std::string parameters_text(const Sweep& sweep, const JsonValue::Object& parameters);

}  // namespace faultline
