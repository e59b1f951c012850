// SPDX-License-Identifier: Apache-2.0
#include "sim/json/checked_object.hpp"

#include <catch2/catch.hpp>

#include "sim/json/json_reader.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::json {
namespace {

struct Sides {
  std::uint32_t left = 2;
  std::optional<double> right;

  static const OptionSet<Sides>& options() {
    static const auto set = OptionSet<Sides>()
                                .option("left", &Sides::left, {.minimum = 1})
                                .option("right", &Sides::right, {.maximum = 9});
    return set;
  }
};

struct Sample {
  std::uint32_t count = 4;
  double delay_s = 0.5;
  std::optional<double> limit_s;
  bool fast = false;
  std::string colour = "red";
  std::vector<std::string> lines = {"one"};
  std::optional<Sides> sides;
};

const std::vector<OptionSpec>& specs() {
  static const auto set =
      OptionSet<Sample>()
          .option("count", &Sample::count, {.minimum = 1, .maximum = 10})
          .option("delay_s", &Sample::delay_s, {.unit = "s", .minimum = 0, .above_minimum = true})
          .option("limit_s", &Sample::limit_s, {.unit = "s", .minimum = 0})
          .option("fast", &Sample::fast, {})
          .option("colour", &Sample::colour, {.choices = {"red", "green", "blue"}})
          .option("lines", &Sample::lines, {})
          .option("sides", &Sample::sides, {.doc = "a group"});
  return set.specs();
}

const OptionValues& sides_in(const OptionValues& values) {
  return std::get<OptionGroup>(values.at("sides")).content->values;
}

struct Outcome {
  OptionValues values;
  std::string errors;
};

Outcome read(const std::string& text) {
  Problems problems("f");
  const JsonValue value = parse_json(text, problems);
  CheckedObject object(value, "o", problems);
  Outcome outcome{object.options(specs()), {}};
  object.finish();
  outcome.errors = problems.text();
  return outcome;
}

}  // namespace

TEST_CASE("absent options have their defaults") {
  const Outcome outcome = read("{}");
  CHECK(outcome.errors.empty());
  CHECK(std::get<std::int64_t>(outcome.values.at("count")) == 4);
  CHECK(std::get<double>(outcome.values.at("delay_s")) == 0.5);
  CHECK(std::holds_alternative<std::monostate>(outcome.values.at("limit_s")));
}

TEST_CASE("a list of strings is read entry by entry") {
  using Lines = std::vector<std::string>;
  const auto lines = [](const std::string& text) {
    return std::get<Lines>(read(text).values.at("lines"));
  };
  CHECK(lines("{}") == Lines{"one"});
  CHECK(lines(R"({"lines": []})").empty());
  CHECK(lines(R"({"lines": ["a", ""]})") == Lines{"a", ""});
  CHECK(read(R"({"lines": ["a", 3, null]})").errors ==
        "f: o.lines[1]: expected a string, got 3\nf: o.lines[2]: expected a string, got null");
  CHECK(read(R"({"lines": "a"})").errors ==
        "f: o.lines: expected a list of strings, got the string \"a\"");
  CHECK(read(R"({"lines": null})").errors == "f: o.lines: expected a list of strings, got null");
}

TEST_CASE("a group of options is an object with its own defaults, or null") {
  CHECK(std::holds_alternative<std::monostate>(read("{}").values.at("sides")));
  CHECK(read(R"({"sides": null})").errors.empty());
  const Outcome outcome = read(R"({"sides": {"right": 3}})");
  CHECK(outcome.errors.empty());
  CHECK(std::get<std::int64_t>(sides_in(outcome.values).at("left")) == 2);
  CHECK(std::get<double>(sides_in(outcome.values).at("right")) == 3);
  CHECK(outcome.values.at("sides") ==
        read(R"({"sides": {"left": 2, "right": 3}})").values.at("sides"));
  CHECK(outcome.values.at("sides") !=
        read(R"({"sides": {"left": 1, "right": 3}})").values.at("sides"));
}

TEST_CASE("what is wrong in a group of options has its path") {
  CHECK_THAT(read(R"({"sides": {"left": 0}})").errors,
             Contains("o.sides.left: expected an integer from 1 to 4294967295, got 0"));
  CHECK_THAT(read(R"({"sides": {"rigt": 1}})").errors, Contains("o.sides") && Contains("right"));
  CHECK_THAT(read(R"({"sides": 4})").errors,
             Contains("o.sides: expected an object, or null, got 4"));
}

