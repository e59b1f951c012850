// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/theory/step_model.hpp"

namespace faultline::reproduction {

/// The activities, in the order in which reports have them (step_activity_words).
inline constexpr std::array<theory::StepActivity, 3> kStepActivities = {
    theory::StepActivity::instant, theory::StepActivity::local, theory::StepActivity::load};

/// The control messages on one tree by one number of processes.
struct ProcessCounts {
  std::uint32_t processes = 1;
  std::array<theory::ControlMessageCounts, 3> by_activity;  ///< as kStepActivities
};

/// Everything that the counts of a tree depend on.
struct StepModelTree {
  std::string preset;
  std::uint64_t seed = 0;
  std::string mapping;
  theory::StepRules rules = theory::StepRules::resolved;
  std::uint32_t fewest_processes = 2;
  std::uint32_t most_processes = 240;

  bool operator<(const StepModelTree& other) const {
    return std::tie(preset, seed, mapping, rules, fewest_processes, most_processes) <
           std::tie(other.preset, other.seed, other.mapping, other.rules, other.fewest_processes,
                    other.most_processes);
  }
};

/// The counts of every requested tree, each counted once. The items of a paper ask for the same
/// trees: a table for their means, and a figure for the curves.
class StepModelCounts {
 public:
  /// The counts for each number of processes, ascending. The reference stays valid.
  const std::vector<ProcessCounts>& on_tree(const StepModelTree& tree);

 private:
  std::map<StepModelTree, std::vector<ProcessCounts>> counted_;
};

}  // namespace faultline::reproduction
