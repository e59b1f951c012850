// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/fence_list.hpp"

#include <algorithm>

namespace faultline::engine {

std::uint32_t FenceList::add(const Accusation& accusation) {
  const auto number = static_cast<std::uint32_t>(list_.size());
  list_.push_back(accusation);
  against_[accusation.accused].push_back(number);
  return number;
}

bool FenceList::is_accused_by(Incarnation life, double time_s) const {
  const auto found = against_.find(life);
  if (found == against_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](std::uint32_t number) {
    return list_[number].heard_s < kNever && list_[number].heard_s <= time_s && is_believed(number);
  });
}

/// The manager believes an accuser unless another actor, which it has heard earlier and believes,
/// accuses the accuser. Each step goes back in the order of hearing, so this ends.
bool FenceList::is_believed(std::uint32_t number) const {
  const auto found = against_.find(list_[number].accuser);
  if (found == against_.end()) return true;
  return std::none_of(found->second.begin(), found->second.end(), [&](std::uint32_t other) {
    const bool is_earlier = list_[other].heard_s < list_[number].heard_s ||
                            (list_[other].heard_s == list_[number].heard_s && other < number);
    return is_earlier && is_believed(other);
  });
}

void FenceList::digest(Digest& into, const std::function<bool(Incarnation)>& lives) const {
  std::vector<Incarnation> accused;
  for (const auto& [life, numbers] : against_)
    if (lives(life) && is_accused(life)) accused.push_back(life);
  into.add(accused);
}

}  // namespace faultline::engine
