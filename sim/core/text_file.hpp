// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace faultline {

/// The bytes of a file that the user named, at most `largest_B` of them. The file may be a pipe,
/// but not a device, because some devices never end. Throws UsageError "PATH: what is wrong" if the
/// file is missing, a directory or a device, unreadable, empty or too large. `expected` says what
/// should be in it, for the message.
std::string read_text_file(const std::string& path, const std::string& expected,
                           std::size_t largest_B);

/// True if a text has nothing but spaces, tabs and line ends.
bool is_blank(const std::string& text);

}  // namespace faultline
