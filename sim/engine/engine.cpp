#include "sim/engine/engine.hpp"

#include <map>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/engine/loggp_engine.hpp"
#if FAULTLINE_SIMGRID
#include "sim/engine/simgrid_bare_loop.hpp"
#include "sim/engine/simgrid_engine.hpp"
#include "sim/platform/simgrid_xml.hpp"
#endif

namespace faultline {

namespace {

#if FAULTLINE_SIMGRID

/// A user's platform file, read once in the life of this process: workers inherit what the check of
/// the scenario has read.
const XmlPlatform& xml_platform(const std::string& path, std::uint32_t nodes) {
  static std::map<std::pair<std::string, std::uint32_t>, XmlPlatform> known;
  const auto key = std::make_pair(path, nodes);
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, read_platform_xml(path, nodes)).first;
  return found->second;
}

XmlSummary inspect_xml(const std::string& path, std::uint32_t nodes) {
  const XmlPlatform& platform = xml_platform(path, nodes);
  const XmlHost& host = platform.hosts.front();
  return {.hosts = static_cast<std::uint32_t>(platform.hosts.size()),
          .cores_per_host = host.cores,
          .local_latency_s = host.local_latency_s,
          .local_bandwidth_Bps = host.local_bandwidth_Bps};
}

#endif

Topology routes_of(const PlatformSpec& platform, std::uint32_t nodes) {
#if FAULTLINE_SIMGRID
  if (!platform.xml_path.empty()) return Topology(xml_platform(platform.xml_path, nodes).routes);
#endif
  const Machine& machine = platform.machine;
  return {partition(machine, nodes, platform.whole_machine), machine.hop_latency_s,
          machine.link_bandwidth_Bps};
}

}  // namespace

RunResult run_simulation(const RunSpec& spec, EngineKind engine, std::uint64_t seed,
                         std::uint64_t replication, RunObserver* observer) {
  const std::uint32_t nodes = job_shape(spec.platform).nodes + spec.platform.spare_nodes;
  Topology routes = routes_of(spec.platform, nodes);
  if (engine == EngineKind::loggp) {
    LogGpEngine run(spec, std::move(routes), seed, replication);
    if (observer != nullptr) run.observe(*observer);
    return run.run();
  }
#if FAULTLINE_SIMGRID
  return run_on_simgrid(spec, std::move(routes), seed, replication, observer);
#else
  throw UsageError("engine simgrid: this Faultline was built without SimGrid");
#endif
}

double bare_simgrid_messages_per_s([[maybe_unused]] const PlatformSpec& platform,
                                   [[maybe_unused]] std::uint32_t in_flight,
                                   [[maybe_unused]] std::uint64_t messages) {
#if FAULTLINE_SIMGRID
  return simgrid_bare_loop_messages_per_s(platform.machine, platform.processes, in_flight,
                                          messages);
#else
  return 0.0;
#endif
}

ScenarioBackends scenario_backends_of_this_build() {
  ScenarioBackends backends;
#if FAULTLINE_SIMGRID
  backends.inspect_xml = inspect_xml;
#else
  backends.simgrid = false;
#endif
  return backends;
}

#if !FAULTLINE_SIMGRID
std::string simgrid_version() { return {}; }
#endif

}  // namespace faultline
