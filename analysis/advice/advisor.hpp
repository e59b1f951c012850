// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/alternatives.hpp"
#include "analysis/advice/field_runs.hpp"
#include "analysis/advice/race.hpp"
#include "analysis/store/result_store.hpp"

namespace faultline::advice {

/// The runs of each alternative with which a race begins.
inline constexpr std::uint32_t kFirstRuns = 10;

/// Why a race has ended.
enum class RaceEnd {
  decided,      ///< one is ahead, or nothing that counts tells those left apart, or nobody is fit
  budget,       ///< further runs would take more events than the question allows
  most_runs,    ///< each that still races has had as many runs as Faultline makes
  time_limit,   ///< the wall time is up
  interrupted,  ///< by the user
};

/// "decided", "budget", "most-runs", "time-limit" or "interrupted".
const char* race_end_word(RaceEnd end);

/// What has been found out about a question.
struct Findings {
  RaceRules rules = {};
  std::vector<Contestant> contestants = {};  ///< in the order of the alternatives
  std::optional<std::size_t> leader = {};
  RaceEnd end = RaceEnd::decided;
  std::size_t looks = 0;
  double events = 0.0;  ///< of all runs that were looked at
};

/// The rules of a question for these alternatives. Where it says nothing, the time to solution is
/// to be least, or the detection latency under a termination detector, or else the end of the run;
/// and with faults 95 % of the runs must complete.
RaceRules rules_of(const Question& question, const Field& field);

/// Races the alternatives and keeps all runs in the store, which may have some already: these are
/// not made again. What is found depends on the question alone, and not on the number of jobs or on
/// what the store has, unless time or an interrupt ends the race.
Findings find_out(const Question& question, Field& field, store::ResultStore& store,
                  const AdvisorSettings& settings);

}  // namespace faultline::advice
