// SPDX-License-Identifier: Apache-2.0
#include "sim/json/json_reader.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/error.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace faultline::json {
namespace {

JsonValue parsed(const std::string& text) {
  Problems problems("f.json");
  JsonValue value = parse_json(text, problems);
  problems.throw_if_any();
  return value;
}

std::string error_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

}  // namespace

TEST_CASE("JSON values keep their kinds and the order of members") {
  const JsonValue value =
      parsed(R"({"b": 1, "a": [null, true, 2.5, "x"], "big": 18446744073709551615})");
  CHECK(to_json(value) == R"({"b":1,"a":[null,true,2.5,"x"],"big":18446744073709551616})");
  CHECK(to_json(sorted(value)) == R"({"a":[null,true,2.5,"x"],"b":1,"big":18446744073709551616})");
}

TEST_CASE("numbers are written with the fewest digits that read back the same") {
  for (const double number : {0.1, 1e-9, 1.0 / 3.0, 4294967296.0, 5e-324, 1.7976931348623157e308})
    CHECK(std::strtod(shortest(number).c_str(), nullptr) == number);
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(-0.0) == "0");
}

TEST_CASE("strings survive writing and reading") {
  const std::string text = "a\"b\\c\n\t\x01 \xC3\xA9";
  CHECK(*parsed(to_json(text)).text() == text);
}

TEST_CASE("text that is not JSON is refused with line and column") {
  const auto [text, place, words] = GENERATE(table<std::string, std::string, std::string>({
      {"{\"a\": 1,\n \"b\"", "f.json:2:", "unexpected end of input"},
      {"{\"a\": 1} x", "f.json:1:10", "not valid JSON"},
      {"{\"a\": NaN}", "f.json:1:", "not valid JSON"},
      {"{\"a\": -Infinity}", "f.json:1:", "not valid JSON"},
      {"{\"a\": 1e999}", "f.json:1:", "beyond the range of double precision"},
      {"{\"a\": 01}", "f.json:1:", "not valid JSON"},
      {"{\"a\": 1,}", "f.json:1:", "not valid JSON"},
      {"{'a': 1}", "f.json:1:2", "not valid JSON"},
      {"// comment\n{}", "f.json:1:1", "not valid JSON"},
      {"\"\xFF\xFE\"", "f.json:1:", "UTF-8"},
      {"{\"a\": \"line\nbreak\"}", "f.json:", "not valid JSON"},
  }));
  CAPTURE(text);
  const std::string error = error_of(text);
  CHECK_THAT(error, StartsWith(place));
  CHECK_THAT(error, Contains(words));
  CHECK(scenario::lines_in(error) == 1);
}

TEST_CASE("a message says what to write instead of what other languages allow") {
  const auto [text, place, hint] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"a" = 1})", "f.json:1:6:", "write a colon between a key and its value"},
      {"{\"a\": 1,\n}", "f.json:2:1:", "leave out the comma before it"},
      {R"({"a": [1, 2, ]})", "f.json:1:14:", "leave out the comma before it"},
      {"{\"a\": 1, // one\n\"b\": 2}", "f.json:1:10:", "JSON has no comments"},
      {"/* one */ {}", "f.json:1:1:", "JSON has no comments"},
      {"{\"a\": 1 # one\n}", "f.json:1:9:", "JSON has no comments"},
      {"{'a': 1}", "f.json:1:2:", "write keys and texts in double quotes"},
      {"{\"b\": 1, a: 1}", "f.json:1:", "write keys in double quotes"},
      {"{\"a\": True}", "f.json:1:", "JSON has true, false and null"},
      {"{\"a\": None}", "f.json:1:", "JSON has true, false and null"},
      {R"({"a": 1 "b": 2})", "f.json:1:11:", "is a comma missing before it?"},
      {R"({"a": [1 {}]})", "f.json:1:10:", "is a comma missing before it?"},
      {"schema_version: 1\nplatform:\n  processes: 4\n", "f.json:1:1:", "this looks like YAML"},
      {"platform:\n  processes: 4\n", "f.json:1:1:", "this looks like YAML"},
      {"---\nschema_version: 1\n", "f.json:1:", "this looks like YAML"},
      {"\n- name: cda\n", "f.json:2:", "this looks like YAML"},
  }));
  CAPTURE(text);
  const std::string error = error_of(text);
  CHECK_THAT(error, StartsWith(place) && Contains("not valid JSON") && Contains("; " + hint));
  CHECK(scenario::lines_in(error) == 1);
}

