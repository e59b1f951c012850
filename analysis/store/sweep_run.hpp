#pragma once

#include <cstdint>
#include <optional>

#include "analysis/runs/exit_code.hpp"
#include "analysis/store/result_store.hpp"
#include "sim/scenario/study.hpp"

namespace faultline {

/// One of several parts of a study: points with number % count == index.
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
  std::optional<double> time_limit_s;  ///< of the wall clock, for a point
};

/// What became of the shard.
struct SweepOutcome {
  std::size_t planned = 0;
  std::size_t stored_before = 0;
  std::size_t stored = 0;
  std::size_t failed = 0;  ///< of those stored
  bool interrupted = false;
};

/// Simulates the points that the store does not have, each in a worker process of its own, and
/// stores them one by one. Points that another process is at are waited for. Throws RunError when
/// the store cannot be written; what it has by then stays.
SweepOutcome run_sweep(const Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings);

/// The exit code of everything that the shard has stored.
ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                   const Shard& shard);

/// The study as a store keeps it, under the versions of this program.
StoredStudy stored_study(const Study& study);

}  // namespace faultline
