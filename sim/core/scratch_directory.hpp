// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/core/temporary_path.hpp"

namespace faultline {

/// A private temporary directory, removed with everything in it when the object is destroyed.
class ScratchDirectory {
 public:
  /// Throws RunError if the directory cannot be made. The message contains `purpose`, which says
  /// what the directory was for.
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

/// The directory for temporary files: TMPDIR, or /tmp if that is not set.
std::string temporary_directory();

}  // namespace faultline
