// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/theory/survival.hpp"
#include "cli/verbs.hpp"
#include "sim/core/error.hpp"
#include "tests/analysis/theory/table1.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::theory {

using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string output_of(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  REQUIRE(cli::carry_out(cli::survival_verb(), arguments, out) == 0);
  return out.str();
}

/// The message that `arguments` are refused with; nothing may have been written by then.
std::string refusal_of_survival(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  try {
    cli::carry_out(cli::survival_verb(), arguments, out);
  } catch (const UsageError& error) {
    CHECK(out.str().empty());
    return error.what();
  }
  FAIL("was accepted");
  return "";
}

std::vector<std::vector<std::string>> words_of_lines(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    lines.emplace_back();
    for (std::string word; words >> word;) lines.back().push_back(word);
  }
  return lines;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("the table printed by default holds every figure of Table 1 as the paper prints it") {
  std::map<std::string, std::vector<std::string>> lines;  // first word -> all words
  for (const auto& words : words_of_lines(output_of({}))) {
    if (words.size() > 5) lines[words[0] == "all" ? words[0] + words[1] : words[0]] = words;
  }
  std::size_t compared = 0;
  const auto check = [&](const std::string& word, const std::string& printed) {
    CHECK(word == printed);
    ++compared;
  };
  for (std::size_t r = 0; r < table1::rows.size(); ++r) {
    for (std::size_t s = 0; s < table1::sizes.size(); ++s) {
      const auto& line = lines[std::to_string(table1::sizes[s])];
      REQUIRE(line.size() == 8);
      check(line[3 + r], table1::rows[r].cells[s]);
    }
    REQUIRE(lines["all>20"].size() == 9);
    check(lines["all>20"][4 + r], table1::rows[r].tail);
    REQUIRE(lines["survival"].size() == 7);
    check(lines["survival"][2 + r], table1::rows[r].survival);
  }
  for (std::size_t s = 1; s < table1::sizes.size(); ++s) {
    check(lines[std::to_string(table1::sizes[s])][2], table1::fault_percent[s]);
  }
  check(lines["1"][2].substr(0, 4), "92.2");  // 92.279, of which the paper prints 92.3
  check(lines["all>20"][3], table1::tail_percent);
  CHECK(compared == 65 + 5 + 5 + 14);
}

TEST_CASE("the table fits into 80 columns, names its source and needs none of the options") {
  const std::string text = output_of({});
  CHECK(longest_line(text) <= 80);
  CHECK_THAT(text, Contains("adoption-2013-lifflander") && Contains("jaguar"));
  CHECK(longest_line(output_of({"--processes", "1000000000", "--fanout",
                                "1,10,100,1000,10000,100000,1000000,10000000,100000000"})) <= 80);
  CHECK(output_of({"--processes", "1024", "--fanout=2,8,32,512", "--faults", "jaguar", "--format",
                   "table"}) == text);
}

TEST_CASE("JSON carries the rows that the closed form gives, digit for digit") {
  const json document = json::parse(output_of({"--format", "json", "--fanout", "3,700"}));
  const std::vector<SurvivalRow> rows = survival_rows(1024, {3, 700}, table1::counts());
  CHECK(document["processes"] == 1024);
  CHECK(document["distribution"] == "jaguar");
  REQUIRE(document["rows"].size() == rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const json& row = document["rows"][r];
    CHECK(row["protocol"] == rows[r].protocol);
    CHECK(row["fanout"] == (rows[r].fanout ? json(*rows[r].fanout) : json(nullptr)));
    CHECK(row["survival_percent"].get<double>() == rows[r].survival_percent);
    CHECK(row["failure_probability"].get<double>() == rows[r].failure_probability);
    REQUIRE(row["by_size"].size() == rows[r].by_size.size());
    for (std::size_t s = 0; s < rows[r].by_size.size(); ++s) {
      const json& size = row["by_size"][s];
      CHECK(size["failed"] == rows[r].by_size[s].failed);
      CHECK(size["count"] == rows[r].by_size[s].count);
      CHECK(size["failure_probability"].get<double>() == rows[r].by_size[s].failure_probability);
    }
  }
}

