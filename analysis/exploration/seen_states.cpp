// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/seen_states.hpp"

#include <algorithm>

namespace faultline::exploration {

StateNumber SeenStates::find(const StateDigest& digest) const {
  for (std::size_t slot = slot_of(digest);; slot = (slot + 1) & (slots_.size() - 1)) {
    const StateNumber state = slots_[slot];
    if (state == kNoState || digests_[state] == digest) return state;
  }
}

StateNumber SeenStates::add(const StateDigest& digest, StateNumber parent, const Step& step,
                            const Mishaps& mishaps) {
  if (4 * (size() + 1) > 3 * slots_.size()) grow();
  std::size_t slot = slot_of(digest);
  while (slots_[slot] != kNoState) slot = (slot + 1) & (slots_.size() - 1);
  const auto number = static_cast<StateNumber>(size());
  slots_[slot] = number;
  digests_.push_back(digest);
  links_.push_back({parent, steps_.number_of(step)});
  mishaps_.push_back(mishaps);
  return number;
}

/// The digests are elsewhere, so the old slots can go before the new ones come.
void SeenStates::grow() {
  const std::size_t slots = 2 * slots_.size();
  std::vector<StateNumber>().swap(slots_);
  slots_.assign(slots, kNoState);
  for (StateNumber state = 0; state < size(); ++state) {
    std::size_t slot = slot_of(digests_[state]);
    while (slots_[slot] != kNoState) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = state;
  }
}

std::vector<StateNumber> SeenStates::path_to(StateNumber state) const {
  std::vector<StateNumber> path;
  for (; state != kNoState; state = parent(state)) path.push_back(state);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<Step> SeenStates::steps_to(StateNumber state) const {
  std::vector<Step> steps;
  for (; state != kNoState; state = parent(state)) steps.push_back(step(state));
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace faultline::exploration
