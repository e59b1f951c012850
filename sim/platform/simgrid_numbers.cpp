// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simgrid_numbers.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace faultline::platform {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint32_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number > 999999999U)
    return std::nullopt;
  return number;
}

bool is_in_range(const std::string& text) {
  errno = 0;
  std::strtod(text.c_str(), nullptr);
  return errno != ERANGE;
}

bool begins_with_number(std::string_view word) {
  const std::string text(word);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && std::isfinite(number) && is_in_range(text);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace faultline::platform
