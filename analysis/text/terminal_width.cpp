// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/terminal_width.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "analysis/text/text_table.hpp"

namespace faultline::text {

namespace {

/// The value of COLUMNS, or 0 if that is not a number.
std::size_t columns_said() {
  const char* const said = std::getenv("COLUMNS");
  if (said == nullptr) return 0;
  const std::string_view text(said);
  std::size_t columns = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && rest == text.data() + text.size() ? columns : 0;
}

}  // namespace

std::size_t table_width_on(int stream) {
  // Outside of these limits the number is probably wrong, and would not improve the table.
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 1000;
  if (isatty(stream) == 0) return kUsualWidth;
  struct winsize size {};
  std::size_t columns = ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  if (columns == 0) columns = columns_said();
  return columns == 0 ? kUsualWidth : std::clamp(columns, kNarrowest, kWidest);
}

}  // namespace faultline::text
