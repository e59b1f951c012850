#include "sim/scenario/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/scenario/problems.hpp"

namespace faultline {
namespace {

/// A hostile text could nest deeper than the stack allows.
constexpr int kDeepestExpression = 64;

struct Function {
  const char* name;
  std::size_t operands;
  double (*of)(double, double);
};

constexpr std::array kFunctions = {
    Function{"abs", 1, [](double a, double) { return std::fabs(a); }},
    Function{"ceil", 1, [](double a, double) { return std::ceil(a); }},
    Function{"floor", 1, [](double a, double) { return std::floor(a); }},
    Function{"round", 1, [](double a, double) { return std::round(a); }},
    Function{"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    Function{"log2", 1, [](double a, double) { return std::log2(a); }},
    Function{"pow", 2, [](double a, double b) { return std::pow(a, b); }},
    Function{"min", 2, [](double a, double b) { return std::min(a, b); }},
    Function{"max", 2, [](double a, double b) { return std::max(a, b); }},
    Function{"+", 2, [](double a, double b) { return a + b; }},
    Function{"-", 2, [](double a, double b) { return a - b; }},
    Function{"*", 2, [](double a, double b) { return a * b; }},
    Function{"/", 2, [](double a, double b) { return a / b; }},
    Function{"%", 2, [](double a, double b) { return a - b * std::floor(a / b); }},
};

const Function* find_function(const std::string& name) {
  const auto* const found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                         [&](const Function& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_path_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' ||
         c == ']';
}

bool compare(const std::string& name, double a, double b) {
  if (name == "<") return a < b;
  if (name == "<=") return a <= b;
  return name == ">" ? a > b : a >= b;
}

bool truth_of(const JsonValue& value, const std::string& what) {
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth;
  throw UsageError(what + " is " + describe(value) + ", expected true or false");
}

}  // namespace

/// Recursive descent, one function for each level of precedence.
class ExpressionParser {
 public:
  explicit ExpressionParser(const std::string& text) : text_(text) {}

  Expression whole() {
    Expression result = any_of_terms();
    if (skip_blanks() != '\0') fail("an operator or the end");
    return result;
  }

 private:
  Expression any_of_terms() {
    if (++depth_ > kDeepestExpression) throw UsageError("nested too deep");
    Expression result = all_of_terms();
    while (take_word("or")) result = call("or", {std::move(result), all_of_terms()});
    --depth_;
    return result;
  }

  Expression all_of_terms() {
    Expression result = negation();
    while (take_word("and")) result = call("and", {std::move(result), negation()});
    return result;
  }

  Expression negation() {
    if (!take_word("not")) return comparison();
    if (++depth_ > kDeepestExpression) throw UsageError("nested too deep");
    Expression result = call("not", {negation()});
    --depth_;
    return result;
  }

  Expression comparison() {
    Expression result = sum();
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(sign)) return call(sign, {std::move(result), sum()});
    return result;
  }

  Expression sum() {
    Expression result = product();
    while (true) {
      if (take("+"))
        result = call("+", {std::move(result), product()});
      else if (take("-"))
        result = call("-", {std::move(result), product()});
      else
        return result;
    }
  }

  Expression product() {
    Expression result = factor();
    while (true) {
      const char* sign = nullptr;
      for (const char* candidate : {"*", "/", "%"})
        if (sign == nullptr && take(candidate)) sign = candidate;
      if (sign == nullptr) return result;
      result = call(sign, {std::move(result), factor()});
    }
  }

  Expression factor() {
    const char next = skip_blanks();
    if (take("-")) {
      if (++depth_ > kDeepestExpression) throw UsageError("nested too deep");
      Expression result = call("-", {constant(0), factor()});
      --depth_;
      return result;
    }
    if (take("(")) {
      Expression result = any_of_terms();
      expect(")");
      return result;
    }
    if (next == '\'' || next == '"') return quoted(next);
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.') return number();
    if (is_word_start(next)) return word();
    fail("a value, a path or \"(\"");
  }

  Expression quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail(std::string("a closing ") + quote);
    const std::string content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return constant(content);
  }

