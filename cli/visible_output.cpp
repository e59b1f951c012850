// SPDX-License-Identifier: Apache-2.0
#include "cli/visible_output.hpp"

#include "sim/core/visible_text.hpp"

namespace faultline::cli {

VisibleOutput::~VisibleOutput() { pass_on(waiting_.size()); }

VisibleOutput::int_type VisibleOutput::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  const char text = traits_type::to_char_type(letter);
  return xsputn(&text, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize VisibleOutput::xsputn(const char* text, std::streamsize count) {
  waiting_.append(text, static_cast<std::size_t>(count));
  const std::size_t end = waiting_.rfind('\n');
  return end == std::string::npos || pass_on(end + 1) ? count : 0;
}

int VisibleOutput::sync() { return pass_on(waiting_.size()) && to_.flush() ? 0 : -1; }

bool VisibleOutput::pass_on(std::size_t count) {
  to_ << visible_lines(std::string_view(waiting_).substr(0, count));
  waiting_.erase(0, count);
  return static_cast<bool>(to_);
}

}  // namespace faultline::cli
