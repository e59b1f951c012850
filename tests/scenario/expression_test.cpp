// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/expression.hpp"

#include <catch2/catch.hpp>
#include <type_traits>

#include "sim/core/error.hpp"
#include "sim/json/json_reader.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {
namespace {

json::JsonValue tree() {
  json::Problems problems("tree");
  return json::parse_json(R"({"platform": {"processes": 64, "machine": "mira"}, "list": [1, 2.5],
                       "termination": {"name": "cda", "merge": true}})",
                          problems);
}

std::string result(const std::string& text) {
  const json::JsonValue root = tree();
  return json::to_json(Expression::parse(text).evaluate(
      [&](const json::JsonPath& path) { return json::find_at(root, path); }));
}

std::string error(const std::string& text) {
  try {
    return "no error: " + result(text);
  } catch (const UsageError& problem) {
    return problem.what();
  }
}

}  // namespace

TEST_CASE("a formula follows the usual precedence") {
  CHECK(result("1 + 2 * 3") == "7");
  CHECK(result("(1 + 2) * 3 - -4") == "13");
  CHECK(result("7 / 2 / 2") == "1.75");
  CHECK(result("7 - 2 - 2") == "3");
  CHECK(result("-7 % 3") == "2");
  CHECK(result("1e3 / platform.processes") == "15.625");
  CHECK(result("list[1] * 2") == "5");
  CHECK(result("max(floor(2.7), min(1, 9)) + round(2.5) + ceil(0.1) + abs(-1)") == "7");
  CHECK(result("pow(2, log2(platform.processes) / 2) + sqrt(4)") == "10");
}

TEST_CASE("a condition compares and combines") {
  CHECK(result("1 < 2 and 2 <= 2 and 3 > 2 and not 2 >= 3") == "true");
  CHECK(result("1 == 1.0 and 'a' != \"b\" and nothing == null") == "true");
  CHECK(result("false and true or true") == "true");
  CHECK(result("termination.name == 'cda'") == "true");
  CHECK(result("termination.merge and platform.machine == 'mira'") == "true");
  // What is left of `and` decides alone where it can.
  CHECK(result("nothing != null and nothing > 3") == "false");
  CHECK(result("nothing == null or nothing > 3") == "true");
  CHECK(result("order == 1") == "false");  // not the word `or`
}

TEST_CASE("a formula that cannot be read names the column") {
  CHECK(error("1 +") == "column 4: expected a value, a path or \"(\", got the end");
  CHECK(error("1 2") == "column 3: expected an operator or the end, got \"2\"");
  CHECK(error("(1") == "column 3: expected \")\", got the end");
  CHECK(error("'abc") == "column 1: expected a closing ', got \"'abc\"");
  CHECK(error("a..b") == "column 1: expected a path such as platform.processes, got \"a..b\"");
  CHECK_THAT(error("sin(1)"), Contains("column 1: expected one of the functions abs"));
  CHECK_THAT(error(""), Contains("expected a value"));
}

TEST_CASE("nesting too deep is refused with its column, whatever is nested") {
  const std::string limit = "nested too deeply, expected at most 64 levels";
  CHECK(error(std::string(1000, '(') + "1") == "column 65: " + limit);
  CHECK(error(std::string(1000, '-') + "1") == "column 65: " + limit);
  std::string nots;
  std::string functions;
  for (int i = 0; i < 1000; ++i) {
    nots += "not ";
    functions += "abs(";
  }
  CHECK(error(nots + "true") == "column 256: " + limit);
  CHECK(error(functions + "1") == "column 257: " + limit);
  CHECK(result(std::string(63, '-') + "1") == "-1");
}

// With copies, the square of the number of terms is copied: a quarter of an hour for this text.
static_assert(!std::is_copy_constructible_v<Expression> && !std::is_copy_assignable_v<Expression>);
static_assert(!std::is_copy_constructible_v<ExpressionPart>);

TEST_CASE("a long formula does not nest deep, and looks up every path once") {
  const json::JsonValue root = tree();
  std::size_t lookups = 0;
  const auto evaluate = [&](const std::string& text) {
    lookups = 0;
    return json::to_json(Expression::parse(text).evaluate([&](const json::JsonPath& path) {
      ++lookups;
      return json::find_at(root, path);
    }));
  };
  const auto repeated = [](const std::string& first, const std::string& next) {
    std::string text = first;
    while (text.size() + next.size() <= kLongestExpression_B) text += next;
    return text;
  };
  CHECK(evaluate(repeated("0", "+list[0]")) == std::to_string((kLongestExpression_B - 1) / 8));
  CHECK(lookups == 1);
  CHECK(evaluate(repeated("list[0] > 1", " or 1 < list[0]")) == "false");
  CHECK(lookups == 1);
  CHECK(evaluate(repeated("true", " and true")) == "true");
  CHECK(evaluate(repeated("1", "*1")) == "1");
  CHECK(evaluate(repeated("(1)", "/(1)")) == "1");
}

TEST_CASE("a formula that is too long is refused unread") {
  CHECK(error(std::string(kLongestExpression_B, ' ') + "1") ==
        "has 65537 bytes, expected at most 65536");
  CHECK(result(std::string(kLongestExpression_B - 1, ' ') + "1") == "1");
  using namespace std::string_literals;
  CHECK_THAT(error("1\0 2"s), Contains("column 2: expected an operator or the end"));
}

TEST_CASE("operands of the wrong kind are named") {
  CHECK(error("platform.nodes + 1") == "platform.nodes is null, expected a number");
  CHECK(error("platform.machine < 3") ==
        "platform.machine is the string \"mira\", expected a number");
  CHECK(error("platform.processes and true") == "platform.processes is 64, expected true or false");
  CHECK(error("1 + 2 - list") == "list is a list, expected a number");
  CHECK(error("1 / 0 + 1") == "the result of \"/\" is not a finite number");
  CHECK(error("true and 1 + 1") == "the result of \"+\" is 2, expected true or false");
  CHECK(error("1 / 0") == "the result of \"/\" is not a finite number");
}

}  // namespace faultline::scenario
