// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/text_table.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace faultline::text {

TEST_CASE("columns are aligned, titles stand on the rule and no line ends in blanks") {
  TextTable table;
  table.columns = {{"protocol", Align::left}, {"mean\ns"}, {"note", Align::left}};
  table.rows = {{"cda", "1.5", ""}, {"four-counter", "10.25", "slow"}};
  CHECK(render(table) ==
        "               mean\n"
        "protocol          s  note\n"
        "------------  -----  ----\n"
        "cda             1.5\n"
        "four-counter  10.25  slow\n");
}

TEST_CASE("characters are counted, not bytes") {
  TextTable table;
  table.columns = {{"name", Align::left}, {"n"}};
  table.rows = {{"Kal\xc3\xa9", "1"}, {"Kale", "2"}};
  CHECK(render(table) ==
        "name  n\n"
        "----  -\n"
        "Kal\xc3\xa9  1\n"
        "Kale  2\n");
}

TEST_CASE("a table too wide is broken into blocks that repeat the key columns") {
  TextTable table;
  table.columns = {{"k"}, {"aaaa"}, {"bbbb"}, {"cccc"}};
  table.rows = {{"1", "2", "3", "4"}};
  CHECK(render(table, 13) ==
        "k  aaaa  bbbb\n"
        "-  ----  ----\n"
        "1     2     3\n"
        "\n"
        "k  cccc\n"
        "-  ----\n"
        "1     4\n");
  CHECK(render(table, 12) ==
        "k  aaaa\n"
        "-  ----\n"
        "1     2\n"
        "\n"
        "k  bbbb\n"
        "-  ----\n"
        "1     3\n"
        "\n"
        "k  cccc\n"
        "-  ----\n"
        "1     4\n");
  CHECK(render(table, 1) == render(table, 12));
}

TEST_CASE("a table without rows has its header, and one without columns is empty") {
  TextTable table;
  CHECK(render(table).empty());
  table.columns = {{"a"}};
  CHECK(render(table) == "a\n-\n");
}

TEST_CASE("a row with a cell too many or too few is a mistake of the caller") {
  TextTable table;
  table.columns = {{"a"}, {"b"}};
  table.rows = {{"1"}};
  CHECK_THROWS_AS(render(table), std::invalid_argument);
  table.rows = {{"1", "2", "3"}};
  CHECK_THROWS_AS(render(table), std::invalid_argument);
}

TEST_CASE("text is wrapped at blanks and a long word is kept whole") {
  CHECK(wrapped("one two three", 7) == "one two\nthree\n");
  CHECK(wrapped("  one\n two ", 80) == "one two\n");
  CHECK(wrapped("incomprehensibilities are", 5) == "incomprehensibilities\nare\n");
  CHECK(wrapped("").empty());
}

TEST_CASE("CSV fields are quoted where RFC 4180 demands it and only there") {
  CHECK(csv_record({"a", "1.5", "two words"}) == "a,1.5,two words\n");
  CHECK(csv_record({"a,b", "say \"so\""}) == "\"a,b\",\"say \"\"so\"\"\"\n");
  CHECK(csv_record({"", "", ""}) == ",,\n");
}

TEST_CASE("names with control characters stay within their cell, line and field") {
  const std::string name = "a\n\x1b[2J\u202e,b";
  TextTable table;
  table.columns = {{name, Align::left}, {"n"}};
  table.rows = {{name, "1"}};
  CHECK(render(table) ==
        "a\n"
        "\\x1b[2J\\u202e,b       n\n"
        "--------------------  -\n"
        "a\\x0a\\x1b[2J\\u202e,b  1\n");
  CHECK(wrapped("a \x1b[2J\nb\r") == "a \\x1b[2J b\\x0d\n");
  CHECK(csv_record({name, "cr\r"}) == "\"a\\x0a\\x1b[2J\\u202e,b\",cr\\x0d\n");
}

TEST_CASE("a spreadsheet takes no text of a CSV record for a formula, and numbers for numbers") {
  CHECK(csv_record({"=1+1", "+A1", "-A1", "@SUM(A1)", "=\"x\""}) ==
        "'=1+1,'+A1,'-A1,'@SUM(A1),\"'=\"\"x\"\"\"\n");
  CHECK(csv_record({"-1", "-1e-05", "-inf", "-1e999", "-", "a=b", "1-2"}) ==
        "-1,-1e-05,-inf,-1e999,-,a=b,1-2\n");
}

TEST_CASE("the shortest text of a double reads back as the same double") {
  CHECK(json::shortest(0.1) == "0.1");
  CHECK(json::shortest(99.31484635678393) == "99.31484635678393");
  CHECK(json::shortest(1.0) == "1");
  CHECK(json::shortest(0.0) == "0");
  CHECK(json::shortest(-0.0) == "0");  // no other value to a reader
  CHECK(json::shortest(5e-324) == "5e-324");
  CHECK(json::shortest(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(json::shortest(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(json::shortest(std::nan("")) == "nan");
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 1800) - 1000);
    CHECK(std::stod(json::shortest(value)) == value);
  }
}

TEST_CASE("fixed and two-digit numbers are those that papers print") {
  CHECK(fixed(99.3148, 3) == "99.315");
  CHECK(fixed(0.0, 3) == "0.000");
  CHECK(fixed(1e300, 0).size() == 301);
  CHECK(two_digits(0.000138) == "1.4e-4");
  CHECK(two_digits(0.0) == "0");
  CHECK(two_digits(1.0) == "1");
  CHECK(two_digits(2.8e-2) == "2.8e-2");
  CHECK(two_digits(3.24e-117) == "3.2e-117");
  CHECK(two_digits(9.96e-10) == "1.0e-9");
  CHECK(two_digits(1e-10) == "1.0e-10");
}

}  // namespace faultline::text
