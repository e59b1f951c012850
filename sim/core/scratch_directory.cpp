#include "sim/core/scratch_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sim/core/error.hpp"

namespace faultline {

ScratchDirectory::ScratchDirectory(const std::string& purpose) {
  std::error_code error;
  std::string pattern = std::filesystem::temp_directory_path(error) / "faultline-XXXXXX";
  if (error || mkdtemp(pattern.data()) == nullptr) {
    throw RunError("cannot make a temporary directory, " + purpose + ": " +
                   (error ? error.message() : std::string(std::strerror(errno))));
  }
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace faultline
