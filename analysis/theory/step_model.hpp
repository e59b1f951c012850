// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/theory/tree_steps.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::theory {

/// C_init of termination-2022 section 5.2.
inline constexpr std::uint64_t kStepInitialCredit = std::uint64_t{1} << 32U;
/// A larger one could overflow 64 bits when the credit of all processes is added up.
inline constexpr std::uint64_t kMostStepInitialCredit = std::uint64_t{1} << 36U;

struct StepModel {
  std::uint32_t processes = 1;  ///< P
  StepActivity activity = StepActivity::instant;
  StepRules rules = StepRules::resolved;
  std::uint64_t initial_credit =
      kStepInitialCredit;  ///< C_init: credit of a start and of each loan
};

/// The control messages that the four algorithms send over all steps of a tree.
struct ControlMessageCounts {
  std::uint64_t four_counter = 0;
  std::uint64_t edod = 0;
  std::uint64_t hcda = 0;
  std::uint64_t cda = 0;

  bool operator==(const ControlMessageCounts&) const = default;
};

/// Counts control messages by the rules of termination-2022 section 5.2 (docs/step-model.md
/// collects them). It simulates nothing and shares no code with the protocols. `ranks` has the
/// process of each task, below `model.processes`.
ControlMessageCounts count_control_messages(const StepModel& model, const TaskTree& tree,
                                            const std::vector<Rank>& ranks);

}  // namespace faultline::theory
