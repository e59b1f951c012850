#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

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
  std::size_t failed = 0;  ///< of those stored, and those that did not grow
  std::size_t grown = 0;   ///< points that had fewer replications
  std::size_t longer = 0;  ///< points that have more replications than they need, and keep them
  std::size_t kept = 0;    ///< points of the store that are none of the study
  std::map<std::size_t, std::string> not_grown;  ///< why points keep what they have, and no more
  bool interrupted = false;
};

/// Simulates what the store does not have, each point in a worker process of its own, and stores
/// the points one by one. A point that has some of its replications gets those that it lacks.
/// Points that another process is at are waited for. Throws RunError when the store cannot be
/// written; what it has by then stays.
SweepOutcome run_sweep(const Study& study, std::int64_t study_id, ResultStore& store,
                       const SweepSettings& settings);

/// The exit code of everything that the store has of the shard.
ExitCode exit_code(const SweepOutcome& outcome, ResultStore& store, std::int64_t study_id,
                   const Study& study, const Shard& shard);

/// The study as a store keeps it, under the versions of this program.
StoredStudy stored_study(const Study& study);

/// A point of it, without results.
StoredPoint stored_point(const Study& study, std::int64_t study_id, std::size_t point,
                         const Scenario& scenario);

}  // namespace faultline
