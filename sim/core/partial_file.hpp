// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/temporary_path.hpp"

namespace faultline {

/// A file that is written under another name, PLACE.partial-NUMBER, and renamed to PLACE when it is
/// complete. If it is never completed, it is removed with the object, or when a signal ends the
/// program. What a killed program has left is removed by the next PartialFile for the same place.
/// The functions throw std::system_error if the file system refuses.
class PartialFile {
 public:
  explicit PartialFile(const std::string& place);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// The path until the file is complete. If it is a store, SQLite keeps its journal at
  /// PATH-journal, which is removed with it.
  [[nodiscard]] std::string path() const { return partial_->path(); }

  void set_mode(std::uint32_t mode) const;
  void append(const std::string& text) const;

  /// Waits until everything is on the disk and renames the file to its place. Replaces a file that
  /// is already there.
  void replace();

  /// Gives the file its place. Throws if another file has taken it meanwhile.
  void complete_new();

 private:
  void create();

  std::string place_;
  std::optional<TemporaryPath> partial_;
  std::optional<TemporaryPath> journal_;
  int file_ = -1;  ///< open and locked until the object or the process ends
};

/// Writes the whole text to a file descriptor. Returns false with errno set if that fails.
bool write_all(int file, const std::string& text);

}  // namespace faultline
