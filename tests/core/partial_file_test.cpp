// SPDX-License-Identifier: Apache-2.0
#include "sim/core/partial_file.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>

namespace faultline {

namespace {

namespace fs = std::filesystem;

/// A folder of its own for a test.
struct Folder {
  Folder() {
    std::string pattern = fs::temp_directory_path() / "partial-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string place() const { return path / "result"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(path)) all.insert(entry.path().filename());
    return all;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(path / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path path;
};

}  // namespace

TEST_CASE("partial file: takes its place when it is complete, and is gone otherwise") {
  const Folder folder;
  folder.write("result", "old");
  {
    const PartialFile file(folder.place());
    file.append("half");
    CHECK(folder.names().size() == 2);
  }
  CHECK(folder.names() == std::set<std::string>{"result"});
  CHECK(folder.text("result") == "old");
  PartialFile file(folder.place());
  file.append("all ");
  file.append("of it");
  file.replace();
  CHECK(folder.names() == std::set<std::string>{"result"});
  CHECK(folder.text("result") == "all of it");
}

TEST_CASE("partial file: one left by a dead process is removed, one being written is not") {
  const Folder folder;
  folder.write("result.partial-1", "dead");
  folder.write("result.partial-1-journal", "dead");
  folder.write("result.partial-x", "of somebody else");
  folder.write("another.partial-1", "of another result");
  const std::set<std::string> others = {"result.partial-x", "another.partial-1"};
  {
    const PartialFile living(folder.place());
    living.append("living");
    CHECK(folder.names().size() == others.size() + 1);
    const PartialFile second(folder.place());
    CHECK(fs::exists(living.path()));
    CHECK(second.path() != living.path());
  }
  CHECK(folder.names() == others);
}

TEST_CASE("partial file: a link in the place of a partial file is not followed") {
  const Folder folder;
  folder.write("precious", "of the user");
  fs::create_symlink("precious", folder.path / "result.partial-1");
  const PartialFile file(folder.place());
  CHECK(folder.text("precious") == "of the user");
  CHECK(fs::is_symlink(folder.path / "result.partial-1"));
}

TEST_CASE("partial file: it does not replace a file that was created meanwhile") {
  const Folder folder;
  PartialFile file(folder.place());
  folder.write("result", "of another");
  CHECK_THROWS_AS(file.complete_new(), std::system_error);
  CHECK(folder.text("result") == "of another");
}

TEST_CASE("partial file: a folder that is missing is named by the system's reason") {
  const Folder folder;
  CHECK_THROWS_AS(PartialFile((folder.path / "missing" / "result").string()), std::system_error);
}

}  // namespace faultline
