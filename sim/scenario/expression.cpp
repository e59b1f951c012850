// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/json/problems.hpp"

namespace faultline::scenario {
namespace {

/// Limits the nesting: a hostile text could nest deeper than the stack allows.
constexpr int kDeepestExpression = 64;

using Part = ExpressionPart;
using Kind = ExpressionPart::Kind;

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
};

constexpr std::array kSums = {
    Part::Operation{"+", [](double a, double b) { return a + b; }},
    Part::Operation{"-", [](double a, double b) { return a - b; }},
};
constexpr std::array kProducts = {
    Part::Operation{"*", [](double a, double b) { return a * b; }},
    Part::Operation{"/", [](double a, double b) { return a / b; }},
    Part::Operation{"%", [](double a, double b) { return a - b * std::floor(a / b); }},
};
/// "<=" must come before "<", which it begins with, and ">=" before ">".
constexpr std::array kComparisons = {
    Part::Operation{"<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    Part::Operation{">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    Part::Operation{"<", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    Part::Operation{">", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
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

bool truth_of(const json::JsonValue& value, const std::string& what) {
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth;
  throw UsageError(what + " is " + json::describe(value) + ", expected true or false");
}

std::string result_words(const Part::Operation& operation) {
  return "the result of " + json::in_quotes(operation.name);
}

/// One evaluation of a formula.
class Evaluation {
 public:
  Evaluation(const std::vector<json::JsonPath>& paths, const Expression::Lookup& lookup)
      : paths_(paths), lookup_(lookup), found_(paths.size()) {}

  json::JsonValue value(const Part& part) {
    switch (part.kind) {
      case Kind::constant:
        return part.value;
      case Kind::path: {
        const json::JsonValue* found = at(part.path);
        return found == nullptr ? json::JsonValue() : *found;
      }
      case Kind::arithmetic:
        return json::json_number(result(part));
      default:
        return condition(part);
    }
  }

  bool truth(const Part& part) {
    if (part.kind != Kind::constant && part.kind != Kind::path && part.kind != Kind::arithmetic)
      return condition(part);
    return truth_of(value(part), words(part));
  }

 private:
  const json::JsonValue* at(std::size_t path) {
    if (!found_[path]) found_[path] = lookup_(paths_[path]);
    return *found_[path];
  }

  bool condition(const Part& part) {
    const auto is_true = [this](const Part& operand) { return truth(operand); };
    const auto& operands = part.operands;
    switch (part.kind) {
      case Kind::negation:
        return !truth(operands[0]);
      case Kind::all:
        return std::all_of(operands.begin(), operands.end(), is_true);
      case Kind::any:
        return std::any_of(operands.begin(), operands.end(), is_true);
      case Kind::equality:
        return same_value(value(operands[0]), value(operands[1])) ==
               (part.operations[0].name[0] == '=');
      default: {
        const double first = number(operands[0]);
        return part.operations[0].of(first, number(operands[1])) != 0;
      }
    }
  }

  double number(const Part& part) {
    if (part.kind == Kind::arithmetic) return result(part);
    const json::JsonValue operand = value(part);
    if (const auto number = json::number_of(operand)) return *number;
    throw UsageError(words(part) + " is " + json::describe(operand) + ", expected a number");
  }

  double result(const Part& part) {
    double so_far = number(part.operands[0]);
    std::size_t next = 1;
    for (const Part::Operation& operation : part.operations) {
      const double operand = next < part.operands.size() ? number(part.operands[next++]) : 0;
      so_far = operation.of(so_far, operand);
      if (!std::isfinite(so_far))
        throw UsageError(result_words(operation) + " is not a finite number");
    }
    return so_far;
  }

  /// What a part is called in messages.
  [[nodiscard]] std::string words(const Part& part) const {
    if (part.kind == Kind::constant) return "the constant";
    if (part.kind == Kind::path) return json::path_text(paths_[part.path]);
    return result_words(part.operations.back());
  }

  const std::vector<json::JsonPath>& paths_;
  const Expression::Lookup& lookup_;
  std::vector<std::optional<const json::JsonValue*>> found_;
};

}  // namespace

/// A recursive descent parser, with one function for each level of precedence.
class ExpressionParser {
 public:
  explicit ExpressionParser(const std::string& text) : text_(text) {}

  Expression whole() {
    if (text_.size() > kLongestExpression_B)
      throw UsageError("has " + std::to_string(text_.size()) + " bytes, expected at most " +
                       std::to_string(kLongestExpression_B));
    result_.whole_ = any_of_terms();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator or the end");
    return std::move(result_);
  }

 private:
  Part any_of_terms() {
    descend();
    Part result = chain(Kind::any, "or", [this] { return all_of_terms(); });
    --depth_;
    return result;
  }

  Part all_of_terms() {
    return chain(Kind::all, "and", [this] { return negation(); });
  }

  /// Reads terms joined by one word, as in `a and b and c`. A single term is returned as it is.
  template <class Term>
  Part chain(Kind kind, const char* word, Term term) {
    Part first = term();
    if (!take_word(word)) return first;
    Part result = call(kind, {word}, std::move(first));
    do result.operands.push_back(term());
    while (take_word(word));
    return result;
  }

  Part negation() {
    if (!take_word("not")) return comparison();
    descend();
    Part result = call(Kind::negation, {"not"}, negation());
    --depth_;
    return result;
  }

  Part comparison() {
    Part first = sum();
    for (const char* sign : {"==", "!="})
      if (take(sign)) return call(Kind::equality, {sign}, std::move(first), sum());
    for (const Part::Operation& sign : kComparisons)
      if (take(sign.name)) return call(Kind::comparison, sign, std::move(first), sum());
    return first;
  }

  Part sum() {
    return steps(kSums, [this] { return product(); });
  }

  Part product() {
    return steps(kProducts, [this] { return factor(); });
  }

  /// Reads operands joined by operators of one precedence, from left to right.
  template <class Operators, class Operand>
  Part steps(const Operators& operators, Operand operand) {
    Part first = operand();
    const Part::Operation* next = take_one(operators);
    if (next == nullptr) return first;
    Part result;
    result.kind = Kind::arithmetic;
    result.operands.push_back(std::move(first));
    for (; next != nullptr; next = take_one(operators)) {
      result.operations.push_back(*next);
      result.operands.push_back(operand());
    }
    return result;
  }

  Part factor() {
    const char next = skip_blanks();
    if (take("-")) {
      descend();
      Part result = call(Kind::arithmetic, kSums[1], constant(0), factor());
      --depth_;
      return result;
    }
    if (take("(")) {
      Part result = any_of_terms();
      expect(")");
      return result;
    }
    if (next == '\'' || next == '"') return quoted(next);
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.') return number();
    if (is_word_start(next)) return word();
    fail("a value, a path or \"(\"");
  }

  Part quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail(std::string("a closing ") + quote);
    const std::string content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return constant(content);
  }

  Part number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return constant(json::json_number(value));
  }

  Part word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_path_part(text_[at_])) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name == "true" || name == "false") return constant(name == "true");
    if (name == "null") return constant({});
    if (skip_blanks() == '(') return function(name, begin);
    json::JsonPath path = json::split_path(name);
    if (path.empty()) {
      at_ = begin;
      fail("a path such as platform.processes");
    }
    Part result;
    result.kind = Kind::path;
    const auto [known, is_new] = paths_.emplace(name, result_.paths_.size());
    if (is_new) result_.paths_.push_back(std::move(path));
    result.path = known->second;
    return result;
  }

  Part function(const std::string& name, std::size_t begin) {
    const Function* known = find_function(name);
    if (known == nullptr) {
      at_ = begin;
      fail("one of the functions abs, ceil, floor, round, sqrt, log2, pow, min and max");
    }
    expect("(");
    Part result = call(Kind::arithmetic, {known->name, known->of}, any_of_terms());
    if (known->operands == 2) {
      expect(",");
      result.operands.push_back(any_of_terms());
    }
    expect(")");
    return result;
  }

  static Part constant(json::JsonValue value) {
    Part result;
    result.value = std::move(value);
    return result;
  }

  template <class... Operands>
  static Part call(Kind kind, Part::Operation operation, Operands... operands) {
    Part result;
    result.kind = kind;
    result.operations.push_back(operation);
    (result.operands.push_back(std::move(operands)), ...);
    return result;
  }

  /// The next character that is not a blank, or '\0' at the end.
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

  template <class Operators>
  const Part::Operation* take_one(const Operators& operators) {
    for (const Part::Operation& candidate : operators)
      if (take(candidate.name)) return &candidate;
    return nullptr;
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

  void descend() {
    if (++depth_ > kDeepestExpression)
      throw UsageError("column " + std::to_string(at_ + 1) +
                       ": nested too deeply, expected at most " +
                       std::to_string(kDeepestExpression) + " levels");
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string got = at_ < text_.size() ? json::in_quotes(text_.substr(at_)) : "the end";
    throw UsageError("column " + std::to_string(at_ + 1) + ": expected " + expected + ", got " +
                     got);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression result_;
  std::unordered_map<std::string, std::size_t> paths_;  // never iterated over
};

Expression Expression::parse(const std::string& text) { return ExpressionParser(text).whole(); }

json::JsonValue Expression::evaluate(const Lookup& lookup) const {
  return Evaluation(paths_, lookup).value(whole_);
}

bool Expression::holds(const Lookup& lookup) const {
  return Evaluation(paths_, lookup).truth(whole_);
}

bool same_value(const json::JsonValue& a, const json::JsonValue& b) {
  const auto first = json::number_of(a);
  const auto second = json::number_of(b);
  if (first && second) return *first == *second;
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
  return json::to_json(json::sorted(a)) == json::to_json(json::sorted(b));
}

}  // namespace faultline::scenario
