#pragma once

#include <string>

namespace faultline {

/// Where a verb's result goes: standard output, or a file that appears whole or not at all. The
/// place is tried before any work is done.
class OutputFile {
 public:
  /// `path` "" is standard output. Throws UsageError if the file cannot be written.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the whole result. Throws RunError if it cannot (disk full).
  void write(const std::string& text);

 private:
  std::string path_;
  std::string partial_;  ///< written first, then renamed
};

}  // namespace faultline
