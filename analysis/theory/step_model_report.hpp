// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/theory/step_model.hpp"

namespace faultline::theory {

/// What to count on one tree: all combinations of processes, activities and rules.
struct StepModelChoices {
  std::vector<std::uint32_t> processes;
  std::vector<std::string> activities;  ///< from step_activity_words()
  std::vector<std::string> rules;       ///< from step_rules_words()
  std::string mapping;                  ///< "round-robin", "random", or "file": the tree's own
  std::uint64_t seed = 1;               ///< of the random mapping
  std::uint64_t initial_credit = kStepInitialCredit;
};

/// All words for activities, and all words for rules.
std::vector<std::string> step_activity_words();
std::vector<std::string> step_rules_words();

/// The control messages of one combination.
struct StepModelRow {
  std::uint32_t processes = 1;
  std::string activity;
  std::string rules;
  ControlMessageCounts counts;
};

/// Counts control messages for every combination. With the mapping "file", every rank in the file
/// must be below the smallest number of processes.
std::vector<StepModelRow> step_model_rows(const StepModelChoices& choices,
                                          const TaskTreeFile& file);

/// The rows as a table of 80 columns for people, and as JSON and CSV for programs.
std::string step_model_table(const StepModelChoices& choices, const TaskTreeFile& file,
                             const std::vector<StepModelRow>& rows);
std::string step_model_json(const std::vector<StepModelRow>& rows);
std::string step_model_csv(const std::vector<StepModelRow>& rows);

}  // namespace faultline::theory
