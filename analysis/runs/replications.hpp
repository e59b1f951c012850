// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::runs {

/// What is known at the end, after each replication has been handed on.
struct ReplicationEnd {
  std::size_t planned = 0;
  bool interrupted = false;
};

/// Receives replications one by one, each with the line that its worker wrote of the run
/// (replication_line); "" if it did not finish.
using TakeReplication =
    std::function<void(const ReplicationRecord& record, const std::string& line)>;

struct ReplicationSettings {
  unsigned jobs = 1;
  bool progress = false;  ///< on stderr, once the work has taken a second
};

/// Runs all replications of a scenario in worker processes, so that a crash loses only one
/// replication. Each is passed to `take` in order, as soon as all before it have been passed. The
/// records do not depend on the number of jobs, except for wall times. An interrupt (SIGINT,
/// SIGTERM) ends the workers; the replications that have finished are passed on.
ReplicationEnd run_replications(const scenario::Scenario& scenario,
                                const ReplicationSettings& settings, const TakeReplication& take);

/// Simulates one replication in this process. If that throws, the record has the error.
ReplicationRecord simulated(const scenario::Scenario& scenario, std::size_t point,
                            std::uint64_t replication);

}  // namespace faultline::runs
