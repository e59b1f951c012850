#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// SimGrid's options for a simulation with many actors that nobody watches.
std::vector<std::string> simulation_options();

/// Simulates one replication on SimGrid: one S4U actor and one mailbox per process, every message a
/// SimGrid communication over the zone of the job's partition, with flow-level contention. SimGrid
/// has one engine per operating system process: call once. An observer sees all of it.
RunResult run_on_simgrid(const RunSpec& spec, Topology routes, std::uint64_t seed,
                         std::uint64_t replication, RunObserver* observer = nullptr);

}  // namespace faultline
