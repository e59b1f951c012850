#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/core/metrics.hpp"

namespace faultline {

/// How a run ended.
enum class Outcome {
  terminated,      ///< announced by every live rank, the truth agreeing
  finished,        ///< every live workload has finished, or the stated time has passed
  fatal_reported,  ///< the protocol itself said that it cannot go on
  all_failed,      ///< every rank is dead
  premature,       ///< announced while work remained
  hung,            ///< the truth is over and nothing was announced
  deadlock,        ///< someone waits and nothing is left that could happen
  violated,        ///< another violation of the ground truth
  limit,           ///< a limit of `stop` was reached
};

const char* outcome_word(Outcome outcome);

/// The words of all outcomes.
std::vector<std::string> outcome_words();

/// How a run ended that would have ended so without the violation.
Outcome with_violation(Outcome outcome, const Violation& violation);

/// The result of one replication.
struct RunResult {
  Outcome outcome = Outcome::limit;
  std::optional<bool> terminated;  ///< does every rank that is left know; null without a detector
  std::string fatal_reason;        ///< the protocol's own words, if it gave up
  ActorId fatal_actor = kNobody;   ///< who said so
  Family fatal_family = Family::workload;  ///< which of its components
  Metrics metrics;
  std::vector<Violation> violations;
  std::uint64_t events = 0;
  double setup_s = 0.0;  ///< wall time before the first event: actors, platform
  double wall_s = 0.0;   ///< wall time of all, set-up included
};

}  // namespace faultline
