// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/drawn_faults.hpp"

#include <algorithm>

namespace faultline::faults {

SizeLaw::SizeLaw(const FaultCounts& counts, Stream random)
    : up_to_(counts.by_size), random_(random) {
  std::int64_t sum = 0;
  for (FaultCount& size : up_to_) size.count = sum += size.count;
}

std::uint64_t SizeLaw::draw() {
  if (up_to_.empty()) return fixed_;
  const auto total = static_cast<std::uint64_t>(up_to_.back().count);
  const auto drawn = static_cast<std::int64_t>(random_.below(total));
  const auto size = std::upper_bound(
      up_to_.begin(), up_to_.end(), drawn,
      [](std::int64_t value, const FaultCount& entry) { return value < entry.count; });
  return static_cast<std::uint64_t>(size->failed);
}

std::optional<double> DrawnFaults::next_time_s() {
  if (left_ && (*left_)-- == 0) {
    left_ = 0;
    return std::nullopt;
  }
  const auto arrival = arrivals_();
  if (!arrival) return std::nullopt;
  last_ = *arrival;
  return last_.time_s;
}

std::vector<ActorId> DrawnFaults::victims(const ParentOf& parent_of) {
  const auto units = placement_.choose(sizes_.draw(), last_.unit, parent_of);
  const std::vector<double> back_s = repair_.repairs_s(last_.time_s, units.size());
  std::vector<ActorId> victims;
  repairs_s_.clear();
  for (std::size_t i = 0; i < units.size(); ++i) {
    victims.insert(victims.end(), units[i].begin(), units[i].end());
    if (!back_s.empty()) repairs_s_.insert(repairs_s_.end(), units[i].size(), back_s[i]);
  }
  return victims;
}

}  // namespace faultline::faults
