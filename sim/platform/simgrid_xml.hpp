// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/topology.hpp"

namespace simgrid::s4u {
class Host;
}

namespace faultline::platform {

/// A host of a user's SimGrid platform file.
struct XmlHost {
  std::string name;
  std::uint32_t cores = 1;
  double speed_flops = 0;
  double local_latency_s = 0;      ///< of the host's route to itself
  double local_bandwidth_Bps = 0;  ///< of the host's route to itself; 0: it has none
};

/// What Faultline takes from a SimGrid platform file.
struct XmlPlatform {
  std::vector<XmlHost> hosts;  ///< sorted by name, numbers by value: "node-2" before "node-10"
  RouteTable routes;           ///< among the first `routed_hosts` hosts
};

/// The most hosts among which read_platform_xml tabulates routes (all pairs: 64 MB).
inline constexpr std::uint32_t kMaxRoutedHosts = 4096;

/// Reads a SimGrid platform file, with the routes among its first `routed_hosts` hosts. A route is
/// the sum of its links' latencies, their least bandwidth and their number. SimGrid reads the file
/// in a child process, because it ends its process on an error and never forgets a platform. It
/// gets only the topology of the file (topology_alone, which may refuse it). Throws
///  - UsageError, which names the file and quotes SimGrid, if SimGrid refuses the file;
///  - UsageError if the file has no hosts or fewer than asked for, if more than kMaxRoutedHosts are
///    asked for, if a pair has no route, or if a bandwidth or latency makes no sense;
///  - RunError if this process already runs SimGrid or cannot fork.
XmlPlatform read_platform_xml(const std::string& path, std::uint32_t routed_hosts);

/// Loads the platform into this process's Engine and returns its hosts in the order of
/// read_platform_xml, which must have accepted the file. On an error, SimGrid ends this process.
std::vector<simgrid::s4u::Host*> load_platform_xml(const std::string& path);

}  // namespace faultline::platform
