// SPDX-License-Identifier: Apache-2.0
#include "sim/core/partial_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/core/interrupt.hpp"

namespace faultline {

namespace {

constexpr const char* kMark = ".partial-";
constexpr const char* kJournal = "-journal";

[[noreturn]] void refuse() { throw std::system_error(errno, std::generic_category()); }

/// Tries to lock the file. Returns true if another process holds the lock, and `otherwise` if the
/// file system has no locks. The kernel releases the lock when its process ends, however it ends.
/// The locked byte lies far beyond the end of the file, so that it does not clash with the locks of
/// SQLite, which may write the file.
bool lock_is_taken(int file, bool otherwise) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = std::int64_t{1} << 42U;
  range.l_len = 1;
  if (fcntl(file, F_OFD_SETLK, &range) == 0) return false;
  return errno == EAGAIN || errno == EACCES || otherwise;
}

bool is_at(int file, const std::string& path) {
  struct stat open_file {};
  struct stat named {};
  return fstat(file, &open_file) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/// Removes a partial file whose writer is dead.
void remove_stale(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  if (!lock_is_taken(file, true) && is_at(file, path)) {
    unlink((path + kJournal).c_str());
    unlink(path.c_str());
  }
  close(file);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Removes what dead writers to the same place have left.
void remove_stale_of(const std::string& place) {
  const std::filesystem::path path(place);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string begin = path.filename().string() + kMark;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), &closedir);
  if (!entries) return;
  std::vector<std::string> found;
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with(begin) && is_number(name.substr(begin.size())))
      found.push_back((folder / name).string());
  }
  for (const std::string& name : found) remove_stale(name);
}

std::string new_name(const std::string& place) {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) refuse();
  return place + kMark + std::to_string(number);
}

}  // namespace

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

PartialFile::PartialFile(const std::string& place) : place_(place) {
  remove_stale_of(place_);
  // Another writer may take our file for stale between its creation and its lock. Then try again.
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && file_ < 0; ++i) create();
  if (file_ < 0) throw std::system_error(EBUSY, std::generic_category());
}

PartialFile::~PartialFile() {
  partial_.reset();
  journal_.reset();
  if (file_ >= 0) close(file_);
}

void PartialFile::create() {
  const std::string name = new_name(place_);
  const SignalsHeld held;
  file_ = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0 && errno == EEXIST) return;
  if (file_ < 0) refuse();
  partial_.emplace(name);
  journal_.emplace(name + kJournal);
  if (!lock_is_taken(file_, false) && is_at(file_, name)) return;
  partial_.reset();
  journal_.reset();
  close(std::exchange(file_, -1));
}

void PartialFile::set_mode(std::uint32_t mode) const { fchmod(file_, mode); }

void PartialFile::append(const std::string& text) const {
  if (!write_all(file_, text)) refuse();
}

void PartialFile::replace() {
  if (fsync(file_) != 0) refuse();
  const SignalsHeld held;
  if (rename(path().c_str(), place_.c_str()) != 0) refuse();
  partial_->keep();
}

void PartialFile::complete_new() {
  const SignalsHeld held;
  if (link(path().c_str(), place_.c_str()) == 0) return;
  // The file system may have no hard links.
  if (errno == EEXIST || rename(path().c_str(), place_.c_str()) != 0) refuse();
  partial_->keep();
}

}  // namespace faultline
