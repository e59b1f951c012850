#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// The command line with which every SimGrid engine of ours is made: exact costs, small stacks.
struct SimGridArguments {
  SimGridArguments();

  std::vector<std::string> words;
  std::vector<char*> values;  ///< argv, into `words`
  int count = 0;              ///< argc
};

/// Simulates one replication on SimGrid: one S4U actor and one mailbox per process, every message a
/// SimGrid communication over the zone of the job's partition, with flow-level contention. SimGrid
/// has one engine per operating system process: call once. An observer sees all of it.
RunResult run_on_simgrid(const RunSpec& spec, Topology routes, std::uint64_t seed,
                         std::uint64_t replication, RunObserver* observer = nullptr);

}  // namespace faultline
