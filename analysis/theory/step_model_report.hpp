#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/theory/step_model.hpp"

namespace faultline {

/// What is counted on one tree: every combination of processes, activities and rules.
struct StepModelChoices {
  std::vector<std::uint32_t> processes;
  std::vector<std::string> activities;  ///< some of step_activity_words
  std::vector<std::string> rules;       ///< some of step_rules_words
  std::string mapping;                  ///< "round-robin", "random", or "file": that of the tree
  std::uint64_t seed = 1;               ///< of the random mapping
  std::uint64_t initial_credit = kStepInitialCredit;
};

/// The words for activities and for rules.
std::vector<std::string> step_activity_words();
std::vector<std::string> step_rules_words();

/// The control messages of one combination.
struct StepModelRow {
  std::uint32_t processes = 1;
  std::string activity;
  std::string rules;
  ControlMessageCounts counts;
};

/// Counts them all. A tree that is mapped by its file has all ranks below the fewest processes.
std::vector<StepModelRow> step_model_rows(const StepModelChoices& choices,
                                          const TaskTreeFile& file);

/// For people, in 80 columns, and for machines.
std::string step_model_table(const StepModelChoices& choices, const TaskTreeFile& file,
                             const std::vector<StepModelRow>& rows);
std::string step_model_json(const std::vector<StepModelRow>& rows);
std::string step_model_csv(const std::vector<StepModelRow>& rows);

}  // namespace faultline
