// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/batches.hpp"

#include <algorithm>

namespace faultline::store {

namespace {

/// With fewer values, the estimate of their spread is too poor to stop by it.
constexpr std::size_t kFewestReplications = 10;

std::size_t parts(std::size_t whole, std::size_t size) { return (whole + size - 1) / size; }

std::size_t replications_of(const scenario::Study& study) {
  std::size_t sum = 0;
  for (std::size_t point = 0; point < study.points.size(); ++point)
    sum += first_needed(study, point);
  return sum;
}

}  // namespace

std::size_t batch_size(std::size_t replications_of_study) {
  constexpr std::size_t kSingle = 64;
  constexpr std::size_t kFew = 4;
  constexpr std::size_t kBatches = 1024;
  return std::max({std::size_t{1}, std::min(kFew, parts(replications_of_study, kSingle)),
                   parts(replications_of_study, kBatches)});
}

std::size_t first_needed(const scenario::Study& study, std::size_t point) {
  const std::size_t stated = study.points[point].replications;
  if (!study.sweep.precision) return stated;
  return std::min<std::size_t>(std::max(stated, kFewestReplications),
                               study.sweep.precision->most_replications);
}

Batches::Batches(const scenario::Study& study)
    : study_(study), size_(batch_size(replications_of(study))) {}

std::vector<Batch> Batches::of(const Shard& shard) const {
  std::vector<Batch> batches;
  std::size_t number = 0;
  for (std::size_t point = 0; point < study_.points.size(); ++point) {
    const std::size_t end = first_needed(study_, point);
    for (std::size_t first = 0; first < end; first += size_) {
      if (number % shard.count == shard.index)
        batches.push_back({point, first, std::min(first + size_, end)});
      if (!study_.sweep.precision) ++number;
    }
    if (study_.sweep.precision) ++number;
  }
  return batches;
}

std::vector<bool> points_of(const scenario::Study& study, const Shard& shard) {
  std::vector<bool> found(study.points.size(), false);
  for (const Batch& batch : Batches(study).of(shard)) found[batch.point] = true;
  return found;
}

}  // namespace faultline::store
