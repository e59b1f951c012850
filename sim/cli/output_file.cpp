#include "sim/cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline {

namespace {

/// Writes all of the text; false with errno set if it cannot.
bool write_all(int file, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

OutputFile::OutputFile(std::optional<std::string> path, std::string option)
    : option_(std::move(option)) {
  if (!path) return;
  if (path->empty()) throw UsageError(option_ + ": expected the name of a file, got \"\"");
  path_ = target_ = std::move(*path);
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode)) refuse("is a directory, expected a file");
    if (access(path_.c_str(), W_OK) != 0) refuse(strerror(errno));
    // Devices and pipes are written in place.
    if (!S_ISREG(status.st_mode)) return;
    target_ = std::filesystem::canonical(path_).string();
  }
  partial_ = target_ + ".partial-" + std::to_string(getpid());
  const int file = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    partial_.clear();
    refuse(strerror(errno));
  }
  if (exists) fchmod(file, status.st_mode);  // who could not read the old result cannot read this
  close(file);
}

OutputFile::~OutputFile() {
  if (!partial_.empty()) unlink(partial_.c_str());
}

void OutputFile::refuse(const std::string& why) const {
  if (path_.empty()) throw RunError("standard output cannot be written: " + why);
  throw UsageError(option_ + " " + path_ + ": cannot be written: " + why);
}

void OutputFile::write(const std::string& text) {
  const std::string& place = partial_.empty() ? target_ : partial_;
  const int file =
      path_.empty() ? STDOUT_FILENO : open(place.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0 || !write_all(file, text)) refuse(strerror(errno));
  if (path_.empty()) return;
  if ((!partial_.empty() && fsync(file) != 0) || close(file) != 0) refuse(strerror(errno));
  if (!partial_.empty() && rename(partial_.c_str(), target_.c_str()) != 0) refuse(strerror(errno));
  partial_.clear();
}

}  // namespace faultline
