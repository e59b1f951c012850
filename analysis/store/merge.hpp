// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace faultline::store {

struct MergeOutcome {
  std::size_t points = 0;
  std::size_t duplicates = 0;  ///< further copies of points in several stores, with equal results
  std::vector<std::string> notes;  ///< what a user should know about these stores
};

/// Merges stores into a new one. If several stores have a point, their results must be equal
/// wherever the scenario determines them, as far as both have replications. Keeps the longer
/// result, and any result rather than a failure. Throws UsageError, which names the stores and the
/// point, if they differ. `out` appears complete or not at all.
MergeOutcome merge_stores(const std::string& out, const std::vector<std::string>& stores);

}  // namespace faultline::store
