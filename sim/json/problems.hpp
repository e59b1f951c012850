// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace faultline::json {

/// All errors found in one file, in the order in which they were found.
class Problems {
 public:
  /// `file` is the name that the user gave.
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// Adds an error of the value at a JSON path ("" is the whole file). The same error at the same
  /// place is added once.
  void add(const std::string& path, const std::string& message);

  /// Adds errors of another file, one per line of `text`. `path` is the value that names that file.
  void add_lines(const std::string& path, const std::string& text);

  /// Adds a note about something that is not an error but that the user should know. The same note
  /// about the same place is added once.
  void note(const std::string& path, const std::string& message);
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Errors at or below `path` are followed by `note`, for instance that the command line and not
  /// the file has set the value. An empty note takes an earlier one back.
  void set_origin(std::string path, std::string note);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// True if there are already more errors than text() shows.
  [[nodiscard]] bool full() const;
  [[nodiscard]] const std::string& file() const { return file_; }

  /// One line for each error: "FILE: PATH: what is wrong, what was expected".
  [[nodiscard]] std::string text() const;

  /// Throws UsageError with `text()` if there are errors.
  void throw_if_any() const;

 private:
  [[nodiscard]] std::string origin_of(const std::string& path) const;

  std::string file_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<std::pair<std::string, std::string>> origins_;
  std::vector<std::string> notes_;
};

/// The path of an object's member, such as `platform.processes`. A key that is not a plain word is
/// put in quotes.
std::string member_path(const std::string& path, const std::string& key);

/// The path of a list's item, such as `faults.at[0]`.
std::string item_path(const std::string& path, std::size_t index);

/// User text for a message: in double quotes, cut to a readable length, control characters escaped.
std::string in_quotes(const std::string& text);

/// A message shows at most this many names of a list.
inline constexpr std::size_t kShownNames = 16;

/// The names as "a, b or c". A list with more than `most` names is cut with "...".
std::string any_of(const std::vector<std::string>& names, std::size_t most = kShownNames);

/// The candidate that `name` most likely stands for: one that differs only in case and dashes or by
/// a few typing errors, or the only one that begins with `name`.
std::optional<std::string> nearest_of(const std::string& name,
                                      const std::vector<std::string>& candidates);

/// `, did you mean "x"?` if nearest_of() finds a candidate, else `, expected a, b or c` with at
/// most `most` names.
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates,
                       std::size_t most = kShownNames);

}  // namespace faultline::json
