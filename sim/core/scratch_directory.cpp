// SPDX-License-Identifier: Apache-2.0
#include "sim/core/scratch_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"

namespace faultline {

ScratchDirectory::ScratchDirectory(const std::string& purpose) {
  const std::string parent = temporary_directory();
  std::string pattern = std::filesystem::path(parent) / "faultline-XXXXXX";
  const SignalsHeld held;
  if (mkdtemp(pattern.data()) == nullptr) {
    throw RunError("cannot make a temporary directory in " + parent + ", " + purpose + ": " +
                   std::strerror(errno) + "; the variable TMPDIR can name another place");
  }
  path_ = pattern;
  temporary_.emplace(pattern);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string temporary_directory() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace faultline
