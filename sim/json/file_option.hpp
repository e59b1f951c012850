// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/json/problems.hpp"

namespace faultline::json {

/// A kind of option whose value names a file. It is declared where such files are read.
struct FileOption {
  OptionKind kind = OptionKind::text;
  std::string word;         ///< for `list`: "task-tree"
  std::string expectation;  ///< what a value must be: "the path of a JSON file with a task tree"
  /// Reads the file. `name` is as the user wrote it, relative to `folder`. Adds notes to the
  /// problems under `path`. Throws UsageError if the file is wrong.
  OptionValue (*read)(const std::string& name, const std::string& folder, const std::string& path,
                      Problems& problems) = nullptr;
  OptionValue nothing;  ///< the value if the file could not be read
  /// What the user should know about a file that was read, one line each, given the other options
  /// of the same component. Null: nothing.
  std::vector<std::string> (*notes)(const OptionValue& input, const OptionValues& beside) = nullptr;
};

/// Registers a kind for the rest of the program's life.
struct FileOptionRegistered {
  explicit FileOptionRegistered(FileOption kind);
};

/// The registered kind, or null if options of this kind do not name files.
const FileOption* find_file_option(OptionKind kind);

/// Reads the file `name`, which is relative to the folder of the file that `problems` belong to.
/// Errors are added to the problems, under `path`.
OptionValue read_named_file(const FileOption& kind, const std::string& name,
                            const std::string& path, Problems& problems);

/// The name of the file in a default value that has not been read yet, or "".
std::string unread_file(const OptionValue& value);

}  // namespace faultline::json