TEST_CASE("a mistake that is no common one gets no hint") {
  for (const char* text :
       {"{\"a\": 1", "{\"a\": 1} x", "{\"a\": 01}", "{\"a\": a/b}", "hello", "\"\xFF\""}) {
    CAPTURE(text);
    CHECK_THAT(error_of(text), !Contains("colon") && !Contains("comma") && !Contains("quotes") &&
                                   !Contains("comments") && !Contains("YAML"));
  }
}

TEST_CASE("a text in UTF-16 is named, with and without a byte order mark") {
  using namespace std::string_literals;
  for (const std::string& text : {"\xFF\xFE{\0}\0"s, "\xFE\xFF\0{\0}"s, "{\0}\0"s, "\0{\0}"s}) {
    const std::string error = error_of(text);
    CHECK_THAT(error, StartsWith("f.json: is a text in UTF-16, expected UTF-8"));
    CHECK(scenario::lines_in(error) == 1);
  }
}

TEST_CASE("a zero byte does not hide what follows it") {
  using namespace std::string_literals;
  CHECK_THAT(error_of("{}\n\0{{{"s), StartsWith("f.json:2:1"));
}

TEST_CASE("a zero character is refused with the path of its text or key") {
  CHECK_THAT(error_of(R"({"a": 1, "b": {"c": "x\u0000y"}})"),
             StartsWith("f.json: b.c: a text with"));
  CHECK_THAT(error_of(R"({"a": {"b": 1}, "c": {"x\u0000y": 1}})"),
             StartsWith("f.json: c[") && Contains("zero character"));
}

TEST_CASE("blank text is called empty") {
  CHECK_THAT(error_of(""), Contains("f.json: is empty"));
  CHECK_THAT(error_of(" \n\t"), Contains("f.json: is empty"));
}

TEST_CASE("a byte order mark is skipped") { CHECK(parsed("\xEF\xBB\xBF{\"a\": 1}").find("a")); }

TEST_CASE("nesting is allowed to the limit and refused beyond it") {
  CHECK(error_of(nested(kDeepestNesting)).empty());
  CHECK_THAT(error_of(nested(kDeepestNesting + 1)), Contains("nested too deeply"));
  CHECK_THAT(error_of(std::string(1'000'000, '[')), Contains("nested too deeply"));
  CHECK_THAT(error_of("{\"deep\": " + nested(kDeepestNesting)), Contains("deep[0][0]"));
}

TEST_CASE("every duplicate key is named by its path") {
  const std::string error = error_of(R"({"a": {"x": 1, "x": 2}, "l": [{"y": 1}, {"y": 1, "y": 1}],
                                         "a": 3})");
  CHECK_THAT(error, Contains("f.json: a.x: duplicate key"));
  CHECK_THAT(error, Contains("f.json: l[1].y: duplicate key"));
  CHECK_THAT(error, Contains("f.json: a: duplicate key"));
  CHECK(scenario::lines_in(error) == 3);
}

TEST_CASE("duplicate keys are reported along with the syntax error that follows") {
  const std::string error = error_of(R"({"a": 1, "a": 2, )");
  CHECK_THAT(error, Contains("a: duplicate key"));
  CHECK_THAT(error, Contains("unexpected end of input"));
}

TEST_CASE("files that cannot be read are refused by name") {
  const scenario::Workspace workspace;
  const auto error = [&](const std::string& name) -> std::string {
    try {
      read_json_text(workspace.path(name));
    } catch (const UsageError& problem) {
      return problem.what();
    }
    return "";
  };
  CHECK_THAT(error("missing.json"), Contains("missing.json: no such file"));
  CHECK_THAT(
      error("no/such/missing.json"),
      Contains("missing.json: no such file, there is no folder \"" + workspace.path("no") + "\""));
  std::filesystem::create_directory(workspace.path("folder"));
  CHECK_THAT(error("folder"), Contains("folder: is a directory"));
  workspace.write("empty.json", "");
  CHECK_THAT(error("empty.json"), Contains("empty.json: is empty"));
  workspace.write("huge.json", std::string(kLargestFile_B + 1, ' '));
  CHECK_THAT(error("huge.json"), Contains("huge.json: is larger than 16 MiB"));
  CHECK(error("tiny.json").empty());
}

}  // namespace faultline::json
