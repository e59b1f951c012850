// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// By how much the objective of an alternative is larger than the leader's, in parts. Each part is
/// a mean over the replications that complete in both, with and without what is taken out.
struct Gap {
  std::size_t alternative = 0;
  std::size_t runs = 0;
  double together = 0;
  double without_faults = 0;  ///< what the difference is if no fault strikes
  double recovery = 0;        ///< what faults add to it if everybody knows of each death at once
  double detection = 0;       ///< what it adds that deaths must be found
};

/// Where the differences come from.
struct Gaps {
  std::vector<Gap> all;  ///< of the best of each stack, in the order of the ranking
  bool is_interrupted = false;
  double events = 0;  ///< of the runs that this has taken
};

/// Runs the best of each stack without faults, and once more with `oracle` in place of its
/// detector. None if there is no leader, if no fault can strike, if the objective is a share, if
/// the time is up, or if that would take more than the events that are left. An alternative that
/// cannot run so is left out.
Gaps gaps(const Question& question, const Field& field, const Findings& findings,
          double events_left, store::ResultStore& store, const AdvisorSettings& settings);

}  // namespace faultline::advice
