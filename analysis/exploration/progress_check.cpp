// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/progress_check.hpp"

namespace faultline::exploration {

namespace {

constexpr std::uint64_t kStatesBetweenQuestions = 1U << 12U;

}  // namespace

/// Most steps lead to states that were found later, so that going backwards settles most states in
/// one pass; each step to an earlier state needs another pass.
std::optional<StateNumber> StepGraph::first_without_end(const MayGoOn& may_go_on) const {
  NowAndThen ask(may_go_on, kStatesBetweenQuestions);
  std::vector<bool> reaches_end(states());
  for (bool changed = true; changed;) {
    changed = false;
    std::size_t target = targets_.size();
    for (std::size_t state = states(); state-- > 0;) {
      ask.step();
      const std::size_t degree = degrees_[state] == kEnd ? 0 : degrees_[state];
      bool reaches = degrees_[state] == kEnd;
      for (std::size_t i = 0; i < degree; ++i) {
        const StateNumber next = targets_[--target];
        reaches = reaches || (next < states() && reaches_end[next]);
      }
      if (reaches && !reaches_end[state]) reaches_end[state] = changed = true;
    }
  }
  for (std::size_t state = 0; state < states(); ++state)
    if (!reaches_end[state]) return static_cast<StateNumber>(state);
  return std::nullopt;
}

/// From all other states every way comes to an end. As above, passes backwards settle most states.
std::optional<StepGraph::Part> StepGraph::part_with_circles(std::size_t most,
                                                            const MayGoOn& may_go_on) const {
  NowAndThen ask(may_go_on, kStatesBetweenQuestions);
  std::vector<bool> comes_to_end(states());
  std::size_t left = states();
  for (bool changed = true; changed;) {
    changed = false;
    std::size_t target = targets_.size();
    for (std::size_t state = states(); state-- > 0;) {
      ask.step();
      const std::size_t degree = degrees_[state] == kEnd ? 0 : degrees_[state];
      bool ends = true;
      for (std::size_t i = 0; i < degree; ++i) {
        const StateNumber next = targets_[--target];
        ends = ends && next < states() && comes_to_end[next];
      }
      if (!ends || comes_to_end[state]) continue;
      comes_to_end[state] = changed = true;
      --left;
    }
  }
  if (left > most) return std::nullopt;
  Part part;
  std::size_t target = 0;
  for (std::size_t state = 0; state < states(); ++state) {
    const std::size_t degree = degrees_[state] == kEnd ? 0 : degrees_[state];
    if (!comes_to_end[state]) {
      std::vector<StateNumber>& next = part[static_cast<StateNumber>(state)];
      for (std::size_t i = 0; i < degree; ++i) next.push_back(targets_[target + i]);
    }
    target += degree;
  }
  return part;
}

}  // namespace faultline::exploration
