// SPDX-License-Identifier: Apache-2.0
#include "sim/core/data_directory.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include "sim/core/error.hpp"

// The build sets this to the source tree's scenarios/; a package build may leave it out.
#ifndef FAULTLINE_DATA_DIR
#define FAULTLINE_DATA_DIR ""
#endif

namespace faultline {
namespace {

namespace fs = std::filesystem;

bool directory_exists(const fs::path& path) {
  std::error_code unreadable_counts_as_absent;
  return fs::is_directory(path, unreadable_counts_as_absent);
}

}  // namespace

fs::path data_directory_of(const fs::path& executable) {
  fs::path installed =
      (executable.parent_path() / "../share/faultline/scenarios").lexically_normal();
  // An installed program must not depend on the tree it was built from, so its own data come first.
  if (!executable.empty() && directory_exists(installed)) return installed;
  fs::path source_tree = FAULTLINE_DATA_DIR;
  if (directory_exists(source_tree)) return source_tree;
  std::string message = "cannot find Faultline's data: no directory " + installed.string();
  if (!source_tree.empty()) message += " nor " + source_tree.string();
  throw UsageError(message + "; set FAULTLINE_DATA to the directory that holds faults/");
}

fs::path data_directory() {
  const char* const chosen = std::getenv("FAULTLINE_DATA");
  if (chosen != nullptr && *chosen != '\0') {
    if (directory_exists(chosen)) return chosen;
    throw UsageError("FAULTLINE_DATA: expected a directory, got '" + std::string(chosen) + "'");
  }
  std::error_code no_proc_filesystem;
  return data_directory_of(fs::read_symlink("/proc/self/exe", no_proc_filesystem));
}

}  // namespace faultline
