// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/fault_counts_file.hpp"

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::scenario {

using Catch::Matchers::Contains;

namespace {

/// The message that reading `text` is refused with; the file's own path is cut off its lines.
std::string refusal_of(const std::string& text) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.write("counts.json", text);
  try {
    read_fault_counts(file);
  } catch (const UsageError& error) {
    std::string message = error.what();
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(file.string() + ":"));
    for (std::size_t at = 0; (at = message.find(file.string(), at)) != std::string::npos;) {
      message.erase(at, file.string().size());
    }
    return message;
  }
  FAIL("was read without an error: " << text);
  return "";
}

/// A file whose counts are `counts`, everything else being right.
std::string with_counts(const std::string& counts) {
  return R"({"schema_version": 1, "name": "mine", "counts": )" + counts + "}";
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

}  // namespace

TEST_CASE("a user's counts are read, sorted by size whatever their order, and added up") {
  const TemporaryDirectory directory;
  const faults::FaultCounts faults = read_fault_counts(directory.write(
      "mine.json", R"({"schema_version": 1, "name": "mine", "description": "of my machine",
                       "source": "its log", "counts": {"10": 3, "2": 40, "1": 500}})"));
  CHECK(faults.name == "mine");
  CHECK(faults.description == "of my machine");
  CHECK(faults.source == "its log");
  CHECK(faults.total == 543);
  REQUIRE(faults.by_size.size() == 3);
  CHECK(faults.by_size[0].failed == 1);
  CHECK(faults.by_size[0].count == 500);
  CHECK(faults.by_size[1].failed == 2);
  CHECK(faults.by_size[2].failed == 10);
  CHECK(faults.by_size[2].count == 3);
}

TEST_CASE("description and source may be left out, and the limits are allowed") {
  const TemporaryDirectory directory;
  const faults::FaultCounts faults = read_fault_counts(
      directory.write("mine.json", with_counts(R"({"1": 1000000000000, "1000000000": 1})")));
  CHECK(faults.source.empty());
  CHECK(faults.total == 1'000'000'000'001);
  CHECK(faults.by_size.back().failed == faults::max_fault_size);
}

TEST_CASE("a file that is not there, not a file or without content is refused by name") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH(read_fault_counts(directory.path() / "none.json"),
                    (directory.path() / "none.json").string() + ": no such file");
  CHECK_THROWS_WITH(read_fault_counts(directory.path()), Contains("is a directory"));
  CHECK_THAT(refusal_of(""), Contains("is empty"));
  CHECK_THAT(refusal_of(" \n\t\n"), Contains("is empty"));
}

TEST_CASE("JSON that breaks off or is malformed is refused with line and column") {
  CHECK_THAT(refusal_of("{\"schema_version\": 1,\n  \"name\": \"mi"),
             Contains(":2:14: not valid JSON"));
  CHECK_THAT(refusal_of("{\"schema_version\": 1,\n"), Contains("unexpected end of input"));
  CHECK_THAT(refusal_of("{\n\n  \"name\" \"mine\"}"), Contains(":3:"));
  CHECK_THAT(refusal_of(with_counts("{\"1\": NaN}")),
             Contains(":1:") && Contains("not valid JSON"));
  CHECK_THAT(refusal_of(with_counts("{\"1\": 1}") + " {}"), Contains("not valid JSON"));
  CHECK_THAT(refusal_of("\xff\xfe"), Contains("UTF-16"));
}

TEST_CASE("every prefix of a good file is refused, never read as something smaller") {
  const std::string whole = with_counts(R"({"1": 980, "2": 39})");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(whole.substr(0, length));
    CHECK_FALSE(refusal_of(whole.substr(0, length)).empty());
  }
}

TEST_CASE("duplicate keys are refused at any level") {
  CHECK(refusal_of(with_counts(R"({"1": 980, "2": 39, "1": 981})")) ==
        ": counts.1: duplicate key, the object has it already");
  CHECK_THAT(refusal_of(R"({"name": "a", "name": "a"})"), Contains(": name: duplicate key"));
}

TEST_CASE("an unknown key is refused with the nearest known one") {
  CHECK(refusal_of(R"({"schema_version": 1, "name": "a", "sourse": "b", "counts": {"1": 1}})") ==
        ": sourse: unknown key, did you mean \"source\"?");
  CHECK(refusal_of(R"({"schema_version": 1, "name": "a", "colour": "b", "counts": {"1": 1}})")
            .find("did you mean") == std::string::npos);
}

