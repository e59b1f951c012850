#pragma once

#include <functional>
#include <string>

namespace faultline {

/// Lines that are kept to be read again, in order: in memory while they are few, then in a file
/// without a name, and in memory again where there is no room for that.
class LineSpool {
 public:
  /// `directory`: where the file goes.
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
  std::string last_;  ///< what is not in the file
  int file_ = -1;
  bool file_is_full_ = false;
  std::size_t in_file_B_ = 0;
};

}  // namespace faultline
