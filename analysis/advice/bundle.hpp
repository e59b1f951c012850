// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// A file that an answer rests on. Its name begins with "files/", or with "scenarios/" if it
/// belongs to Faultline's data directory.
struct BundledFile {
  std::string name;
  std::string content;
};

/// All that a reader needs to have an answer again, but for the runs. A bundle is one file: a store
/// of the runs, with a table `bundle` that has the rest (docs/advise.md).
struct Bundle {
  std::string question = {};           ///< the name of its file in `files`
  std::vector<std::string> sets = {};  ///< "PATH=JSON", by which the question was changed
  bool is_quick = false;
  std::string faultline;    ///< the version that gave the answer
  std::string simgrid;      ///< the version of SimGrid, or why there is none
  std::string answer = {};  ///< as JSON
  std::vector<BundledFile> files = {};
};

/// These files, which have absolute paths, and one of which has the question; the rest of the
/// bundle is empty. They get names by which they name each other as before. Throws UsageError if a
/// file cannot be read any more, or if the question is in none of them.
Bundle bundle_of(const std::string& question, const std::vector<std::string>& paths);

/// Reads a bundle, which may come from anybody: no name of a file leads out of the folder that it
/// is unpacked to. Throws UsageError, with the name of the bundle.
Bundle read_bundle(const std::string& path);

/// Writes the files to a folder.
void unpack(const Bundle& bundle, const std::string& folder);

/// Writes the bundle and a copy of the runs to a file that is missing or empty.
void write_bundle(const Bundle& bundle, store::ResultStore& runs, const std::string& path);

}  // namespace faultline::advice
