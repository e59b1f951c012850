// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/told_once.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace faultline::scenario {

std::string ToldOnce::shortened(const std::string& line) {
  constexpr std::array<const char*, 3> kBeginnings = {", expected ", "; expected ", ", choose "};
  const std::size_t end = line.find(kOrAllow);
  std::size_t begin = end;
  for (const char* const words : kBeginnings) begin = std::min(begin, line.find(words));
  if (end == std::string::npos || begin >= end) return line;
  const std::size_t after = end + std::string_view(kOrAllow).size();
  if (told_.insert(line.substr(begin, after - begin)).second) return line;
  return line.substr(0, begin) + line.substr(after);
}

std::string told_once(const std::string& lines) {
  ToldOnce told;
  std::string text;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    if (!text.empty()) text += '\n';
    text += told.shortened(line);
  }
  return text;
}

}  // namespace faultline::scenario
