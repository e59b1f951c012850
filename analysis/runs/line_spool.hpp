// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace faultline::runs {

/// Keeps lines to be read again, in order. The first ones stay in memory; when there are many they
/// move to a file without a name. If that cannot be written, they stay in memory after all.
class LineSpool {
 public:
  /// `directory` is where the file is made.
  explicit LineSpool(std::string directory);
  ~LineSpool();
  LineSpool(const LineSpool&) = delete;
  LineSpool& operator=(const LineSpool&) = delete;

  void add(const std::string& line);

  /// Throws RunError if the file cannot be read.
  void for_each(const std::function<void(const std::string& line)>& take) const;

 private:
  void move_to_file();

  std::string directory_;
  std::string last_;  ///< the lines that are not in the file
  int file_ = -1;
  bool file_is_full_ = false;
  std::size_t in_file_B_ = 0;
};

}  // namespace faultline::runs
