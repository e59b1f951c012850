// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::exploration {

/// The content of the report of a search.
struct ExplorationReport {
  const scenario::Scenario& scenario;
  const ExplorationRequest& request;
  const ExplorationResult& result;
  std::optional<ToldRun> told;                    ///< of the refutation, if there is one
  std::optional<json::JsonValue> counterexample;  ///< the refutation as a scenario
};

/// The report for people; lines are at most `width` wide where words can be broken.
std::string exploration_table(const ExplorationReport& report, std::size_t width);

/// The report as docs/explore.md describes it. `states_per_s` is measured and differs from run to
/// run.
std::string exploration_json(const ExplorationReport& report);

/// The words of a request, as the command line has them.
const char* crash_word(CrashPlaces crash);
std::vector<std::string> crash_words();
/// The places with this word, which must be one of crash_words().
CrashPlaces crash_named(const std::string& word);
/// The words for each choice of a request, in the order of its enumeration.
std::vector<std::string> search_words();
std::vector<std::string> timers_words();
std::vector<std::string> departures_words();
std::vector<std::string> alike_words();

}  // namespace faultline::exploration
