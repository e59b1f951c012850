// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/verdict/run_result.hpp"

namespace faultline::engine {

/// SimGrid's command-line options for a simulation with many actors and no log output.
std::vector<std::string> simulation_options();

/// Simulates one replication on SimGrid. Each process is an S4U actor with a mailbox. Each message
/// is a SimGrid communication over the zone of the job's partition, with flow-level contention.
/// Call it once: SimGrid has one engine per operating system process. An observer, if given, is
/// shown the whole run.
RunResult run_on_simgrid(std::shared_ptr<const RunJob> job, audit::RunObserver* observer = nullptr);

}  // namespace faultline::engine
