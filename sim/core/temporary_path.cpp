// SPDX-License-Identifier: Apache-2.0
#include "sim/core/temporary_path.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/interrupt.hpp"

namespace faultline {

namespace {

struct Path {
  std::string name;
  FolderEnd end;
};

/// Changed only while signals are held. It exists before main() begins, because a signal handler
/// must not allocate it, and is never destroyed, because a signal can come after static objects
/// have been destroyed.
std::vector<Path>& paths = *new std::vector<Path>;

/// Removes the files in a folder, not its subfolders. Does not use opendir(), which allocates: a
/// signal handler must not.
void remove_entries(int folder) {
  alignas(dirent64) std::array<char, 4096> block{};
  for (;;) {
    const long size = syscall(SYS_getdents64, folder, block.data(), block.size());
    if (size <= 0) return;
    bool removed = false;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block.data() + at);
      removed = unlinkat(folder, entry->d_name, 0) == 0 || removed;
      at += entry->d_reclen;
    }
    // Removing entries can move others that are not listed yet, so start again.
    if (!removed || lseek(folder, 0, SEEK_SET) != 0) return;
  }
}

void remove(const char* path, FolderEnd end) {
  if (unlink(path) == 0) return;
  const int folder =
      end == FolderEnd::if_empty ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) {
    remove_entries(folder);
    close(folder);
  }
  rmdir(path);
}

}  // namespace

TemporaryPath::TemporaryPath(std::string path, FolderEnd end) : path_(std::move(path)), end_(end) {
  const SignalsHeld held;
  paths.push_back({path_, end_});
}

TemporaryPath::~TemporaryPath() {
  if (path_.empty()) return;
  const SignalsHeld held;
  remove(path_.c_str(), end_);
  forget();
}

void TemporaryPath::keep() {
  const SignalsHeld held;
  forget();
}

void TemporaryPath::forget() {
  const auto mine = [this](const Path& path) { return path.name == path_; };
  paths.erase(std::remove_if(paths.begin(), paths.end(), mine), paths.end());
  path_.clear();
}

void remove_temporary_paths() {
  for (std::size_t i = paths.size(); i > 0; --i)
    remove(paths[i - 1].name.c_str(), paths[i - 1].end);
}

void leave_temporary_paths_to_parent() { paths.clear(); }

}  // namespace faultline
