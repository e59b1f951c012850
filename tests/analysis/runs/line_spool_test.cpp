// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/line_spool.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace faultline::runs {

namespace {

/// Reads the lines back twice, as a report may.
void check_lines(const std::string& directory, std::size_t count, std::size_t length) {
  LineSpool spool(directory);
  std::vector<std::string> written;
  for (std::size_t i = 0; i < count; ++i) {
    written.push_back(std::to_string(i) + std::string(length, 'x'));
    spool.add(written.back());
  }
  for (int time = 0; time < 2; ++time) {
    std::vector<std::string> read;
    spool.for_each([&](const std::string& line) { read.push_back(line); });
    CHECK(read == written);
  }
}

}  // namespace

TEST_CASE("line spool: lines come back in order, from memory and from its file") {
  const std::string directory = std::filesystem::temp_directory_path();
  check_lines(directory, 0, 0);
  check_lines(directory, 10, 100);
  check_lines(directory, 5000, 1000);  // several times what is kept in memory
  check_lines(directory, 3, 2000000);  // lines longer than that
}

TEST_CASE("line spool: without room for its file the lines stay in memory") {
  check_lines("/nonexistent", 5000, 1000);
  check_lines("/dev/null", 5000, 1000);
}

}  // namespace faultline::runs
