#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/platform/machine.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
}  // namespace simgrid::s4u

namespace faultline {

/// Speed of every host built here: to compute for t seconds is to execute t x this many flops.
inline constexpr double kHostSpeedFlops = 1e9;

/// The "--cfg=KEY:VALUE" options under which an uncontended SimGrid communication takes the latency
/// of its route plus size / bandwidth and nothing else, to 1e-6 relative for messages of some
/// microseconds. Messages that share a link get bandwidth in inverse proportion to the latency of
/// their routes: that is SimGrid's model of TCP, which no option turns off. The source tells why
/// each is needed.
std::vector<std::string> simgrid_configuration();

/// Makes this process's Engine (SimGrid allows one) with that configuration and `more` options of
/// SimGrid's command line. An interrupt goes on meaning what it meant: SimGrid takes SIGINT, and
/// prints the state of all actors when it comes.
std::unique_ptr<simgrid::s4u::Engine> start_simgrid(const std::vector<std::string>& more);

/// Builds the SimGrid zone of a topology as the root zone of this process's Engine and seals it:
/// split-duplex links of the machine's hop_latency_s and
/// link_bandwidth_Bps, and on each host a loopback of local_latency_s and local_bandwidth_Bps that
/// concurrent messages do not share. Overheads, gap_s, nic_latency_s and nic_bandwidth_Bps are not
/// in the zone: the engine charges them.
/// Returns the hosts "node-0" to "node-<nodes - 1>", in that order; the topology's places beyond
/// them hold idle hosts. Throws UsageError as check_topology and check_simgrid_can_hold do.
std::vector<simgrid::s4u::Host*> build_simgrid_zone(const TopologySpec& topology,
                                                    const Machine& machine, std::uint32_t nodes);

}  // namespace faultline
