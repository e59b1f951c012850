// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace faultline::text {

/// Quotes a word, if it needs quotes, so that a POSIX shell reads it back unchanged. Control
/// characters and bytes that are not UTF-8 become numbers, as in $'\033'; bash, zsh, ksh and POSIX
/// 2024 know such quotes.
std::string shell_word(const std::string& word);

/// A command line of these words, each quoted if it needs quotes.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace faultline::text
