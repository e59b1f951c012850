#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/platform/topology.hpp"

namespace faultline {

/// Does this build read SimGrid's platform files and have the engine simgrid?
inline constexpr bool kHasSimGrid = FAULTLINE_SIMGRID != 0;

/// What a scenario needs of a SimGrid platform file.
struct XmlSummary {
  std::uint32_t hosts = 0;  ///< 0: not known
  std::uint32_t cores_per_host = 1;
  double local_latency_s = 0;      ///< of a host's route to itself
  double local_bandwidth_Bps = 0;  ///< of a host's route to itself; 0: without bound
};

/// Looks into a SimGrid platform file for a job of that many nodes. Throws UsageError where SimGrid
/// refuses the file, or the file has no route between two of the job's nodes.
using XmlInspector = std::function<XmlSummary(const std::string& path, std::uint32_t nodes)>;

/// This build's; none without SimGrid. A file is read once in the life of a process, and workers
/// inherit what the check of the scenario has read.
XmlInspector xml_inspector();

/// The routes among the first nodes of a platform file. Throws as the inspector does; never called
/// without SimGrid.
const RouteTable& xml_routes(const std::string& path, std::uint32_t nodes);

}  // namespace faultline
