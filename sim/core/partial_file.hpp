#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/core/temporary_path.hpp"

namespace faultline {

/// A file that is written beside its place, as PLACE.partial-NUMBER, and takes its place when it is
/// complete. One that is never completed is gone with the object, or with the program when a signal
/// ends it; what a killed program has left is removed by the next one that writes to the same
/// place. Functions throw std::system_error where the file system refuses.
class PartialFile {
 public:
  explicit PartialFile(const std::string& place);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// What it is called until it is complete; of a store, PATH-journal belongs to it.
  [[nodiscard]] std::string path() const { return partial_->path(); }

  void set_mode(std::uint32_t mode) const;
  void append(const std::string& text) const;

  /// Takes the place, also of a file that has been there, once all is on the disk.
  void replace();

  /// Takes the place unless there is a file by now.
  void complete_new();

 private:
  void create();

  std::string place_;
  std::optional<TemporaryPath> partial_;
  std::optional<TemporaryPath> journal_;
  int file_ = -1;  ///< locked as long as this process lives
};

/// Writes all of the text to a file. False with errno set if it cannot.
bool write_all(int file, const std::string& text);

}  // namespace faultline
