// SPDX-License-Identifier: Apache-2.0
#include "protocols/checkpoints/data_checkpoints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace faultline::checkpoints {

// ---- to take one ------------------------------------------------------------------------------

void DataCheckpoints::begin(const SavedPoint& point, double now_s) {
  taking_ = point;
  times_.begin(now_s);
}

bool DataCheckpoints::own_is_safe(std::uint32_t children) {
  stored_.add_own();
  for (auto early = std::erase(stored_early_, taking_->iteration); early > 0; --early)
    stored_.add_child();
  return stored_.is_complete(children);
}

bool DataCheckpoints::child_is_safe(std::uint64_t iteration, std::uint32_t children) {
  if (!is_taking(iteration)) {
    stored_early_.push_back(iteration);
    return false;
  }
  stored_.add_child();
  return stored_.is_complete(children);
}

SavedPoint DataCheckpoints::end(bool is_complete, double now_s) {
  const SavedPoint point = *std::exchange(taking_, std::nullopt);
  stored_.reset();
  if (is_complete) {
    saved_.add(point);
    begin_work(now_s);
  }
  times_.end(now_s);
  return point;
}

void DataCheckpoints::forget_unfinished() {
  came.reset();
  taking_.reset();
  stored_.reset();
  stored_early_.clear();
}

// ---- how often --------------------------------------------------------------------------------

std::uint64_t DataCheckpoints::iterations_in(double interval_s) const {
  const auto iterations = static_cast<double>(taking_->iteration - saved_.newest());
  const double work_s = times_.begin_s() - work_begin_s_;
  constexpr double kMost = 1e15;
  if (work_s <= 0.0) return 1;
  return static_cast<std::uint64_t>(
      std::clamp(std::round(interval_s * iterations / work_s), 1.0, kMost));
}

// ---- what there is ----------------------------------------------------------------------------

void DataCheckpoints::keep(Rank rank, Incarnation client, const SavedPoint& point,
                           std::uint64_t needed) {
  KeptPoints& of_client = kept.of(rank);
  of_client.client = client;
  of_client.points.go_back_to(point.iteration == 0 ? 0 : point.iteration - 1);
  of_client.points.add(point, needed);
}

void DataCheckpoints::go_back_to(std::uint64_t iteration) {
  for (KeptPoints& of_client : kept) of_client.points.go_back_to(iteration);
}

}  // namespace faultline::checkpoints