TEST_CASE("missing keys and wrong types of the top level are refused by name") {
  CHECK(refusal_of("{}") ==
        ": schema_version: missing, expected an integer: 1\n: name: missing, expected a string\n"
        ": counts: missing, expected an object of fault sizes and how often each occurred");
  CHECK(refusal_of("[1, 2]") == ": expected an object, got a list");
  CHECK(refusal_of(R"({"schema_version": 1, "name": 7, "counts": {"1": 1}})") ==
        ": name: expected a string, got 7");
  CHECK_THAT(refusal_of(R"({"schema_version": 1, "name": "", "counts": {"1": 1}})"),
             Contains("name: is empty"));
}

TEST_CASE("another schema version is refused") {
  for (const std::string version : {"2", "0", "-1", "1.5", "\"1\"", "null", "true", "[]"}) {
    INFO(version);
    CHECK_THAT(
        refusal_of("{\"schema_version\": " + version + R"(, "name": "a", "counts": {"1": 1}})"),
        Contains("schema_version: expected an integer: 1, got "));
  }
}

TEST_CASE("a count that is not a positive integer is refused with its path and value") {
  for (const std::string count :
       {"-1", "0", "1.5", "1e13", "\"980\"", "null", "true", "[1]", "{\"a\": 1}", "1000000000001",
        "18446744073709551616", "-9223372036854775809"}) {
    INFO(count);
    CHECK_THAT(refusal_of(with_counts("{\"1\": 5, \"26\": " + count + "}")),
               Contains(": counts.26: expected an integer from 1 to 1000000000000, got "));
  }
  CHECK_THAT(refusal_of(with_counts(R"({"1": 1e999})")),
             Contains("beyond the range of double precision"));
}

TEST_CASE("a size that is not a positive integer in plain digits is refused with its path") {
  for (const std::string size : {"0", "-1", "1.5", "01", "+1", " 1", "1 ", "1e3", "", "one", "0x10",
                                 "1000000001", "99999999999999999999"}) {
    INFO(size);
    CHECK_THAT(refusal_of(with_counts("{\"1\": 5, \"" + size + "\": 1}")),
               Contains(": counts") && Contains("expected a fault size as key"));
  }
  CHECK_THAT(refusal_of(with_counts(R"({"1.5": 1})")), Contains(R"(counts["1.5"]: )"));
}

TEST_CASE("no faults at all are refused") {
  CHECK_THAT(refusal_of(with_counts("{}")), Contains("counts: is empty"));
  CHECK_THAT(refusal_of(with_counts("[980, 39]")), Contains("counts: expected an object"));
  CHECK(refusal_of(with_counts(R"({"1": 0, "2": 0})")) ==
        ": counts.1: expected an integer from 1 to 1000000000000, got 0\n"
        ": counts.2: expected an integer from 1 to 1000000000000, got 0");
}

TEST_CASE("counts whose sum is not exact in a double are refused") {
  std::string counts = "{";
  for (int size = 1; size <= 9008; ++size) {
    counts += (size > 1 ? ", \"" : "\"") + std::to_string(size) + "\": 1000000000000";
  }
  CHECK_THAT(refusal_of(with_counts(counts + "}")), Contains("counts: the counts add up to more"));
}

TEST_CASE("deep nesting is refused without being followed") {
  CHECK_THAT(refusal_of(nested(100)), Contains("nested too deeply"));
  CHECK_THAT(refusal_of(nested(1'000'000)), Contains("nested too deeply"));
  CHECK_THAT(refusal_of(with_counts("{\"1\": " + nested(1000) + "}")),
             Contains("nested too deeply"));
}

TEST_CASE("a flood of errors is cut, and so is a huge value in a message") {
  std::string counts = "{";
  for (int size = 1; size <= 500; ++size) {
    counts += (size > 1 ? ", \"" : "\"") + std::to_string(size) + "\": -1";
  }
  CHECK_THAT(refusal_of(with_counts(counts + "}")),
             Catch::Matchers::EndsWith("and 300 more problems"));
  CHECK(refusal_of(with_counts("\"" + std::string(100'000, 'x') + "\"")).size() < 300);
}

TEST_CASE(
    "a distribution is found by its shipped name or as a file, and a slip gets a suggestion") {
  const TemporaryDirectory data;
  const std::filesystem::path file =
      data.write("faults/mine.json", R"({"schema_version": 1, "name": "m", "counts": {"3": 4}})");
  const ScopedVariable chosen("FAULTLINE_DATA", data.path().c_str());
  CHECK(fault_count_names() == std::vector<std::string>{"mine"});
  CHECK(find_fault_counts("mine").total == 4);
  CHECK(find_fault_counts(file.string()).total == 4);
  CHECK_THROWS_WITH(
      find_fault_counts("mien"),
      "unknown fault distribution \"mien\", did you mean \"mine\"? Expected mine or the "
      "path of a .json file");
  CHECK_THROWS_AS(find_fault_counts("../mine"), UsageError);
}

}  // namespace faultline::scenario
