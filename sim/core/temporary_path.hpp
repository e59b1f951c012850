// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace faultline {

/// How a folder is removed: with the files in it (but not its subfolders), or only if it is empty.
enum class FolderEnd { with_its_files, if_empty };

/// A file or a folder that is removed with the object, and also when a signal ends the program.
/// Create both the file and this object while signals are held (SignalsHeld). Otherwise a signal
/// in between would leave the file behind.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::string path, FolderEnd end = FolderEnd::with_its_files);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Keeps the file or folder: nothing removes it from now on.
  void keep();

 private:
  void forget();

  std::string path_;
  FolderEnd end_;
};

/// Removes all temporary paths that exist now. May be called from a signal handler.
void remove_temporary_paths();

/// Called in a child process: it removes none of the paths, because they belong to its parent.
void leave_temporary_paths_to_parent();

}  // namespace faultline
