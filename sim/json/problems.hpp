#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace faultline {

/// Everything that is wrong with one file, in the order found.
class Problems {
 public:
  /// `file` as the user named it.
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// Notes that the value at a JSON path ("" is the whole file) is wrong. The same problem of the
  /// same place counts once.
  void add(const std::string& path, const std::string& message);

  /// Notes what is wrong with another file, one problem a line, at the path that names that file.
  void add_lines(const std::string& path, const std::string& text);

  /// Notes what a user should know of a file that is used nevertheless, one note a line.
  void note(const std::string& path, const std::string& message) {
    notes_.push_back(file_ + ": " + path + ": " + message);
  }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Problems at or below `path` are followed by `note` (the command line set them, not the file).
  void set_origin(std::string path, std::string note);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Are there more already than text() shows?
  [[nodiscard]] bool full() const;
  [[nodiscard]] const std::string& file() const { return file_; }

  /// One line for each problem: "FILE: PATH: what is wrong, what was expected".
  [[nodiscard]] std::string text() const;

  /// Throws UsageError with `text()` unless there is no problem.
  void throw_if_any() const;

 private:
  [[nodiscard]] std::string origin_of(const std::string& path) const;

  std::string file_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<std::pair<std::string, std::string>> origins_;
  std::vector<std::string> notes_;
};

/// The path of a member: `platform.processes`; a key that is no plain word is shown in quotes.
std::string member_path(const std::string& path, const std::string& key);

/// The path of a list's item: `faults.at[0]`.
std::string item_path(const std::string& path, std::size_t index);

/// User text for a message: in double quotes, cut to a readable length, control characters escaped.
std::string in_quotes(const std::string& text);

/// So many names of a list are read.
inline constexpr std::size_t kShownNames = 16;

/// "a, b or c"; a longer list is cut with "...".
std::string any_of(const std::vector<std::string>& names, std::size_t most = kShownNames);

/// The candidate that `name` most likely meant: equal but for case and dashes, within a few typing
/// errors, or the only one that begins with it.
std::optional<std::string> nearest_of(const std::string& name,
                                      const std::vector<std::string>& candidates);

/// `, did you mean "x"?` where one of the candidates is near, else `, expected a, b or c`, at most
/// so many of them.
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates,
                       std::size_t most = kShownNames);

}  // namespace faultline
