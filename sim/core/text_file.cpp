// SPDX-License-Identifier: Apache-2.0
#include "sim/core/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "sim/core/error.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/core/missing_folder.hpp"

namespace faultline {
namespace {

[[noreturn]] void refuse_unreadable(const std::string& path, int error) {
  if (error == ENOENT) {
    const std::string folder = missing_folder(path);
    throw UsageError(path + ": no such file" + (folder.empty() ? "" : ", " + folder));
  }
  throw UsageError(path + ": cannot be read: " + std::strerror(error));
}

[[noreturn]] void refuse_large(const std::string& path, const std::string& expected,
                               std::size_t largest_B) {
  throw UsageError(path + ": is larger than " + std::to_string(largest_B >> 20U) +
                   " MiB, expected " + expected);
}

void check_kind(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw UsageError(path + ": is a directory, expected a file");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    throw UsageError(path + ": is a device, expected a file or a pipe");
}

/// Checks the kind of the file before opening it, because opening alone can act on a device.
int opened(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse_unreadable(path, errno);
  check_kind(path, status);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) refuse_unreadable(path, errno);
  return descriptor;
}

}  // namespace

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

std::string read_text_file(const std::string& path, const std::string& expected,
                           std::size_t largest_B) {
  reads_file(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(fdopen(opened(path), "rb"),
                                                             &std::fclose);
  if (!file) refuse_unreadable(path, errno);
  struct stat status {};
  if (fstat(fileno(file.get()), &status) != 0) refuse_unreadable(path, errno);
  check_kind(path, status);
  std::string text;
  if (S_ISREG(status.st_mode)) {
    const auto size_B = static_cast<std::uint64_t>(status.st_size);
    if (size_B > largest_B) refuse_large(path, expected, largest_B);
    text.reserve(static_cast<std::size_t>(size_B));
  }
  std::array<char, 65536> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    if (count > largest_B - text.size()) refuse_large(path, expected, largest_B);
    text.append(block.data(), count);
  }
  if (std::ferror(file.get()) != 0) refuse_unreadable(path, errno);
  if (is_blank(text)) throw UsageError(path + ": is empty, expected " + expected);
  return text;
}

}  // namespace faultline