TEST_CASE("CSV has one record per protocol, fanout and size, and one for all sizes") {
  std::istringstream lines(output_of({"--format", "csv", "--processes", "2000", "--fanout", "2"}));
  std::string line;
  std::getline(lines, line);
  CHECK(line ==
        "processes,distribution,protocol,fanout,failed,count,failure_probability,survival_percent");
  const std::vector<SurvivalRow> rows = survival_rows(2000, {2}, table1::counts());
  for (const SurvivalRow& row : rows) {
    const std::string key = row.fanout ? "2000,jaguar,indep,2," : "2000,jaguar,rel,,";
    for (std::size_t i = 0; i <= row.by_size.size(); ++i) {
      REQUIRE(std::getline(lines, line));
      REQUIRE_THAT(line, Catch::Matchers::StartsWith(key));
      std::istringstream fields(line.substr(key.size()));
      std::string failed, count, failure, survival;
      std::getline(std::getline(fields, failed, ','), count, ',');
      std::getline(std::getline(fields, failure, ','), survival, ',');
      const bool all = i == row.by_size.size();
      CHECK(failed == (all ? "all" : std::to_string(row.by_size[i].failed)));
      CHECK(count == std::to_string(all ? 1062 : row.by_size[i].count));
      CHECK(std::stod(failure) ==
            (all ? row.failure_probability : row.by_size[i].failure_probability));
      CHECK(std::stod(survival) ==
            (all ? row.survival_percent : 100.0 * row.by_size[i].given_fault.survival));
    }
  }
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("a user's own distribution takes the place of Jaguar's") {
  const TemporaryDirectory directory;
  const auto file = directory.write(
      "mine.json", R"({"schema_version": 1, "name": "a, b", "counts": {"1": 3, "2": 1}})");
  const json document = json::parse(output_of(
      {"--faults", file.string(), "--format", "json", "--fanout", "1", "--processes", "3"}));
  CHECK(document["distribution"] == "a, b");
  // [C(1,1)/C(2,1)]^2 = 1/4 for one fault of four: 1 - 3/16
  CHECK(document["rows"][0]["survival_percent"].get<double>() == Approx(81.25).epsilon(1e-15));
  CHECK_THAT(output_of({"--faults", file.string(), "--format", "csv"}), Contains("\"a, b\""));
}

TEST_CASE("fanouts of the paper that a small job cannot have are left out, and the table says so") {
  const json document = json::parse(output_of({"--processes", "32", "--format", "json"}));
  REQUIRE(document["rows"].size() == 3);
  CHECK(document["rows"][1]["fanout"] == 8);
  CHECK_THAT(output_of({"--processes", "32"}),
             Contains("f=32 is left out") && Contains("f=512 is left out"));
  CHECK(json::parse(output_of({"--processes", "1", "--format", "json"}))["rows"].size() == 1);
}

TEST_CASE("help is printed instead of a result") {
  CHECK_THAT(output_of({"--help"}), Contains("usage: faultline survival") && Contains("--fanout"));
  CHECK(output_of({"-h"}) == output_of({"--help"}));
  CHECK(longest_line(output_of({"--help"})) <= 80);
}

TEST_CASE("a wrong option is refused by name, with what was expected, and nothing is written") {
  for (const std::string value :
       {"0", "-5", "1000000001", "abc", "1e3", "1.5", "", " 7", "7 ", "nan"}) {
    INFO(value);
    CHECK(refusal_of_survival({"--processes", value}) ==
          "survival: --processes: expected an integer from 1 to 1000000000, got \"" + value + "\"");
  }
  for (const std::string value : {"1024", "-1", "2,,8", "2,", ",", "", "a", "2;8", "2 8"}) {
    INFO(value);
    CHECK_THAT(refusal_of_survival({"--fanout", value}),
               Contains("survival: --fanout: expected an integer from 0 to 1023"));
  }
  CHECK_THAT(refusal_of_survival({"--fanout", "2,2"}), Contains("--fanout: 2 is named twice"));
  CHECK_THAT(refusal_of_survival({"--format", "xml"}),
             Contains("--format: expected table, json or csv"));
  CHECK_THAT(refusal_of_survival({"--faults", ""}), Contains("--faults"));
  CHECK_THAT(refusal_of_survival({"--faults", "jagaur"}), Contains("did you mean \"jaguar\"?"));
  CHECK_THAT(refusal_of_survival({"--faults", "/no/such.json"}),
             Contains("/no/such.json: no such file"));
  CHECK_THAT(refusal_of_survival({"--fanuot", "3"}),
             Contains("\"--fanuot\", did you mean \"--fanout\"?"));
  CHECK_THAT(refusal_of_survival({"--processes"}), Contains("--processes"));
  CHECK_THAT(refusal_of_survival({"--processes", "1", "--processes", "2"}),
             Contains("more than once"));
  CHECK_THAT(refusal_of_survival({"1024"}), Contains("unexpected word \"1024\""));
}

}  // namespace faultline::theory
