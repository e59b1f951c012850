// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/search/judged_run.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::search {

struct SearchSettings {
  std::uint64_t first = 1;  ///< number of the first scenario
  std::optional<std::uint64_t> scenarios =
      {};                              ///< number of scenarios; empty: until the time is over
  std::optional<double> seconds = {};  ///< seconds of real time
  unsigned jobs = 1;
  bool progress = false;
  std::uint64_t most_shrunk = 10;  ///< number of findings whose first scenario is shrunk
  std::uint64_t shrinking_tries = 600;
  JudgeSettings judging;
};

/// Scenarios with the same finding and the same protocols.
struct FoundKind {
  Finding finding;                     ///< the finding in the first of them
  std::vector<std::uint64_t> numbers;  ///< numbers of the scenarios, only the first of many
  std::uint64_t times = 0;
  json::JsonValue scenario;  ///< the first scenario, shrunk
  bool is_shrunk = false;
};

/// The most numbers that a FoundKind keeps.
inline constexpr std::size_t kMostNumbers = 20;

/// How often a component ran, and under which disturbances.
struct ComponentTally {
  std::uint64_t runs = 0;
  std::map<std::string, std::uint64_t> under;  ///< number of runs by disturbances()
};

/// The words of what can disturb a run, in the order of tables.
const std::vector<std::string>& disturbances();

/// What a search has drawn and found.
struct SearchResult {
  std::uint64_t scenarios = 0;
  std::uint64_t runs = 0;
  std::uint64_t explored = 0;
  std::uint64_t may_die = 0;      ///< scenarios with possible deaths
  std::uint64_t struck = 0;       ///< runs with deaths
  std::uint64_t struck_amid = 0;  ///< runs with a death while an earlier one is not dealt with
  std::uint64_t by_membership = 0;
  std::uint64_t as_printed = 0;                  ///< scenarios that went wrong as meant
  std::map<std::string, std::uint64_t> refused;  ///< refused scenarios by reason
  std::map<std::string, std::uint64_t> outcomes;
  std::map<std::string, ComponentTally> components;  ///< by name, such as "termination.cda"
  std::map<std::string, std::uint64_t> machines;
  std::map<std::string, std::uint64_t> options;  ///< runs with each option off its default
  std::vector<FoundKind> found;                  ///< in the order of their first numbers
  bool interrupted = false;
};

/// Draws scenarios and judges each in worker processes. The result depends on the numbers of the
/// scenarios alone, and not on the number of jobs.
SearchResult search(const SearchSettings& settings);

}  // namespace faultline::search
