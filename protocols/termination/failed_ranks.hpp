// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::termination {

/// The ranks that a process has been told are dead.
class FailedRanks {
 public:
  [[nodiscard]] bool contains(Rank rank) const {
    return std::binary_search(ranks_.begin(), ranks_.end(), rank);
  }
  void insert(Rank rank) {
    const auto place = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    if (place == ranks_.end() || *place != rank) ranks_.insert(place, rank);
  }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] auto begin() const { return ranks_.begin(); }
  [[nodiscard]] auto end() const { return ranks_.end(); }
  void digest(Digest& into) const { into.add(ranks_); }

 private:
  std::vector<Rank> ranks_;  ///< sorted
};

}  // namespace faultline::termination
