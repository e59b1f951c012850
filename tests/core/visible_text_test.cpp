// SPDX-License-Identifier: Apache-2.0
#include "sim/core/visible_text.hpp"

#include <catch2/catch.hpp>

namespace faultline {

TEST_CASE("text that any terminal shows is shown as it is") {
  for (const char* text : {"", "token-ring", "caf\u00e9 \u6f22\u5b57 \U0001F600", "a\\x1b",
                           "\"'`$%", "\u05d0\u0628", "\u00a0 \u200b"})
    CHECK(visible(text) == text);
}

TEST_CASE("what a terminal obeys, or what hides other text, is shown as a number") {
  CHECK(visible(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\x1b[31mred\x07\x7f\r\n\t") == "\\x1b[31mred\\x07\\x7f\\x0d\\x0a\\x09");
  CHECK(visible("\u0080\u009b1m\u009f") == "\\u0080\\u009b1m\\u009f");
  CHECK(visible("\u2028\u2029\u202a\u202e\u2066\u2069") ==
        "\\u2028\\u2029\\u202a\\u202e\\u2066\\u2069");
  CHECK(visible("\uffff\U0001FFFE") == "\\uffff\\U0001fffe");
  CHECK(visible_lines("a\n\tb\x1b\r\n") == "a\n\tb\\x1b\\x0d\n");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one") {
  CHECK(visible("a\xff\xfe") == "a\\xff\\xfe");
  CHECK(visible("\xc3") == "\\xc3");                             // cut off
  CHECK(visible("\xc3(") == "\\xc3(");                           // another character follows
  CHECK(visible("\xc0\x80") == "\\xc0\\x80");                    // longer than need be
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(visible("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  CHECK(visible("\x9b"
                "31m") ==
        "\\x9b"
        "31m");  // the same command in Latin-1
  CHECK_FALSE(is_utf8("\x9b"));
  CHECK(is_utf8("\u009b"));
}

TEST_CASE("any bytes are shown without control characters, and showing twice changes nothing") {
  std::uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int length = 0; length < 6; ++length) {
      state = state * 1664525 + 1013904223;
      text += static_cast<char>(state >> 24U);
    }
    const std::string shown = visible(text);
    CAPTURE(text, shown);
    REQUIRE(is_utf8(shown));
    REQUIRE(visible(shown) == shown);
    for (std::size_t at = 0; at < shown.size(); at += character_at(shown, at).bytes)
      REQUIRE_FALSE(is_hidden(character_at(shown, at).code));
  }
}

TEST_CASE("a name of any length is shortened, at a character") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc...");
  CHECK(shortened("ab\u00e9d", 3) == "ab...");
  CHECK(shortened("ab\u00e9d", 4) == "ab\u00e9...");
  CHECK(shortened(std::string(20000, 'x')) == std::string(100, 'x') + "...");
}

}  // namespace faultline
