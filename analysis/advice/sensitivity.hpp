// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// A number of the machine or of the faults that somebody has measured or guessed.
struct Input {
  std::string path;  ///< in the scenario
  double value = 0;
  double weight = 0;  ///< how much the leader's objective changes if it is doubled, as a share
  /// The best stack as it is, if it is half as large, and if it is twice as large: the leader of
  /// the question, unless the runner-up is shown to be better.
  std::string use = {};
  std::string use_at_half = {};
  std::string use_at_double = {};

  [[nodiscard]] bool changes_at_half() const { return use_at_half != use; }
  [[nodiscard]] bool changes_at_double() const { return use_at_double != use; }
};

/// What the answer depends on.
struct Sensitivity {
  std::vector<Input> inputs;  ///< those that weigh most, at most five, the weightiest first
  bool is_interrupted = false;
  double events = 0;  ///< of the runs that this has taken
};

/// The times and bandwidths of the machine and of the faults in the job of the question, as paths
/// that a scenario can state.
std::vector<Input> inputs_of(const Question& question, const Field& field);

/// Doubles each of them for the leader, takes the five that change its objective most, and races
/// leader and runner-up with each of these halved and doubled. Nothing if there are not two that
/// are fit, if the time is up, or if that would take more than the events that are left.
Sensitivity sensitivity(const Question& question, const Field& field, const Findings& findings,
                        double events_left, store::ResultStore& store,
                        const AdvisorSettings& settings);

}  // namespace faultline::advice
