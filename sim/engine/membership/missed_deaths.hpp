// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/core/message.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/membership/death_list.hpp"

namespace faultline::engine {

/// What the end of a run knows of its deaths.
struct DetectionEvidence {
  const audit::Auditor& auditor;
  const DeathList& deaths;
  /// Does that rank know that this incarnation is dead, or will it as soon as its processor is
  /// free?
  std::function<bool(Rank, Incarnation)> has_heard;
  /// Does any process that lives know that there has been this incarnation?
  std::function<bool(Incarnation)> is_known;
  double now_s = 0.0;
  bool nothing_is_left = false;  ///< so that nobody will hear of anything
  bool all_wait = false;         ///< the run has ended because nothing went on
};

/// Does this message, which the network has, bring news of a death, or is it later than the bound
/// counts with? Then nobody is judged who may be about to hear.
[[nodiscard]] bool may_bring_word(const RunJob& job, const Message& message, double now_s);

/// The deaths of which a rank that lived then, and still does, should have heard from a detector
/// that states a bound: a violation for each, which names the detector, the victim, a rank that
/// does not know, and why, if nobody watches such a victim. None if something disturbs the detector
/// that the bound does not count: messages that are lost or late, cuts, processors that are slow or
/// interrupted, stalls, or computations between which alone a rank hears of anything; and none
/// after a false report, since those who believe it refuse to hear from its victim. Where all wait,
/// whatever has happened, also the deaths of which the detector promises nothing, because nobody
/// else is to blame. A rank that lives and is held for dead is not one that should hear.
[[nodiscard]] std::vector<audit::Violation> missed_deaths(const RunJob& job,
                                                          const DetectionEvidence& evidence);

}  // namespace faultline::engine
