// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/line_spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/core/partial_file.hpp"

namespace faultline::runs {

namespace {

/// The descriptor of a new file without a name in this directory, or -1.
int file_without_name(const std::string& directory) {
  const int file = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  // The file system may not support O_TMPFILE.
  std::string name = directory + "/faultline-XXXXXX";
  const SignalsHeld held;
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

/// Passes each complete line of `text` to `take` and removes it. An incomplete last line stays.
void take_lines(std::string& text, const std::function<void(const std::string&)>& take) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    take(text.substr(begin, end - begin));
  text.erase(0, begin);
}

}  // namespace

LineSpool::LineSpool(std::string directory) : directory_(std::move(directory)) {}

LineSpool::~LineSpool() {
  if (file_ >= 0) close(file_);
}

void LineSpool::add(const std::string& line) {
  constexpr std::size_t kInMemory_B = std::size_t{1} << 20U;
  last_ += line;
  last_ += '\n';
  if (last_.size() >= kInMemory_B && !file_is_full_) move_to_file();
}

void LineSpool::move_to_file() {
  if (file_ < 0) file_ = file_without_name(directory_);
  file_is_full_ = file_ < 0 || !write_all(file_, last_);
  if (file_is_full_) return;
  in_file_B_ += last_.size();
  last_.clear();
}

void LineSpool::for_each(const std::function<void(const std::string& line)>& take) const {
  std::array<char, 65536> block{};
  std::string text;
  for (std::size_t at = 0; at < in_file_B_;) {
    const std::size_t wanted = std::min(block.size(), in_file_B_ - at);
    const ssize_t count = pread(file_, block.data(), wanted, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw RunError("the temporary file in " + directory_ +
                     " cannot be read: " + std::strerror(count == 0 ? EIO : errno));
    text.append(block.data(), static_cast<std::size_t>(count));
    at += static_cast<std::size_t>(count);
    take_lines(text, take);
  }
  text = last_;
  take_lines(text, take);
}

}  // namespace faultline::runs
