// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/store/batches.hpp"
#include "analysis/store/stored_point.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

/// What a sweep would do with its shard.
struct SweepPlan {
  std::size_t planned = 0;  ///< points with replications in the shard
  std::size_t stored = 0;   ///< points that need nothing more, with failed ones that stay so
  std::size_t begun = 0;    ///< points that a sweep or another shard has begun
  std::size_t growing = 0;  ///< points that have all that an earlier sweep asked for, but need more
  std::size_t failed = 0;   ///< points stored as failed
  std::size_t runs = 0;     ///< replications to simulate; with a precision, the least number
};

/// Counts what is missing where a store has these points of a study. They may have the numbers of
/// an earlier sweep. `retry_failed`: failed points are to be tried again.
SweepPlan plan_sweep(const scenario::Study& study, const std::vector<StoredPoint>& stored_points,
                     const Shard& shard, bool retry_failed);

}  // namespace faultline::store
