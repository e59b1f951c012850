#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace faultline {

struct MergeOutcome {
  std::size_t points = 0;
  std::size_t duplicates = 0;      ///< points that several stores had, all alike
  std::vector<std::string> notes;  ///< what a user should know of these stores
};

/// Joins stores into a new one. A point that several stores have must be the same in all of them,
/// as far as its scenario determines it and as far as both have replications; the longer result and
/// any result before a failure is kept. Throws UsageError that names store and point where they
/// differ. `out` appears whole or not at all.
MergeOutcome merge_stores(const std::string& out, const std::vector<std::string>& stores);

}  // namespace faultline
