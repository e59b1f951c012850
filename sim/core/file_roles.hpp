// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace faultline {

/// A command must not write a file that it reads: it would destroy its own input. Code that reads
/// a file of the user calls reads_file(); code that writes one holds an OutputPlace. Two paths name
/// the same file if device and inode agree, or, before the file exists, if the resolved paths do.
/// A pipe or a device may be both read and written.

/// A store also has the files that SQLite keeps beside it.
enum class FileKind { plain, store };

/// Records that this command reads the file. Throws UsageError if it is one of its outputs.
void reads_file(const std::string& path, FileKind kind = FileKind::plain);

/// The regular files that this command has read, but no stores: absolute paths, as they were named,
/// in order of what they resolve to.
std::vector<std::string> files_read();

/// Called when another command begins in this process: it has read nothing yet.
void forget_files_read();

/// While it lives, the file counts as an output of this command.
class OutputPlace {
 public:
  /// `words`, such as "--out r.csv", begin the messages about it. Throws UsageError if the file is
  /// one that the command reads, or another of its outputs.
  OutputPlace(const std::string& path, const std::string& words, FileKind kind = FileKind::plain);
  ~OutputPlace();
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
};

}  // namespace faultline
