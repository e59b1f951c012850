// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/advice/advisor.hpp"
#include "analysis/advice/question.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// The work between two checkpoints with which a job ends soonest, in seconds, if a checkpoint
/// takes `checkpoint_s` and the mean time between faults of the job is `mtbf_s`: Daly, "A higher
/// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006),
/// equation 37.
double daly_interval_s(double checkpoint_s, double mtbf_s);

/// Half, twice and three values around the nearest number of iterations, at least 1, ascending.
std::vector<std::int64_t> iterations_around(double iterations);

/// A question in which values stand where `tune` says "daly".
struct Resolved {
  Question question;
  bool is_interrupted = false;
  double events = 0;  ///< of the runs that this has taken
};

/// Finds the values for each stack by itself. Two runs without faults, with a checkpoint after each
/// iteration and after every other one, tell what a checkpoint and an iteration take. The first
/// runs of the race tell how often faults strike. A stack that takes no checkpoints, or that no
/// fault strikes, gets no values.
Resolved with_daly(const Question& question, store::ResultStore& store,
                   const AdvisorSettings& settings);

}  // namespace faultline::advice
