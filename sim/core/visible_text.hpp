#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace faultline {

/// A character of UTF-8 text, and how many bytes it takes: none where the bytes are no UTF-8 (RFC
/// 3629: the shortest form, no surrogates, up to U+10FFFF).
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character character_at(std::string_view text, std::size_t at);

/// Controls of ASCII and of ISO 6429, separators of lines, overrides and isolates of direction, and
/// what no text may have (nor XML): a terminal obeys them, or they hide other text.
bool is_hidden(std::uint32_t code);

bool is_utf8(std::string_view text);

/// Text from outside as a reader may see it, in one line: what a terminal obeys or what hides other
/// text stands as its number. These are control characters (`\x1b`, `\u009b`; line breaks and tabs,
/// too), bytes that are no UTF-8 (`\xff`), and characters that turn or break a line (`\u202e`).
/// Text that has been through it stays as it is.
std::string visible(std::string_view text);

/// The same for text of several lines: line breaks and tabs are kept.
std::string visible_lines(std::string_view text);

/// Writes a message to standard error. Each of its lines names the program, so that it is found in
/// the log of a batch job.
void complain(std::string_view message);

}  // namespace faultline
