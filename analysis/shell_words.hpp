#pragma once

#include <string>
#include <vector>

namespace faultline {

/// A word as a POSIX shell reads it back: in quotes where it needs them.
std::string shell_word(const std::string& word);

/// A command of these words.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace faultline
