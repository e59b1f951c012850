// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analysis/text/terminal_width.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/error.hpp"
#include "sim/core/missing_folder.hpp"

namespace faultline::cli {

OutputFile::OutputFile(std::optional<std::string> path, std::string option)
    : option_(std::move(option)) {
  if (!path) return;
  if (path->empty()) throw UsageError(option_ + ": expected the name of a file, got \"\"");
  path_ = std::move(*path);
  std::string target = path_;
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode)) refuse("is a directory, expected a file");
    if (access(path_.c_str(), W_OK) != 0) refuse(strerror(errno));
    if (!S_ISREG(status.st_mode)) return;
  }
  const std::string folder = missing_folder(path_);
  if (!folder.empty()) refuse(folder);
  place_.emplace(path_, option_ + " " + path_);
  try {
    if (exists) target = std::filesystem::canonical(path_).string();
    partial_.emplace(target);
  } catch (const std::system_error& error) {
    refuse(error.code().message());
  }
  // The new file gets the permissions of the old one, so that no one else can read it.
  if (exists) partial_->set_mode(status.st_mode);
}

OutputFile::~OutputFile() {
  if (device_ >= 0) close(device_);
}

void OutputFile::refuse(const std::string& why) const {
  if (path_.empty()) throw RunError("standard output cannot be written: " + why);
  throw UsageError(option_ + " " + path_ + ": cannot be written: " + why);
}

void OutputFile::open_in_place() {
  device_ = open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (device_ < 0) refuse(strerror(errno));
}

void OutputFile::append(const std::string& text) {
  if (partial_) {
    try {
      partial_->append(text);
    } catch (const std::system_error& error) {
      refuse(error.code().message());
    }
    return;
  }
  if (!path_.empty() && device_ < 0) open_in_place();
  if (!write_all(path_.empty() ? STDOUT_FILENO : device_, text)) refuse(strerror(errno));
}

void OutputFile::complete() {
  try {
    if (partial_) partial_->replace();
  } catch (const std::system_error& error) {
    refuse(error.code().message());
  }
  partial_.reset();
  if (device_ >= 0 && close(std::exchange(device_, -1)) != 0) refuse(strerror(errno));
}

void OutputFile::write(const std::string& text) {
  append(text);
  complete();
}

std::size_t OutputFile::table_width() const {
  return path_.empty() ? text::table_width_on(STDOUT_FILENO) : text::kUsualWidth;
}

std::optional<std::string> OutputFile::directory() const {
  if (!partial_) return std::nullopt;
  const auto parent = std::filesystem::path(partial_->path()).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace faultline::cli
