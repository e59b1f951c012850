// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/faults/fault_counts.hpp"

namespace faultline::scenario {

/// Reads a file of fault counts:
/// `{"schema_version": 1, "name": "...", "description": "...", "source": "...",
///   "counts": {"1": 980, "2": 39}}` (`description` and `source` may be left out).
/// Throws UsageError with every error of the file, one per line. Each line names the file and the
/// JSON path, or the line and column.
faults::FaultCounts read_fault_counts(const std::filesystem::path& file);

/// The sizes and counts as text, without anything that does not change results. For hashing.
std::string counts_text(const faults::FaultCounts& counts);

/// Names of the shipped distributions, sorted: the stems of `faults/*.json` in `data_directory()`.
std::vector<std::string> fault_count_names();

/// Reads the distribution that a user names. `name_or_file` is a path if it ends in `.json` or
/// contains a `/`, else a shipped name such as `jaguar`. Throws UsageError; for an unknown name it
/// lists the known ones.
faults::FaultCounts find_fault_counts(const std::string& name_or_file);

}  // namespace faultline::scenario
