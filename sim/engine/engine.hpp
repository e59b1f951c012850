#pragma once

#include <cstdint>
#include <string>

#include "sim/audit/run_observer.hpp"
#include "sim/engine/run_result.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// Simulates one replication of one point on one engine. The same arguments give the same result,
/// wall time aside. SimGrid allows one simulation in the life of an operating system process. An
/// observer sees all of it.
RunResult run_simulation(const RunSpec& spec, EngineKind engine, std::uint64_t seed,
                         std::uint64_t replication, RunObserver* observer = nullptr);

/// The messages per second of SimGrid without any of our code, see simgrid_bare_loop.hpp; 0 where
/// Faultline was built without SimGrid.
double bare_simgrid_messages_per_s(const PlatformSpec& platform, std::uint32_t in_flight,
                                   std::uint64_t messages);

/// "3.32.0", or "" where Faultline was built without SimGrid.
std::string simgrid_version();

}  // namespace faultline
