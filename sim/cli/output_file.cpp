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

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  struct stat status {};
  if (stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      throw UsageError("--out " + path_ + ": is a directory, expected a file");
    if (access(path_.c_str(), W_OK) != 0)
      throw UsageError("--out " + path_ + ": cannot be written: " + strerror(errno));
    // Devices and pipes are written in place.
    if (!S_ISREG(status.st_mode)) return;
  }
  partial_ = path_ + ".partial-" + std::to_string(getpid());
  const int file = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    partial_.clear();
    throw UsageError("--out " + path_ + ": cannot be written: " + strerror(errno));
  }
  close(file);
}

OutputFile::~OutputFile() {
  if (!partial_.empty()) unlink(partial_.c_str());
}

void OutputFile::write(const std::string& text) {
  const std::string& target = partial_.empty() ? path_ : partial_;
  const int file =
      path_.empty() ? STDOUT_FILENO : open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  const auto fail = [&] {
    throw RunError((path_.empty() ? "standard output" : path_) + ": " + strerror(errno));
  };
  if (file < 0 || !write_all(file, text)) fail();
  if (path_.empty()) return;
  if ((!partial_.empty() && fsync(file) != 0) || close(file) != 0) fail();
  if (!partial_.empty() && rename(partial_.c_str(), path_.c_str()) != 0) fail();
  partial_.clear();
}

}  // namespace faultline
