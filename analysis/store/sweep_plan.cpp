// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sweep_plan.hpp"

#include <map>
#include <string>

#include "analysis/store/point_state.hpp"

namespace faultline::store {

namespace {

/// The stored points by their hashes.
std::map<std::string, const StoredPoint*> by_hash(const std::vector<StoredPoint>& points) {
  std::map<std::string, const StoredPoint*> found;
  for (const StoredPoint& point : points) found.emplace(hash_of(point), &point);
  return found;
}

PointState state_of(const scenario::Study& study, std::size_t point, const StoredPoint* stored,
                    bool retry_failed) {
  if (stored == nullptr) return {study, point};
  PointState state(study, point, *stored);
  if (retry_failed) state.failed_at.reset();
  return state;
}

void count(SweepPlan& plan, const PointState& state, bool is_stored) {
  if (is_stored)
    ++plan.stored;
  else if (state.was_whole)
    ++plan.growing;
  else if (!state.runs.empty())
    ++plan.begun;
}

}  // namespace

SweepPlan plan_sweep(const scenario::Study& study, const std::vector<StoredPoint>& stored_points,
                     const Shard& shard, bool retry_failed) {
  const std::vector<Batch> batches = Batches(study).of(shard);
  const auto stored = by_hash(stored_points);
  SweepPlan plan;
  for (auto batch = batches.begin(); batch != batches.end();) {
    const std::size_t point = batch->point;
    const auto found = stored.find(study.points[point].hash);
    const StoredPoint* known = found == stored.end() ? nullptr : found->second;
    const PointState state = state_of(study, point, known, retry_failed);
    std::size_t missing = 0;
    for (; batch != batches.end() && batch->point == point; ++batch)
      missing += state.missing(*batch);
    const std::size_t first = first_needed(study, point);
    if (state.runs.needed() > first) missing += state.missing({point, first, state.runs.needed()});
    ++plan.planned;
    plan.runs += missing;
    if (known != nullptr && !known->failure.empty()) ++plan.failed;
    count(plan, state, missing == 0 && !state.asks_for_fewer(study, point));
  }
  return plan;
}

}  // namespace faultline::store
