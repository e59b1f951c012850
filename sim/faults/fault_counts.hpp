// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline::faults {

/// The largest size of a fault. Also the largest job for which `survival` computes anything.
constexpr std::int64_t max_fault_size = 1'000'000'000;
/// The largest number of faults of one size.
constexpr std::int64_t max_fault_count = 1'000'000'000'000;

/// `count` faults took down `failed` nodes (or processes) at once.
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

}  // namespace faultline::faults
