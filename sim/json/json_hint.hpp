// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace faultline::json {

/// What to write instead, where a text stops being JSON in a way that is common: "leave out the
/// comma before it". `at` is the last character that was read, and `error` the parser's message.
/// "" if the mistake is not one of the common ones.
std::string hint_at(const std::string& text, std::size_t at, const std::string& error);

/// Does a text begin as UTF-16 does: with a byte order mark, or with an ASCII letter in two bytes?
bool is_utf16(const std::string& text);

}  // namespace faultline::json
