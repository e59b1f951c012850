#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/runs/run_record.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {

/// The replications of all points, in order.
struct ReplicationResults {
  std::vector<ReplicationRecord> records;  ///< those that have finished or failed
  std::size_t planned = 0;
  bool interrupted = false;
};

/// What is left to say of replications when each has been handed on.
struct ReplicationEnd {
  std::size_t planned = 0;
  bool interrupted = false;
};

/// Takes replications as they come.
using TakeReplication = std::function<void(ReplicationRecord)>;

struct ReplicationSettings {
  unsigned jobs = 1;
  bool progress = false;  ///< on stderr, once the work has taken a second
};

/// Runs every replication of a scenario in worker processes of its own, so that one that crashes
/// costs itself alone. The records do not depend on the number of jobs, wall times aside. An
/// interrupt (SIGINT, SIGTERM) ends the workers and leaves what has finished.
ReplicationResults run_replications(const Scenario& scenario, const ReplicationSettings& settings);

/// The same without keeping them: hands each one on, in order, as soon as those before it have
/// come.
ReplicationEnd run_replications(const Scenario& scenario, const ReplicationSettings& settings,
                                const TakeReplication& take);

/// Simulates one replication in this process. What it throws becomes the error of the record.
ReplicationRecord simulated(const Scenario& scenario, std::size_t point, std::uint64_t replication);

}  // namespace faultline
