#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim/core/file_roles.hpp"
#include "sim/core/partial_file.hpp"

namespace faultline {

/// Where a verb's result goes: standard output, or a file that appears whole or not at all. The
/// place is tried before any work is done.
class OutputFile {
 public:
  /// No path is standard output. Throws UsageError if the file cannot be written, or is one that
  /// the command reads.
  explicit OutputFile(std::optional<std::string> path, std::string option = "--out");
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes a part of the result. If it cannot (disk full), throws UsageError for a file, of which
  /// nothing stays then, and RunError for standard output.
  void append(const std::string& text);

  /// The parts are the whole result; throws as they do.
  void complete();

  /// Writes the whole result.
  void write(const std::string& text);

  /// How wide a table may be that goes there (analysis/text/terminal_width).
  [[nodiscard]] std::size_t table_width() const;

  /// The directory of the file, if there is one that stays.
  [[nodiscard]] std::optional<std::string> directory() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void open_in_place();

  std::string option_;  ///< that names the file, for messages
  std::string path_;    ///< as the user named it, "" for standard output
  std::optional<OutputPlace> place_;
  std::optional<PartialFile> partial_;
  int device_ = -1;  ///< that, or a pipe, is written in place
};

}  // namespace faultline
