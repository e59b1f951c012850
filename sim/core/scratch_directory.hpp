#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/core/temporary_path.hpp"

namespace faultline {

/// A private directory that is gone, with all in it, with the object.
class ScratchDirectory {
 public:
  /// Throws RunError, which says what it was for, when it cannot be made.
  explicit ScratchDirectory(const std::string& purpose);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  std::optional<TemporaryPath> temporary_;
};

/// Where temporary files go: TMPDIR, or /tmp where it is not set.
std::string temporary_directory();

}  // namespace faultline
