// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/engine.hpp"

#include <memory>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/engine/loggp/loggp_engine.hpp"
#include "sim/engine/stepwise/ordered_run.hpp"
#include "sim/platform/platform_file.hpp"
#if FAULTLINE_SIMGRID
#include "sim/engine/simgrid/simgrid_engine.hpp"
#endif

namespace faultline::engine {

namespace {

platform::Topology routes_of(const scenario::PlatformSpec& platform, std::uint32_t nodes) {
  if (!platform.xml_path.empty())
    return platform::Topology(platform::xml_routes(platform.xml_path, nodes));
  const platform::Machine& machine = platform.machine;
  return {platform::partition(machine, nodes, platform.whole_machine), machine.hop_latency_s,
          machine.link_bandwidth_Bps};
}

}  // namespace

std::shared_ptr<const RunJob> run_job(const scenario::RunSpec& spec, std::uint64_t seed,
                                      std::uint64_t replication) {
  const std::uint32_t nodes = scenario::job_shape(spec.platform).nodes + spec.platform.spare_nodes;
  return std::make_shared<const RunJob>(spec, routes_of(spec.platform, nodes), seed, replication);
}

RunResult run_simulation(const scenario::RunSpec& spec, scenario::EngineKind engine,
                         std::uint64_t seed, std::uint64_t replication,
                         audit::RunObserver* observer) {
  if (spec.order)
    return run_in_order(spec, run_job(without_costs(spec), seed, replication), observer);
  auto job = run_job(spec, seed, replication);
  if (engine == scenario::EngineKind::loggp) {
    LogGpEngine run(std::move(job));
    if (observer != nullptr) run.observe(*observer);
    return run.run();
  }
#if FAULTLINE_SIMGRID
  return run_on_simgrid(std::move(job), observer);
#else
  throw UsageError("engine simgrid: this Faultline was built without SimGrid");
#endif
}

double bare_simgrid_messages_per_s([[maybe_unused]] const scenario::PlatformSpec& platform,
                                   [[maybe_unused]] std::uint32_t in_flight,
                                   [[maybe_unused]] std::uint64_t messages,
                                   [[maybe_unused]] BareSends sends) {
#if FAULTLINE_SIMGRID
  return simgrid_bare_loop_messages_per_s(platform.machine, platform.processes, in_flight, messages,
                                          sends);
#else
  return 0.0;
#endif
}

#if !FAULTLINE_SIMGRID
std::string simgrid_version() { return {}; }
#endif

}  // namespace faultline::engine
