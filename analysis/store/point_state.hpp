// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/store/batches.hpp"
#include "analysis/store/point_runs.hpp"
#include "analysis/store/stored_point.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

/// What a sweep knows of a point of its study, from the store and from its own workers.
struct PointState {
  PointState(const scenario::Study& study, std::size_t point);
  /// With what the store has of the point.
  PointState(const scenario::Study& study, std::size_t point, const StoredPoint& stored);

  /// Notes that this replication has failed. Those after it are then not wanted.
  void fail(std::size_t replication);

  /// How many replications of a batch are left to simulate.
  [[nodiscard]] std::size_t missing(const Batch& batch) const;

  /// True if the store asks for fewer replications than the study does, although it lacks none.
  [[nodiscard]] bool asks_for_fewer(const scenario::Study& study, std::size_t point) const;

  PointRuns runs;
  std::int64_t asked = 0;   ///< replications that the stored scenario asks for; 0 without one
  std::int64_t wanted = 0;  ///< StoredPoint::wanted
  bool was_whole = false;   ///< it had all of these when the sweep began
  std::optional<std::size_t> failed_at = {};  ///< the first replication that has failed
};

}  // namespace faultline::store
