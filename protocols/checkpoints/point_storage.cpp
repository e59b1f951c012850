// SPDX-License-Identifier: Apache-2.0
#include "protocols/checkpoints/point_storage.hpp"

#include <algorithm>

namespace faultline::checkpoints {

void PointStorage::write(RecoveryContext& context, Storage storage, const SavedPoint& point,
                         const SavedPoints& saved) const {
  std::uint64_t chosen = first;
  std::uint64_t oldest = UINT64_MAX;
  for (std::uint64_t place = first; place < first + kPlaces; ++place) {
    const std::vector<std::uint64_t> words = context.stored(place);
    const bool is_free = words.empty() || !saved.find(words.front());
    if (is_free || words.front() < oldest) {
      chosen = place;
      oldest = is_free ? 0 : words.front();
    }
    if (!words.empty() && words.front() == point.iteration) break;  // of a world that is over
  }
  context.store(storage, chosen, {point.iteration, point.state, point.bytes});
}

std::vector<SavedPoint> PointStorage::find(const RecoveryContext& context,
                                           std::uint64_t latest) const {
  std::vector<SavedPoint> found;
  for (std::uint64_t place = first; place < first + kPlaces; ++place)
    if (const std::vector<std::uint64_t> words = context.stored(place);
        !words.empty() && words.front() <= latest)
      found.push_back({words[0], words[1], words[2]});
  std::ranges::sort(found, {}, &SavedPoint::iteration);
  return found;
}

}  // namespace faultline::checkpoints
