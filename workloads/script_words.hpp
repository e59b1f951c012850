// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faultline::workloads {

/// How many characters a line of a script can have, and how long a computation can take [s].
inline constexpr std::size_t kLongestScriptLine = 500;
inline constexpr double kLongestScriptCompute_s = 1e6;

/// Why a line of a script cannot be read, and where.
struct UnreadableWords {
  std::string message;
};

/// The number that a whole word spells, if it is a number.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

/// The words of one line of a script, from left to right, with spaces between them. A colon and a
/// comma are words of their own. The text must outlive it.
class ScriptWords {
 public:
  /// Throws UnreadableWords if the text is longer than kLongestScriptLine.
  explicit ScriptWords(std::string_view text);

  /// The next word; empty behind the last.
  [[nodiscard]] std::string_view next() const { return text_.substr(begin_, end_ - begin_); }
  std::string_view take();
  /// Takes the next word if it is that one.
  bool take_if(std::string_view word);
  /// Takes the next word, which must be that one. Throws UnreadableWords.
  void expect(std::string_view word);
  /// Takes a time of at most kLongestScriptCompute_s and the word "s". Throws UnreadableWords.
  double take_seconds();
  /// Throws UnreadableWords: the next word is not what was expected.
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  void advance();

  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace faultline::workloads
