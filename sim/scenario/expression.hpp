#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sim/json/json_path.hpp"
#include "sim/json/json_value.hpp"

namespace faultline {

/// The longest text of a formula, in bytes.
inline constexpr std::size_t kLongestExpression_B = std::size_t{64} << 10U;

/// A part of a formula. Operators of one precedence that follow each other are one part, so that a
/// long formula is no deeper than its parentheses; and none is ever copied, since copying parts
/// into parts takes the square of their number.
struct ExpressionPart {
  enum class Kind { constant, path, negation, all, any, equality, comparison, arithmetic };
  /// An operator or a function: its name in messages and what it does.
  struct Operation {
    const char* name = "";
    double (*of)(double, double) = nullptr;  ///< of arithmetic; of comparisons 1 or 0
  };

  ExpressionPart() = default;
  ExpressionPart(ExpressionPart&&) = default;
  ExpressionPart& operator=(ExpressionPart&&) = default;
  ExpressionPart(const ExpressionPart&) = delete;
  ExpressionPart& operator=(const ExpressionPart&) = delete;
  ~ExpressionPart() = default;

  Kind kind = Kind::constant;
  JsonValue value;       ///< of a constant
  std::size_t path = 0;  ///< an index into the formula's paths
  std::vector<ExpressionPart> operands;
  std::vector<Operation> operations;  ///< from left to right; a function's only one
};

/// A formula over the values of a scenario, such as `platform.processes / 4` or
/// `termination.name == 'cda' and platform.processes <= 1024` (docs/sweeps.md has the language).
class Expression {
 public:
  /// The value at a path; null where there is none, which counts as JSON's null.
  using Lookup = std::function<const JsonValue*(const JsonPath&)>;

  /// Takes time in proportion to the text. Throws UsageError that says what was expected at which
  /// column, and for a text longer than kLongestExpression_B.
  static Expression parse(const std::string& text);

  /// Whole numbers are integers. No path is looked up twice. Throws UsageError for operands of the
  /// wrong kind, which it names, and for results that are no number.
  [[nodiscard]] JsonValue evaluate(const Lookup& lookup) const;

  /// The same for a condition. Throws UsageError for a value that is neither true nor false.
  [[nodiscard]] bool holds(const Lookup& lookup) const;

 private:
  friend class ExpressionParser;

  ExpressionPart whole_;
  std::vector<JsonPath> paths_;  ///< each once
};

/// Do two values say the same? Numbers are compared as numbers, objects without order.
bool same_value(const JsonValue& a, const JsonValue& b);

}  // namespace faultline
