// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"

namespace faultline::engine {

/// How a run ended.
enum class Outcome {
  terminated,       ///< every live rank has announced the end, and rightly so
  finished,         ///< every live workload has finished, or the stated time has passed
  fatal_reported,   ///< the protocol itself said that it cannot go on
  all_failed,       ///< every rank is dead
  premature,        ///< announced while work remained
  hung,             ///< all work is over, but its end was not announced in time
  deadlock,         ///< work is left, but nothing more can happen
  wrong_state,      ///< finished, but not as a run without faults can
  inconsistent,     ///< survivors of a TryBlock were told different things of it, or wrong ones
  violated,         ///< another violation of the ground truth
  limit,            ///< a limit of `stop` was reached
  missed_death,     ///< the failure detector has not told a live rank of a death within its bound
  unsafe_detector,  ///< a promise is broken after a false report of a death
};

const char* outcome_word(Outcome outcome);

/// The words of all outcomes.
std::vector<std::string> outcome_words();

/// Does a run end so only if a promise is broken, whoever broke it?
bool is_broken_promise(Outcome outcome);

/// Does the violation name a death of which a live rank does not know?
bool names_unheard_death(const audit::Violation& violation);

/// The outcome of a run with a violation, whose outcome would be `outcome` without it.
Outcome with_violation(Outcome outcome, const audit::Violation& violation);

}  // namespace faultline::engine
