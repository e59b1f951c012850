// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// The leader and the runner-up once more on `simgrid`, with the same faults.
struct EngineCheck {
  std::size_t leader = 0;  ///< numbers of alternatives
  std::size_t runner_up = 0;
  std::size_t runs = 0;      ///< that count for both, on both engines; 0 if it was not made
  std::string why_not = {};  ///< "" if it was made
  double leader_mean = 0;    ///< of the objective, on `simgrid`
  double runner_up_mean = 0;
  /// Which of them is better by more than counts, or that none is, is the same on both engines.
  bool agrees = false;
  bool is_interrupted = false;
  double events = 0;  ///< of the runs that this has taken
};

/// None if the question is asked on `simgrid`, or if there are not two that are fit. As `simgrid`
/// is slow, there are at most ten runs of each, and none if one would take too many events.
std::optional<EngineCheck> check_on_simgrid(const Question& question, const Field& field,
                                            const Findings& findings, store::ResultStore& store,
                                            const AdvisorSettings& settings);

}  // namespace faultline::advice
