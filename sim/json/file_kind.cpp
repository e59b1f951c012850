#include "sim/json/file_kind.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"

namespace faultline {

namespace {

std::vector<FileKind>& kinds() {
  static std::vector<FileKind> all;
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

FileKindRegistered::FileKindRegistered(FileKind kind) { kinds().push_back(std::move(kind)); }

const FileKind* find_file_kind(OptionKind kind) {
  const auto found = std::find_if(kinds().begin(), kinds().end(),
                                  [=](const FileKind& known) { return known.kind == kind; });
  return found == kinds().end() ? nullptr : &*found;
}

OptionValue read_named_file(const FileKind& kind, const std::string& name, const std::string& path,
                            Problems& problems) {
  try {
    const auto folder = std::filesystem::path(problems.file()).parent_path().string();
    return kind.read(name, folder, path, problems);
  } catch (const UsageError& error) {
    problems.add_lines(path, error.what());
    return kind.nothing;
  }
}

std::string unread_file(const OptionValue& value) { return std::visit(UnreadFile{}, value); }

}  // namespace faultline
