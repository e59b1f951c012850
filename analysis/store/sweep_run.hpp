// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/cut_off.hpp"
#include "analysis/runs/exit_code.hpp"
#include "analysis/store/result_store.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

/// One of several parts of a study: the points for which number % count == index.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

struct SweepSettings {
  unsigned jobs = 1;
  Shard shard = {};
  bool retry_failed = false;
  bool progress = false;  ///< on stderr
  std::optional<std::uint64_t> memory_limit_B;
  std::optional<double> time_limit_s;  ///< wall time for each point
};

/// What a sweep did with its shard.
struct SweepOutcome {
  std::size_t planned = 0;
  std::size_t stored_before = 0;
  std::size_t stored = 0;
  std::size_t failed = 0;  ///< points stored as failed, and points that did not grow
  std::size_t grown = 0;   ///< points that got the replications they lacked
  std::size_t longer = 0;  ///< points that keep more replications than they need
  std::size_t kept = 0;    ///< points of the store that the study does not have
  std::map<std::size_t, std::string> not_grown;  ///< why points did not grow, by number
  bool interrupted = false;
};

/// What a sweep would do with its shard.
struct SweepPlan {
  std::size_t planned = 0;
  std::size_t stored = 0;   ///< points that need nothing more, with failed ones that stay so
  std::size_t growing = 0;  ///< points that have some of the replications that they need
  std::size_t failed = 0;   ///< points stored as failed
  std::size_t runs = 0;     ///< replications to simulate; with a precision, the least number
};

/// Counts what is missing where a store has these points of a study. They may have the numbers of
/// an earlier sweep.
SweepPlan plan_sweep(const scenario::Study& study, const std::vector<StoredPoint>& stored_points,
                     const SweepSettings& settings);

/// Simulates what the store lacks, each point in its own worker process, and stores points one by
/// one. A point that has some of its replications gets the missing ones. If another process works
/// on a point, the sweep waits for it. Throws RunError if the store cannot be written; points
/// stored before that stay.
SweepOutcome run_sweep(const scenario::Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings);

/// The number of the shard's runs in the store, and how many of them were cut off at a limit.
runs::RunCount run_count(ResultStore& store, std::int64_t study_id, const scenario::Study& study,
                         const Shard& shard);

/// The exit code of all results that the store has of the shard.
runs::ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                         const scenario::Study& study, const Shard& shard);

/// The study as a store keeps it, with the versions of this program.
StoredStudy stored_study(const scenario::Study& study);

/// A point of the study as a store keeps it, without results.
StoredPoint stored_point(const scenario::Study& study, std::int64_t study_id, std::size_t point,
                         const scenario::Scenario& scenario);

}  // namespace faultline::store
