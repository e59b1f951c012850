// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim/core/file_roles.hpp"
#include "sim/core/partial_file.hpp"

namespace faultline::cli {

/// Where a verb writes its result: standard output, or a file that appears complete or not at all.
/// It is made before the verb does its work, so that an unwritable place is found early.
class OutputFile {
 public:
  /// Without a path, writes to standard output. Throws UsageError if the file cannot be written, or
  /// is one that the command reads.
  explicit OutputFile(std::optional<std::string> path, std::string option = "--out");
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes a part of the result. If that fails (disk full), throws UsageError for a file, which is
  /// then removed, and RunError for standard output.
  void append(const std::string& text);

  /// Called after the last part: gives a file its name. Throws as append() does.
  void complete();

  /// Writes the whole result.
  void write(const std::string& text);

  /// The greatest width of a table that is written there (analysis/text/terminal_width).
  [[nodiscard]] std::size_t table_width() const;

  /// The directory of the file. Nothing for standard output, a pipe or a device.
  [[nodiscard]] std::optional<std::string> directory() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void open_in_place();

  std::string option_;  ///< the option that names the file, for messages
  std::string path_;    ///< as the user named it, "" for standard output
  std::optional<OutputPlace> place_;
  std::optional<PartialFile> partial_;
  int device_ = -1;  ///< a device or a pipe, which is written in place
};

}  // namespace faultline::cli
