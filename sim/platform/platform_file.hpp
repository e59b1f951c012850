// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/platform/topology.hpp"

namespace faultline::platform {

/// True if this build has the engine simgrid and can read SimGrid's platform files.
inline constexpr bool kHasSimGrid = FAULTLINE_SIMGRID != 0;

/// What a scenario needs to know about a SimGrid platform file.
struct XmlSummary {
  std::uint32_t hosts = 0;  ///< 0: not known
  std::uint32_t cores_per_host = 1;
  double local_latency_s = 0;      ///< of a host's route to itself
  double local_bandwidth_Bps = 0;  ///< of a host's route to itself; 0: it has none
};

/// Inspects a SimGrid platform file for a job of that many nodes. Throws UsageError if SimGrid
/// refuses the file, or if the file has no route between two of the job's nodes.
using XmlInspector = std::function<XmlSummary(const std::string& path, std::uint32_t nodes)>;

/// The inspector of this build; empty without SimGrid. A process reads a file only once, and worker
/// processes inherit what was read when the scenario was checked.
XmlInspector xml_inspector();

/// The routes among the first nodes of a platform file. Throws as the inspector does. Must not be
/// called without SimGrid.
const RouteTable& xml_routes(const std::string& path, std::uint32_t nodes);

}  // namespace faultline::platform
