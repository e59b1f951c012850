#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/scenario/json_path.hpp"
#include "sim/scenario/json_value.hpp"

namespace faultline {

/// A formula over the values of a scenario, such as `platform.processes / 4` or
/// `termination.name == 'cda' and platform.processes <= 1024` (docs/sweeps.md has the language).
class Expression {
 public:
  /// The value at a path; null where there is none, which counts as JSON's null.
  using Lookup = std::function<const JsonValue*(const JsonPath&)>;

  /// Throws UsageError that says what was expected at which column.
  static Expression parse(const std::string& text);

  /// Whole numbers are integers. Throws UsageError for operands of the wrong kind, which it names,
  /// and for results that are no number.
  [[nodiscard]] JsonValue evaluate(const Lookup& lookup) const;

  /// The same for a condition. Throws UsageError for a value that is neither true nor false.
  [[nodiscard]] bool holds(const Lookup& lookup) const;

 private:
  friend class ExpressionParser;
  enum class Kind { constant, path, call };

  /// What messages call this part.
  [[nodiscard]] std::string words() const;
  [[nodiscard]] double number(const Lookup& lookup) const;

  Kind kind_ = Kind::constant;
  JsonValue value_;  ///< of a constant
  JsonPath path_;
  std::string name_;  ///< of an operator or a function
  std::vector<Expression> operands_;
};

/// Do two values say the same? Numbers are compared as numbers, objects without order.
bool same_value(const JsonValue& a, const JsonValue& b);

}  // namespace faultline
