// SPDX-License-Identifier: Apache-2.0
#include "sim/json/file_option.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"

namespace faultline::json {

namespace {

std::vector<FileOption>& kinds() {
  static std::vector<FileOption> all;
  return all;
}

struct UnreadFile {
  template <class Content>
  std::string operator()(const FileInput<Content>& input) const {
    return input.content == nullptr ? input.file : std::string();
  }
  template <class Other>
  std::string operator()(const Other& /*no file*/) const {
    return {};
  }
};

}  // namespace

FileOptionRegistered::FileOptionRegistered(FileOption kind) { kinds().push_back(std::move(kind)); }

const FileOption* find_file_option(OptionKind kind) {
  const auto found = std::find_if(kinds().begin(), kinds().end(),
                                  [=](const FileOption& known) { return known.kind == kind; });
  return found == kinds().end() ? nullptr : &*found;
}

OptionValue read_named_file(const FileOption& kind, const std::string& name,
                            const std::string& path, Problems& problems) {
  if (name.empty()) {
    problems.add(path, "expected " + std::string(kind.expectation) + R"(, got "")");
    return kind.nothing;
  }
  try {
    const auto folder = std::filesystem::path(problems.file()).parent_path().string();
    return kind.read(name, folder, path, problems);
  } catch (const UsageError& error) {
    problems.add_lines(path, error.what());
    return kind.nothing;
  }
}

std::string unread_file(const OptionValue& value) { return std::visit(UnreadFile{}, value); }

}  // namespace faultline::json
