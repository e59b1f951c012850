// SPDX-License-Identifier: Apache-2.0
#include "sim/json/json_hint.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace faultline::json {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

/// The last character before `at` that is not blank, or a zero.
char letter_before(std::string_view text, std::size_t at) {
  const std::size_t place = text.substr(0, at).find_last_not_of(kBlanks);
  return place == std::string_view::npos ? '\0' : text[place];
}

/// The word without quotes that the character at `at` belongs to.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && is_word_letter(text[begin - 1])) --begin;
  std::size_t end = at;
  while (end < text.size() && is_word_letter(text[end])) ++end;
  return text.substr(begin, end - begin);
}

/// Does a colon follow the word at `at`, as it follows a key?
bool is_bare_key(std::string_view text, std::size_t at) {
  const std::string_view word = word_at(text, at);
  if (word.empty()) return false;
  const auto begin = static_cast<std::size_t>(word.data() - text.data());
  const std::size_t next = text.find_first_not_of(kBlanks, begin + word.size());
  const char before = letter_before(text, begin);
  return next != std::string_view::npos && text[next] == ':' && (before == '{' || before == ',');
}

/// Does the text begin with a line `key:`, `key: value`, `- entry`, `---` or `%YAML`?
bool is_yaml(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::string_view line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  if (line.starts_with("---") || line.starts_with("- ") || line.starts_with("%YAML")) return true;
  const auto word = std::find_if_not(line.begin(), line.end(), is_word_letter);
  const std::string_view rest = line.substr(static_cast<std::size_t>(word - line.begin()));
  return word != line.begin() && (rest == ":" || rest.starts_with(": "));
}

bool is_comment(std::string_view text, std::size_t at) {
  const std::string_view here = text.substr(at);
  return here.starts_with("#") || here.starts_with("//") || here.starts_with("/*");
}

/// Did the parser meet a whole value where a list or an object could only go on or end?
bool lacks_comma(std::string_view error) {
  return error.find("unexpected") != std::string_view::npos &&
         error.find("unexpected end of input") == std::string_view::npos &&
         (error.ends_with("expected '}'") || error.ends_with("expected ']'"));
}

}  // namespace

std::string hint_at(const std::string& text, std::size_t at, const std::string& error) {
  if (is_yaml(text)) return "this looks like YAML, but JSON is expected";
  if (at >= text.size()) return {};
  const char here = text[at];
  if (here == '=') return "write a colon between a key and its value";
  if (is_comment(text, at)) return "JSON has no comments";
  if ((here == '}' || here == ']') && letter_before(text, at) == ',')
    return "leave out the comma before it";
  if (here == '\'') return "write keys and texts in double quotes";
  const std::string_view word = word_at(text, at);
  if (word == "True" || word == "False" || word == "None")
    return "JSON has true, false and null, in small letters";
  if (is_bare_key(text, at)) return "write keys in double quotes";
  const bool within_number = is_word_letter(here) && at > 0 && is_word_letter(text[at - 1]);
  return lacks_comma(error) && !within_number ? "is a comma missing before it?" : "";
}

bool is_utf16(const std::string& text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  return text.size() > 1 && (text[0] == '\0') != (text[1] == '\0');
}

}  // namespace faultline::json
