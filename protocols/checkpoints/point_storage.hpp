// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/checkpoints/saved_points.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::checkpoints {

/// Where the checkpoints of one rank's data lie in a storage: in so many places, the first of which
/// is given. Two would do for the last two checkpoints; but the next one must not replace either
/// before it is complete.
struct PointStorage {
  static constexpr std::uint64_t kPlaces = 3;

  std::uint64_t first = 0;

  /// Writes a checkpoint. Those of `saved` that are there stay, but for the earliest of three:
  /// others may not have heard that the last is complete, and go back to the one before.
  void write(RecoveryContext& context, Storage storage, const SavedPoint& point,
             const SavedPoints& saved) const;
  /// The checkpoints that are there up to that iteration, ascending.
  [[nodiscard]] std::vector<SavedPoint> find(const RecoveryContext& context,
                                             std::uint64_t latest) const;
};

}  // namespace faultline::checkpoints
