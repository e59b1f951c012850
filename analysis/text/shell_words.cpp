// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "sim/core/visible_text.hpp"

namespace faultline::text {

namespace {

bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string("_-./,:=@%+").find(letter) != std::string::npos;
}

/// The word in $'...' quotes, in which invisible characters become numbers.
std::string with_numbers(const std::string& word) {
  std::string quoted = "$'";
  for (const char letter : word) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '\'' || letter == '\\') {
      quoted += '\\';
      quoted += letter;
    } else if (byte >= ' ' && byte < 0x7F) {
      quoted += letter;
    } else {
      char number[8];
      std::snprintf(number, sizeof number, "\\%03o", static_cast<unsigned>(byte));
      quoted += number;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  if (visible(word) != word) return with_numbers(word);
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace faultline::text
