#pragma once

#include <string>

namespace faultline {

/// How much of a path that is a folder goes with it.
enum class FolderEnd { with_its_files, if_empty };

/// A file or a folder that is gone with the object, and also when a signal ends the
/// program. Make it and the object while signals are held (SignalsHeld): a signal in between would
/// leave it.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::string path, FolderEnd end = FolderEnd::with_its_files);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// It stays.
  void keep();

 private:
  void forget();

  std::string path_;
  FolderEnd end_;
};

/// Removes all that there are now. May be called by a handler of signals.
void remove_temporary_paths();

/// In a child: they are not its own.
void leave_temporary_paths_to_parent();

}  // namespace faultline
