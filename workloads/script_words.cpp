// SPDX-License-Identifier: Apache-2.0
#include "workloads/script_words.hpp"

#include <algorithm>

#include "sim/core/visible_text.hpp"

namespace faultline::workloads {

ScriptWords::ScriptWords(std::string_view text) : text_(text) {
  if (text.size() > kLongestScriptLine)
    throw UnreadableWords{"expected at most " + std::to_string(kLongestScriptLine) +
                          " characters, got " + std::to_string(text.size())};
  advance();
}

std::string_view ScriptWords::take() {
  const std::string_view word = next();
  advance();
  return word;
}

bool ScriptWords::take_if(std::string_view word) {
  if (next() != word) return false;
  advance();
  return true;
}

void ScriptWords::expect(std::string_view word) {
  if (!take_if(word)) refuse("\"" + std::string(word) + "\"");
}

double ScriptWords::take_seconds() {
  const auto duration_s = number_in<double>(next());
  // Written this way round so that NaN is refused.
  if (!duration_s || !(*duration_s >= 0.0 && *duration_s <= kLongestScriptCompute_s))
    refuse("a time from 0 to 1e6 in seconds, such as \"2e-3 s\"");
  advance();
  expect("s");
  return *duration_s;
}

void ScriptWords::refuse(const std::string& expected) const {
  constexpr std::size_t kShown = 40;
  std::string got = "the end";
  if (!next().empty()) got = "\"" + visible(next().substr(0, kShown)) + "\"";
  throw UnreadableWords{"character " + std::to_string(begin_ + 1) + ": expected " + expected +
                        ", got " + got};
}

void ScriptWords::advance() {
  begin_ = std::min(text_.find_first_not_of(' ', end_), text_.size());
  end_ = begin_;
  if (begin_ == text_.size()) return;
  const bool is_mark = text_[begin_] == ':' || text_[begin_] == ',';
  end_ = is_mark ? begin_ + 1 : std::min(text_.find_first_of(" :,", begin_), text_.size());
}

}  // namespace faultline::workloads
