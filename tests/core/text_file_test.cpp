// SPDX-License-Identifier: Apache-2.0
#include "sim/core/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "sim/core/error.hpp"
#include "sim/core/scratch_directory.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace faultline {
namespace {

constexpr std::size_t kLimit_B = std::size_t{1} << 20U;

/// The complaint about a file, or its text.
std::string told(const std::string& path) {
  try {
    return read_text_file(path, "a test", kLimit_B);
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string written(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// The text of a named pipe into which another thread writes this.
std::string told_of_pipe(const std::string& path, const std::string& text) {
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] {
    const int end = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    // The reader may hang up in the middle; nothing of the rest matters then.
    signal(SIGPIPE, SIG_IGN);
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t count = write(end, text.data() + at, text.size() - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    ::close(end);
  });
  std::string result = told(path);
  writer.join();
  unlink(path.c_str());
  return result;
}

}  // namespace

TEST_CASE("a file is read whole, whatever is in it, up to the limit") {
  const ScratchDirectory folder("to test");
  std::string bytes = "a\r\n";
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  CHECK(told(written(folder.file("bytes"), bytes)) == bytes);
  const std::string full(kLimit_B, 'x');
  CHECK(told(written(folder.file("full"), full)) == full);
  CHECK_THAT(told(written(folder.file("more"), full + "x")),
             Equals(folder.file("more") + ": is larger than 1 MiB, expected a test"));
}

TEST_CASE("anything but a file with content is refused by name") {
  const ScratchDirectory folder("to test");
  CHECK_THAT(told(folder.file("missing")), Equals(folder.file("missing") + ": no such file"));
  CHECK_THAT(told(folder.path()), Equals(folder.path() + ": is a directory, expected a file"));
  CHECK_THAT(told(written(folder.file("empty"), "")), Contains("is empty, expected a test"));
  CHECK_THAT(told(written(folder.file("blank"), " \t\r\n")), Contains("is empty"));
}

TEST_CASE("a device is not read, nor through a link") {
  const ScratchDirectory folder("to test");
  for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/null"}) {
    CHECK_THAT(told(device),
               Equals(std::string(device) + ": is a device, expected a file or a pipe"));
  }
  REQUIRE(symlink("/dev/zero", folder.file("link").c_str()) == 0);
  CHECK_THAT(told(folder.file("link")), Contains("is a device"));
}

TEST_CASE("a file of enormous size is refused without reading it") {
  const ScratchDirectory folder("to test");
  const std::string path = written(folder.file("sparse"), "");
  REQUIRE(truncate(path.c_str(), off_t{1} << 40U) == 0);
  CHECK_THAT(told(path), Contains("is larger than 1 MiB"));
}

TEST_CASE("a pipe is read to its end, and not beyond the limit") {
  const ScratchDirectory folder("to test");
  const std::string text(100000, 'p');
  CHECK(told_of_pipe(folder.file("pipe"), text) == text);
  CHECK_THAT(told_of_pipe(folder.file("long"), std::string(4 * kLimit_B, 'p')),
             Contains("is larger than 1 MiB"));
}

}  // namespace faultline
