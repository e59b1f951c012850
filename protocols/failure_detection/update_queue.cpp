// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/update_queue.hpp"

#include <algorithm>

namespace faultline::failure_detection {

void UpdateQueue::add(const SwimUpdate& update) {
  const ActorId about = update.about.actor;
  const Place place{0, ~added_++, about};
  const auto [queued, is_new] = updates_.try_emplace(about);
  if (!is_new) order_.erase(queued->second.place);
  queued->second = {update, place};
  order_.insert(place);
}

SwimUpdates UpdateQueue::take(std::size_t count, std::uint32_t limit) {
  SwimUpdates taken;
  taken.reserve(std::min(count, order_.size()));
  std::vector<Place> again;
  while (taken.size() < count && !order_.empty()) {
    auto [times, newness, about] = *order_.begin();
    order_.erase(order_.begin());
    const auto queued = updates_.find(about);
    taken.push_back(queued->second.update);
    if (++times < limit) {
      queued->second.place = {times, newness, about};
      again.push_back(queued->second.place);
    } else {
      updates_.erase(queued);
    }
  }
  order_.insert(again.begin(), again.end());
  return taken;
}

// Leaves out how many updates there were: only their order matters.
void UpdateQueue::digest(Digest& into) const {
  into.add(order_.size());
  for (const Place& place : order_) {
    const auto& [times, newness, about] = place;
    into.add(times, updates_.at(about).update);
  }
}

}  // namespace faultline::failure_detection
