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
#include "analysis/store/batches.hpp"
#include "analysis/store/result_store.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

struct SweepSettings {
  unsigned jobs = 1;
  Shard shard = {};
  bool retry_failed = false;
  bool progress = false;  ///< on stderr
  std::optional<std::uint64_t> memory_limit_B;
  std::optional<double> time_limit_s;  ///< wall time for each replication
};

/// What a sweep did with its shard.
struct SweepOutcome {
  std::size_t planned = 0;  ///< points with replications in the shard
  std::size_t stored_before = 0;
  std::size_t stored = 0;
  std::size_t failed = 0;  ///< points stored as failed, and points that did not grow
  std::size_t grown = 0;   ///< points that had all that an earlier sweep wanted, and got more
  std::size_t longer = 0;  ///< points that keep more replications than they need
  std::size_t kept = 0;    ///< points of the store that the study does not have
  std::map<std::size_t, std::string> failures;  ///< why points failed or did not grow, by number
  bool interrupted = false;
};

/// Simulates what the store lacks, each batch of replications in its own worker process, and stores
/// each batch by itself. If another process works on a batch, the sweep waits for it. What an
/// interrupt stops is stored as far as it came. Throws RunError if the store cannot be written;
/// what was stored before that stays.
SweepOutcome run_sweep(const scenario::Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings);

/// The number of runs in the store of the shard's points, and how many of them were cut off at a
/// limit.
runs::RunCount run_count(ResultStore& store, std::int64_t study_id, const scenario::Study& study,
                         const Shard& shard);

/// The exit code of all results that the store has of the shard.
runs::ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                         const scenario::Study& study, const Shard& shard);

}  // namespace faultline::store