TEST_CASE("an integer may be written as a float if it is exact") {
  CHECK(std::get<std::int64_t>(read(R"({"count": 4.0})").values.at("count")) == 4);
  CHECK(std::get<std::int64_t>(read(R"({"count": 1e1})").values.at("count")) == 10);
  CHECK(std::get<double>(read(R"({"delay_s": 2})").values.at("delay_s")) == 2.0);
  CHECK_THAT(read(R"({"count": 4.5})").errors, Contains("f: o.count: expected an integer from 1 to"
                                                        " 10, got 4.5"));
}

TEST_CASE("an integer above 2^53 is never rounded into range") {
  Problems problems("f");
  const OptionSpec spec{.name = "n", .kind = OptionKind::integer, .maximum = 9007199254740992.0};
  read_option(JsonValue(std::int64_t{9007199254740993}), spec, "n", problems);
  CHECK_FALSE(problems.empty());
}

TEST_CASE("wrong values are refused with what was expected") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"({"count": 0})", "o.count: expected an integer from 1 to 10, got 0"},
      {R"({"count": 11})", "o.count: expected an integer from 1 to 10, got 11"},
      {R"({"count": null})", "o.count: expected an integer from 1 to 10, got null"},
      {R"({"count": true})", "got true"},
      {R"({"count": [1]})", "got a list"},
      {R"({"delay_s": 0})", "o.delay_s: expected a number above 0 in seconds, got 0"},
      {R"({"delay_s": -1e-9})", "got -1e-09"},
      {R"({"fast": 1})", "o.fast: expected true or false, got 1"},
      {R"({"colour": "grene"})",
       "o.colour: expected one of red, green or blue, got \"grene\", did you mean \"green\"?"},
      {R"({"colour": 3})", "o.colour: expected one of red, green or blue, got 3"},
  }));
  CHECK_THAT(read(text).errors, Contains(message));
}

TEST_CASE("null is a value of nullable options alone") {
  CHECK(read(R"({"limit_s": null})").errors.empty());
  CHECK_THAT(read(R"({"limit_s": -1})").errors, Contains("in seconds, or null"));
}

TEST_CASE("a number in quotes is told to be a bare number in its unit") {
  CHECK_THAT(read(R"({"delay_s": "1 ms"})").errors,
             Contains("in seconds, got the string \"1 ms\"; write a bare number, without quotes or "
                      "unit: 0.001"));
  CHECK_THAT(read(R"({"delay_s": "2.5us"})").errors, Contains("unit: 2.5e-06"));
  CHECK_THAT(read(R"({"count": "4"})").errors, Contains("unit: 4"));
  CHECK_THAT(read(R"({"delay_s": "soon"})").errors, Contains("without quotes or unit"));
}

TEST_CASE("a key in another unit is told the unit that is expected") {
  CHECK_THAT(read(R"({"delay_ms": 1})").errors,
             Contains("o.delay_ms: unknown key, expected \"delay_s\" in seconds"));
  CHECK_THAT(read(R"({"delay": 1})").errors, Contains("expected \"delay_s\" in seconds"));
}

TEST_CASE("unknown keys are told the nearest name, or all of them") {
  CHECK_THAT(read(R"({"cuont": 1})").errors,
             Contains("o.cuont: unknown key, did you mean \"count\"?"));
  CHECK_THAT(
      read(R"({"zzzzzzzz": 1})").errors,
      Contains("unknown key, expected count, delay_s, limit_s, fast, colour, lines or sides"));
}

TEST_CASE("keys that are not words are shown safely") {
  CHECK_THAT(read(R"({"a\nb": 1})").errors, Contains(R"(o["a\x0ab"]: unknown key)"));
  const std::string error = read("{\"" + std::string(100000, 'x') + "\": 1}").errors;
  CHECK(error.size() < 400);
}

TEST_CASE("names are found through case, dashes, typing errors and beginnings") {
  const std::vector<std::string> names = {"dijkstra-scholten", "four-counter", "cda"};
  CHECK(nearest_of("Four_Counter", names) == "four-counter");
  CHECK(nearest_of("dijkstra", names) == "dijkstra-scholten");
  CHECK(nearest_of("cad", names) == "cda");
  CHECK_FALSE(nearest_of("zebra", names).has_value());
  CHECK_FALSE(nearest_of("", names).has_value());
  CHECK_FALSE(nearest_of(std::string(1000000, 'c'), names).has_value());
}

}  // namespace faultline::json
