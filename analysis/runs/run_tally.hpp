// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/runs/fatal_reasons.hpp"
#include "analysis/runs/replications.hpp"
#include "analysis/statistics/strata.hpp"
#include "analysis/statistics/summary.hpp"

namespace faultline::runs {

/// The statistics of one point.
struct PointTally {
  std::map<std::string, statistics::RunningSummary>
      metrics;  ///< statistics of numbers, not of shares, over runs of equal weight
  /// Statistics of numbers and of `completed`, if the runs have strata.
  std::map<std::string, statistics::StratifiedSample> strata;
  std::map<std::string, std::size_t> cut_off;  ///< number of these values from cut-off runs
  std::size_t completed = 0;                   ///< runs that completed their program
  std::size_t uncompleted = 0;                 ///< runs that did not, if that is a question
  std::map<std::string, int> outcomes;
  FatalReasons fatal_reasons;
};

/// A replication that crashed or broke a promise.
struct TroubledReplication {
  std::size_t point = 0;
  std::uint64_t replication = 0;
  std::string what;
  std::string outcome;  ///< outcome of a replication without a record
};

/// What remains of a scenario's replications, however many there are: their statistics, and what
/// went wrong.
struct RunTally {
  explicit RunTally(std::size_t points_of_scenario) : points(points_of_scenario) {}

  /// Adds a replication. They must come in order, so that the statistics are the same to the last
  /// digit.
  void add(const ReplicationRecord& record);

  std::vector<PointTally> points;
  std::set<std::string> metrics;             ///< names of all metrics of any run but the outcome
  std::vector<TroubledReplication> crashes;  ///< all of them
  std::vector<TroubledReplication> first_troubles;
  std::size_t troubles = 0;  ///< crashes and violations
  std::size_t replications = 0;
  RunCount runs;  ///< those that did not crash
  ReplicationEnd end;
  ExitCode code = kExitGood;  ///< of the worst replication so far

 private:
  void add_number(PointTally& point, const RunMetric& metric, bool cut_off);
  void add_trouble(const ReplicationRecord& record, const std::string& what);
};

/// The exit code of a whole run.
ExitCode exit_code(const RunTally& tally);

}  // namespace faultline::runs
