#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace faultline {

/// Largest size of a fault, and the largest job that `survival` computes.
constexpr std::int64_t max_fault_size = 1'000'000'000;
/// Largest number of faults of one size.
constexpr std::int64_t max_fault_count = 1'000'000'000'000;

/// How often a fault took down `failed` nodes (or processes) at once.
struct FaultCount {
  std::int64_t failed = 1;
  std::int64_t count = 1;
};

/// The recorded faults of one machine, by size.
struct FaultCounts {
  std::string name;
  std::string description;
  std::string source;
  std::vector<FaultCount> by_size;  ///< ascending in `failed`, never empty, counts positive
  std::int64_t total = 0;           ///< sum of the counts
};

/// Reads a file of fault counts:
/// `{"schema_version": 1, "name": "...", "description": "...", "source": "...",
///   "counts": {"1": 980, "2": 39}}` (`description` and `source` may be left out).
/// Throws UsageError, naming the file and the JSON path (or line and column), with every error of
/// the file, one a line.
FaultCounts read_fault_counts(const std::filesystem::path& file);

/// Names of the shipped distributions, sorted: the stems of `faults/*.json` in `data_directory()`.
std::vector<std::string> fault_count_names();

/// Reads the distribution that a user names: a path when `name_or_file` ends in `.json` or holds a
/// `/`, else a shipped name such as `jaguar`. Throws UsageError; an unknown name lists the known
/// ones.
FaultCounts find_fault_counts(const std::string& name_or_file);

}  // namespace faultline
