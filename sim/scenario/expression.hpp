// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sim/json/json_path.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::scenario {

/// The longest text of a formula, in bytes.
inline constexpr std::size_t kLongestExpression_B = std::size_t{64} << 10U;

/// A part of a formula. Consecutive operators of the same precedence, as in `a + b - c`, are one
/// part, so that a formula is no deeper than its parentheses. A part cannot be copied: copying
/// parts into parts would take time in the square of their number.
struct ExpressionPart {
  enum class Kind { constant, path, negation, all, any, equality, comparison, arithmetic };
  /// An operator or a function: its name for messages, and what it computes.
  struct Operation {
    const char* name = "";
    double (*of)(double, double) = nullptr;  ///< arithmetic and comparisons, which give 1 or 0
  };

  ExpressionPart() = default;
  ExpressionPart(ExpressionPart&&) = default;
  ExpressionPart& operator=(ExpressionPart&&) = default;
  ExpressionPart(const ExpressionPart&) = delete;
  ExpressionPart& operator=(const ExpressionPart&) = delete;
  ~ExpressionPart() = default;

  Kind kind = Kind::constant;
  json::JsonValue value;  ///< the value of a constant
  std::size_t path = 0;   ///< an index into the formula's paths
  std::vector<ExpressionPart> operands;
  std::vector<Operation> operations;  ///< from left to right; a function has one
};

/// A formula over the values of a scenario, such as `platform.processes / 4` or
/// `termination.name == 'cda' and platform.processes <= 1024` (docs/sweeps.md has the language).
class Expression {
 public:
  /// Returns the value at a path, or null if there is none, which counts as JSON's null.
  using Lookup = std::function<const json::JsonValue*(const json::JsonPath&)>;

  /// Reads a formula, in time proportional to its length. Throws UsageError, which names the column
  /// and what was expected there. A text longer than kLongestExpression_B is an error as well.
  static Expression parse(const std::string& text);

  /// The value of the formula. A whole number is returned as an integer. Each path is looked up at
  /// most once. Throws UsageError, which names the operand, if an operand has the wrong kind, and
  /// if a result is not a number.
  [[nodiscard]] json::JsonValue evaluate(const Lookup& lookup) const;

  /// Evaluates a condition. Throws UsageError also for a value that is neither true nor false.
  [[nodiscard]] bool holds(const Lookup& lookup) const;

  /// All paths in the formula, each once.
  [[nodiscard]] const std::vector<json::JsonPath>& paths() const { return paths_; }

 private:
  friend class ExpressionParser;

  ExpressionPart whole_;
  std::vector<json::JsonPath> paths_;  ///< without repetitions
};

/// True if two values mean the same: 4 equals 4.0, and the order of an object's members does not
/// matter.
bool same_value(const json::JsonValue& a, const json::JsonValue& b);

}  // namespace faultline::scenario
