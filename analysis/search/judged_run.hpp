// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/search/judgement.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::search {

/// How much is done with a drawn scenario.
struct JudgeSettings {
  std::uint64_t events = 100000;    ///< a run that has more ends as `limit`
  bool repeats = true;              ///< runs it twice: the same must come of it
  bool compares = true;             ///< runs a scenario of `simgrid` on `loggp`, too
  std::uint64_t explored_each = 4;  ///< of the small ones; 0: none
  /// What protocols do as they were printed, though it is wrong, counts as found.
  bool as_printed = false;
};

/// Reads a scenario as a user's file would be read, runs it and judges the run. On SimGrid the run
/// has a process of its own.
Judgement judged(const json::JsonValue& scenario, const JudgeSettings& settings);

/// Judges a scenario in a process of its own with a limit of memory, so that a crash or a run
/// without end is a finding, too.
Judgement judged_apart(const json::JsonValue& scenario, const JudgeSettings& settings);

/// The memory that processes that judge may take.
inline constexpr std::uint64_t kMemory_B = std::uint64_t{2} << 30U;
/// A run that takes longer is taken to be without end, on a machine with other work, too [s].
inline constexpr double kPatience_s = 900;

}  // namespace faultline::search
