// SPDX-License-Identifier: Apache-2.0
#include "analysis/runs/memory_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analysis/runs/run_record.hpp"

namespace faultline::runs {

namespace {

namespace fs = std::filesystem;

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

/// The least limit of a control group and those above it. A group without a limit has "max", or a
/// number that no machine has.
std::uint64_t least_limit(const fs::path& root, fs::path group, const char* file) {
  std::uint64_t least = UINT64_MAX;
  for (group = group.relative_path();; group = group.parent_path()) {
    std::uint64_t limit = 0;
    if (std::ifstream(root / group / file) >> limit) least = std::min(least, limit);
    if (group.empty()) return least;
  }
}

/// Lines are "NUMBER:CONTROLLERS:GROUP"; version 2 of control groups names no controllers.
std::uint64_t control_group_limit() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, least_limit("/sys/fs/cgroup", group, "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

std::string needs_more(const std::string& than) {
  std::string error = kMemoryError;
  error += ": needs more than " + than;
  return error;
}

}  // namespace

std::optional<MemoryExcess> memory_excess(const std::vector<WatchedProcess>& processes,
                                          std::uint64_t machine_bytes) {
  const std::uint64_t most_bytes = machine_bytes / 4 * 3;
  std::uint64_t together_B = 0;
  std::size_t largest = processes.size();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const WatchedProcess& process = processes[i];
    if (process.limit_B && process.resident_B > *process.limit_B)
      return MemoryExcess{i, needs_more("stop.memory_bytes, " + std::to_string(*process.limit_B))};
    if (process.limit_B) continue;
    together_B += process.resident_B;
    if (largest == processes.size() || process.resident_B > processes[largest].resident_B)
      largest = i;
  }
  if (together_B <= most_bytes) return std::nullopt;
  return MemoryExcess{
      largest, needs_more("three quarters of this machine's memory, " + std::to_string(most_bytes) +
                          " bytes, with the other jobs; stop.memory_bytes states another limit")};
}

std::uint64_t resident_bytes(pid_t process) {
  const fs::path folder = fs::path("/proc") / std::to_string(process);
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  if (!(std::ifstream(folder / "statm") >> size >> resident)) return 0;
  std::uint64_t bytes = resident * page_bytes();
  std::ifstream children(folder / "task" / std::to_string(process) / "children");
  for (pid_t child = 0; children >> child;) bytes += resident_bytes(child);
  return bytes;
}

std::uint64_t machine_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const std::uint64_t installed =
      pages > 0 ? static_cast<std::uint64_t>(pages) * page_bytes() : UINT64_MAX;
  return std::min(installed, control_group_limit());
}

}  // namespace faultline::runs
