// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::checkpoints {

/// A point from which a rank can go on: the beginning of an iteration, and what stands for its
/// data.
struct SavedPoint {
  std::uint64_t iteration = 0;
  std::uint64_t state = 0;
  std::uint64_t bytes = 0;
  bool is_elsewhere = false;  ///< the beginning, whose data the program has itself

  bool operator==(const SavedPoint&) const = default;
  void digest(Digest& into) const { into.add(iteration, state, bytes, is_elsewhere); }
};

/// The last two checkpoints of one rank. A rank takes the next one when all have taken the last, so
/// that no two ranks are more than one apart, and all have a common one.
class SavedPoints {
 public:
  /// Keeps points before the last two from `needed` on, to which a rank may go back.
  void add(const SavedPoint& point, std::uint64_t needed = UINT64_MAX) {
    points_.push_back(point);
    while (points_.size() > 2 && points_.front().iteration < needed) points_.erase(points_.begin());
  }
  /// The newest iteration. The beginning of the program is always there.
  [[nodiscard]] std::uint64_t newest() const {
    return points_.empty() ? 0 : points_.back().iteration;
  }
  /// The earliest iteration that is still there.
  [[nodiscard]] std::uint64_t oldest() const {
    return points_.size() < 2 ? 0 : points_.front().iteration;
  }
  /// All iterations, ascending.
  [[nodiscard]] std::vector<std::uint64_t> iterations() const {
    std::vector<std::uint64_t> iterations;
    iterations.reserve(points_.size());
    for (const SavedPoint& point : points_) iterations.push_back(point.iteration);
    return iterations;
  }
  [[nodiscard]] std::optional<SavedPoint> find(std::uint64_t iteration) const {
    if (iteration == 0) return SavedPoint{.is_elsewhere = true};
    for (const SavedPoint& point : points_)
      if (point.iteration == iteration) return point;
    return std::nullopt;
  }
  /// The program goes on from there, and will save everything later again.
  void go_back_to(std::uint64_t iteration) {
    std::erase_if(points_, [&](const SavedPoint& point) { return point.iteration > iteration; });
  }
  void digest(Digest& into) const { into.add(points_); }

 private:
  std::vector<SavedPoint> points_;  ///< ascending
};

/// What a process keeps of a rank's data.
struct KeptPoints {
  Rank rank = kNobody;
  Incarnation client;  ///< the process that has these data itself
  SavedPoints points;

  void digest(Digest& into) const { into.add(rank, client, points); }
};

/// The checkpoints of a rank that another one keeps.
struct HeldPoints {
  Rank rank = kNobody;
  std::vector<std::uint64_t> iterations;  ///< ascending

  void digest(Digest& into) const { into.add(rank, iterations); }
};

}  // namespace faultline::checkpoints
