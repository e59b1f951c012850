// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace faultline::store {

struct MergeOutcome {
  std::size_t points = 0;
  std::size_t duplicates = 0;  ///< points with replications that another store has, too, all equal
  std::vector<std::string> notes;  ///< what a user should know about these stores
};

/// Merges stores into a new one. A point gets the replications of all stores. Where several have
/// the same one, its results must be equal as far as the scenario determines them. A failure is
/// void if another store has the replication that failed. Throws UsageError, which names the stores
/// and the point, if results differ. `out` appears complete or not at all.
MergeOutcome merge_stores(const std::string& out, const std::vector<std::string>& stores);

}  // namespace faultline::store