  Expression number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return constant(json_number(value));
  }

  Expression word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_path_part(text_[at_])) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name == "true" || name == "false") return constant(name == "true");
    if (name == "null") return constant({});
    if (skip_blanks() == '(') return function(name, begin);
    Expression result;
    result.kind_ = Expression::Kind::path;
    result.path_ = split_path(name);
    result.name_ = name;
    if (!result.path_.empty()) return result;
    at_ = begin;
    fail("a path such as platform.processes");
  }

  Expression function(const std::string& name, std::size_t begin) {
    const Function* known = find_function(name);
    if (known == nullptr) {
      at_ = begin;
      fail("one of the functions abs, ceil, floor, round, sqrt, log2, pow, min and max");
    }
    expect("(");
    std::vector<Expression> operands;
    operands.push_back(any_of_terms());
    if (known->operands == 2) {
      expect(",");
      operands.push_back(any_of_terms());
    }
    expect(")");
    return call(name, std::move(operands));
  }

  static Expression constant(JsonValue value) {
    Expression result;
    result.value_ = std::move(value);
    return result;
  }

  static Expression call(const std::string& name, std::vector<Expression> operands) {
    Expression result;
    result.kind_ = Expression::Kind::call;
    result.name_ = name;
    result.operands_ = std::move(operands);
    return result;
  }

  /// The next character that is no blank, '\0' at the end.
  char skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(const std::string& sign) {
    skip_blanks();
    if (text_.compare(at_, sign.size(), sign) != 0) return false;
    at_ += sign.size();
    return true;
  }

  bool take_word(const std::string& word) {
    skip_blanks();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_path_part(text_[end])) return false;
    at_ = end;
    return true;
  }

  void expect(const std::string& sign) {
    if (!take(sign)) fail("\"" + sign + "\"");
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string got = at_ < text_.size() ? in_quotes(text_.substr(at_)) : "the end";
    throw UsageError("column " + std::to_string(at_ + 1) + ": expected " + expected + ", got " +
                     got);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression Expression::parse(const std::string& text) { return ExpressionParser(text).whole(); }

std::string Expression::words() const {
  if (kind_ == Kind::path) return path_text(path_);
  return kind_ == Kind::call ? "the result of " + in_quotes(name_) : "the constant";
}

double Expression::number(const Lookup& lookup) const {
  const JsonValue value = evaluate(lookup);
  if (const auto number = number_of(value)) return *number;
  throw UsageError(words() + " is " + describe(value) + ", expected a number");
}

JsonValue Expression::evaluate(const Lookup& lookup) const {
  if (kind_ == Kind::constant) return value_;
  if (kind_ == Kind::path) {
    const JsonValue* found = lookup(path_);
    return found == nullptr ? JsonValue() : *found;
  }
  const auto truth = [&](std::size_t operand) {
    return truth_of(operands_[operand].evaluate(lookup), operands_[operand].words());
  };
  if (name_ == "and") return truth(0) && truth(1);
  if (name_ == "or") return truth(0) || truth(1);
  if (name_ == "not") return !truth(0);
  if (name_ == "==" || name_ == "!=")
    return same_value(operands_[0].evaluate(lookup), operands_[1].evaluate(lookup)) ==
           (name_ == "==");
  const double first = operands_[0].number(lookup);
  const double second = operands_.size() > 1 ? operands_[1].number(lookup) : 0;
  const Function* function = find_function(name_);
  if (function == nullptr) return compare(name_, first, second);
  const double result = function->of(first, second);
  if (!std::isfinite(result)) throw UsageError(words() + " is no finite number");
  return json_number(result);
}

bool Expression::holds(const Lookup& lookup) const { return truth_of(evaluate(lookup), words()); }

bool same_value(const JsonValue& a, const JsonValue& b) {
  const auto first = number_of(a);
  const auto second = number_of(b);
  if (first && second) return *first == *second;
  return to_json(sorted(a)) == to_json(sorted(b));
}

}  // namespace faultline
