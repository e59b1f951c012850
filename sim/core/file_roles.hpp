#pragma once

#include <string>

namespace faultline {

/// What one command reads must not be what it writes: the result would destroy what it was made
/// from. Whoever reads a file of the user's says so here, and whoever writes one holds an
/// OutputPlace; files are the same by device and inode, or, where they do not exist yet, by their
/// place. Pipes and devices may be both.

/// A store has files of SQLite's beside it.
enum class FileKind { plain, store };

/// This command reads that file. Throws UsageError when one of its outputs is the same.
void reads_file(const std::string& path, FileKind kind = FileKind::plain);

/// Another command begins in this process, which has read nothing yet.
void forget_files_read();

/// A file that this command writes, as long as the object lives.
class OutputPlace {
 public:
  /// `words` name it at the beginning of messages, as in "--out r.csv". Throws UsageError when it
  /// is a file that the command reads, or another of its outputs.
  OutputPlace(const std::string& path, const std::string& words, FileKind kind = FileKind::plain);
  ~OutputPlace();
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
};

}  // namespace faultline
