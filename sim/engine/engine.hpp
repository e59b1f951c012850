// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/simgrid/simgrid_bare_loop.hpp"
#include "sim/engine/simgrid/simgrid_version.hpp"
#include "sim/engine/verdict/run_result.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::engine {

/// Simulates one replication of one point on one engine. The same arguments give the same result,
/// apart from wall times. SimGrid allows only one simulation per operating system process. An
/// observer, if given, is shown the whole run.
RunResult run_simulation(const scenario::RunSpec& spec, scenario::EngineKind engine,
                         std::uint64_t seed, std::uint64_t replication,
                         audit::RunObserver* observer = nullptr);

/// What the engines need for one replication. Throws UsageError if the platform cannot be built.
std::shared_ptr<const RunJob> run_job(const scenario::RunSpec& spec, std::uint64_t seed,
                                      std::uint64_t replication);

/// Messages per second that SimGrid reaches without any of our code (see simgrid_bare_loop.hpp). 0
/// if Faultline was built without SimGrid.
double bare_simgrid_messages_per_s(const scenario::PlatformSpec& platform, std::uint32_t in_flight,
                                   std::uint64_t messages, BareSends sends);

}  // namespace faultline::engine
