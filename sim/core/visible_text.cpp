// SPDX-License-Identifier: Apache-2.0
#include "sim/core/visible_text.hpp"

#include <algorithm>
#include <cstdio>

namespace faultline {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

void append_number(std::string& out, const Character& character, unsigned byte) {
  char text[16];
  const bool is_byte = character.code < 0x80;
  const char* const format = is_byte ? "\\x%02x" : character.bytes < 4 ? "\\u%04x" : "\\U%08x";
  std::snprintf(text, sizeof text, format,
                character.bytes == 0 ? byte : static_cast<unsigned>(character.code));
  out += text;
}

std::string visible_but(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
    const bool hidden = character.bytes == 0 || is_hidden(character.code);
    if (hidden && kept.find(text[at]) == std::string_view::npos)
      append_number(result, character, byte_at(text, at));
    else
      result += text.substr(at, bytes);
    at += bytes;
  }
  return result;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF8 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (bytes == 0 || first < 0xC0) return {};
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0U) != 0x80U) return {};
    code = code << 6U | (next & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || (code & 0xFFFEU) == 0xFFFE;
}

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = character_at(text, at).bytes;
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

std::string visible(std::string_view text) { return visible_but(text, {}); }

std::string visible_lines(std::string_view text) { return visible_but(text, "\n\t"); }

namespace {

/// The first place from `at` on at which a character begins.
std::size_t next_character(std::string_view text, std::size_t at) {
  while (at < text.size() && (byte_at(text, at) & 0xC0U) == 0x80U) ++at;
  return at;
}

std::size_t last_character(std::string_view text, std::size_t at) {
  while (at > 0 && (byte_at(text, at) & 0xC0U) == 0x80U) --at;
  return at;
}

/// Leaves out the middle of a text that is longer than that.
std::string without_middle(std::string_view text, std::size_t most_B) {
  if (text.size() <= most_B) return std::string(text);
  const std::size_t end = last_character(text, most_B / 3 * 2);
  const std::size_t rest = next_character(text, text.size() - most_B / 3);
  return std::string(text.substr(0, end)) + "..." + std::string(text.substr(rest));
}

/// Paths and names are words. What is not said in one, such as a list of names, may be longer.
std::string readable(std::string_view line) {
  constexpr std::size_t kLongestWord_B = 600;
  constexpr std::size_t kLongestLine_B = 9000;
  std::string result;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    result += without_middle(line.substr(at, end - at), kLongestWord_B);
    if (end < line.size()) result += ' ';
    at = end + 1;
  }
  return without_middle(result, kLongestLine_B);
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most_B) {
  if (text.size() <= most_B) return std::string(text);
  return std::string(text.substr(0, last_character(text, most_B))) + "...";
}

void complain(std::string_view message) {
  std::string lines;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    lines += "faultline: " + readable(visible(message.substr(0, end))) + "\n";
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  std::fputs(lines.c_str(), stderr);
}

}  // namespace faultline
