#pragma once

#include <string>
#include <vector>

namespace faultline {

/// A word as a POSIX shell reads it back: in quotes where it needs them. Control characters and
/// bytes that are no UTF-8 are written as numbers, in quotes that bash, zsh, ksh and POSIX 2024
/// know:
/// $'\033'.
std::string shell_word(const std::string& word);

/// A command of these words.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace faultline
