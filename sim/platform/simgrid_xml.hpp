#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/topology.hpp"

namespace simgrid::s4u {
class Host;
}

namespace faultline {

/// A host of a user's SimGrid platform file.
struct XmlHost {
  std::string name;
  std::uint32_t cores = 1;
  double speed_flops = 0;
  double local_latency_s = 0;      ///< of the host's route to itself
  double local_bandwidth_Bps = 0;  ///< of the host's route to itself
};

/// What Faultline takes from a SimGrid platform file.
struct XmlPlatform {
  std::vector<XmlHost> hosts;  ///< by name, numbers in names by value: "node-2" before "node-10"
  RouteTable routes;           ///< among the first hosts, as many as were asked for
};

/// The most hosts among which read_platform_xml tabulates routes (all pairs: 64 MB).
inline constexpr std::uint32_t kMaxRoutedHosts = 4096;

/// Reads a SimGrid platform file, with the routes among its first `routed_hosts` hosts; a route is
/// the sum of its links' latencies, their least bandwidth and their number. SimGrid does so in a
/// child process, since it ends its process on an error and never forgets a platform; this one is
/// left untouched, and SimGrid sees nothing of the file but its topology (topology_alone, which may
/// refuse it). Throws UsageError that names the file and quotes SimGrid if it refuses the file, and
/// for a file without hosts, with fewer hosts than asked for or more than kMaxRoutedHosts, for
/// a pair without a route, and for a bandwidth or latency that is no such thing; RunError if this
/// process already runs SimGrid or cannot fork.
XmlPlatform read_platform_xml(const std::string& path, std::uint32_t routed_hosts);

/// Loads the platform into this process's Engine and returns its hosts in the order of
/// read_platform_xml, which must have accepted the file: SimGrid ends this process on an error.
std::vector<simgrid::s4u::Host*> load_platform_xml(const std::string& path);

}  // namespace faultline
