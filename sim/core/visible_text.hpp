// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace faultline {

/// A character of UTF-8 text, and the number of bytes that it takes. The number is 0 if the bytes
/// are not valid UTF-8 (RFC 3629: the shortest form, no surrogates, up to U+10FFFF).
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character character_at(std::string_view text, std::size_t at);

/// True for characters that a terminal obeys or that hide other text: ASCII and ISO 6429 control
/// characters, line separators, direction overrides and isolates. Also true for U+FFFE, U+FFFF and
/// the like, which neither text nor XML may contain.
bool is_hidden(std::uint32_t code);

bool is_utf8(std::string_view text);

/// Makes text from outside safe to show, in one line. It replaces by their numbers: control
/// characters, line breaks and tabs included (`\x1b`, `\u009b`), bytes that are not UTF-8 (`\xff`),
/// and characters that break a line or change its direction (`\u202e`). Applying it twice changes
/// nothing more.
std::string visible(std::string_view text);

/// Like visible(), but keeps line breaks and tabs.
std::string visible_lines(std::string_view text);

/// The beginning of a text of more than `most_B` bytes, followed by "..."; no character is cut. For
/// names, which may have any length.
std::string shortened(std::string_view text, std::size_t most_B = 100);

/// Writes a message to standard error. Each line begins with the program's name, so that it can be
/// found in the log of a batch job. Of a word or a line of absurd length, such as the name of a
/// file that a stranger chose, the middle is left out.
void complain(std::string_view message);

}  // namespace faultline
