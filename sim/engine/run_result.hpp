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
  premature,       ///< announced while work remained
  hung,            ///< the truth is over and nothing was announced
  deadlock,        ///< someone waits and nothing is left that could happen
  violated,        ///< another violation of the ground truth
  limit,           ///< a limit of `stop` was reached
};

const char* outcome_word(Outcome outcome);

/// The words of all outcomes.
std::vector<std::string> outcome_words();

/// The result of one replication.
struct RunResult {
  Outcome outcome = Outcome::limit;
  std::optional<bool> terminated;  ///< does every live rank know; null without a detector
  std::string fatal_reason;        ///< the protocol's own words, if it gave up
  Metrics metrics;
  std::vector<Violation> violations;
  std::uint64_t events = 0;
  double setup_s = 0.0;  ///< wall time before the first event: actors, platform
  double wall_s = 0.0;   ///< wall time of all, set-up included
};

}  // namespace faultline
