#pragma once

#include <string>

#include "sim/core/options.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

/// A kind of option that names a file, declared once, beside the reader of such files.
struct FileKind {
  OptionKind kind = OptionKind::text;
  std::string word;         ///< for `list`: "task-tree"
  std::string expectation;  ///< what a value must be: "the path of a JSON file with a task tree"
  /// What the file says. `name` is as the user wrote it, relative to `folder`. Adds notes to the
  /// problems under `path`; throws UsageError where the file is wrong.
  OptionValue (*read)(const std::string& name, const std::string& folder, const std::string& path,
                      Problems& problems) = nullptr;
  OptionValue nothing;  ///< stands for a file that could not be read
};

/// Enters a kind for the life of the program.
struct FileKindRegistered {
  explicit FileKindRegistered(FileKind kind);
};

/// The registered kind, or null where an option of this kind names no file.
const FileKind* find_file_kind(OptionKind kind);

/// What stands in the file of that name, relative to the folder of the file that the problems are
/// of. What is wrong goes to the problems, under `path`.
OptionValue read_named_file(const FileKind& kind, const std::string& name, const std::string& path,
                            Problems& problems);

/// The name of a file that stands in a value as a default and is not read yet, or "".
std::string unread_file(const OptionValue& value);

}  // namespace faultline
