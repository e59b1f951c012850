// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/point_state.hpp"

#include <algorithm>

namespace faultline::store {

PointState::PointState(const scenario::Study& study, std::size_t point) : runs(study, point) {}

PointState::PointState(const scenario::Study& study, std::size_t point, const StoredPoint& stored)
    : PointState(study, point) {
  for (const runs::RunRecord& run : stored.runs) runs.add(run);
  asked = asked_replications(stored);
  wanted = stored.wanted;
  was_whole = is_whole(stored);
  if (!stored.failure.empty()) fail(static_cast<std::size_t>(stored.failed_replication));
}

void PointState::fail(std::size_t replication) {
  failed_at = std::min(failed_at.value_or(replication), replication);
}

std::size_t PointState::missing(const Batch& batch) const {
  std::size_t end = std::min(batch.end, failed_at.value_or(batch.end));
  if (runs.complete() || !runs.trouble().empty()) end = std::min(end, runs.needed());
  return runs.missing(batch.first, std::max(batch.first, end));
}

bool PointState::asks_for_fewer(const scenario::Study& study, std::size_t point) const {
  return !failed_at && asked > 0 && asked < std::int64_t{study.points[point].replications};
}

}  // namespace faultline::store
