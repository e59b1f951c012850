#pragma once

#include <optional>
#include <string>

namespace faultline {

/// Where a verb's result goes: standard output, or a file that appears whole or not at all. The
/// place is tried before any work is done.
class OutputFile {
 public:
  /// No path is standard output. Throws UsageError if the file cannot be written.
  explicit OutputFile(std::optional<std::string> path, std::string option = "--out");
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the whole result. If it cannot (disk full), throws UsageError for a file, of which
  /// nothing stays then, and RunError for standard output.
  void write(const std::string& text);

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::string option_;   ///< that names the file, for messages
  std::string path_;     ///< as the user named it, "" for standard output
  std::string target_;   ///< the same without symbolic links
  std::string partial_;  ///< written first, then renamed
};

}  // namespace faultline
