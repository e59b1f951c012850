// SPDX-License-Identifier: Apache-2.0
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

namespace faultline::platform {

/// Speed of every host built here. Computing for t seconds means executing t times this many flops.
inline constexpr double kHostSpeedFlops = 1e9;

/// The "--cfg=KEY:VALUE" options that make an uncontended SimGrid communication take the latency of
/// its route plus size / bandwidth and nothing else, to 1e-6 relative for messages of some
/// microseconds. The source explains why each option is needed. Messages that share a link still
/// get bandwidth in inverse proportion to the latency of their routes: this is SimGrid's model of
/// TCP, which no option turns off.
std::vector<std::string> simgrid_configuration();

/// Makes this process's Engine (SimGrid allows one) with simgrid_configuration() and `more` options
/// of SimGrid's command line. Keeps the handler of SIGINT: SimGrid installs one that prints the
/// state of all actors.
std::unique_ptr<simgrid::s4u::Engine> start_simgrid(const std::vector<std::string>& more);

/// Builds the SimGrid zone of a topology as the root zone of this process's Engine and seals it.
/// Its links are split-duplex, with the machine's hop_latency_s and link_bandwidth_Bps. Each host
/// has a loopback with local_latency_s and local_bandwidth_Bps, which concurrent messages do not
/// share. Overheads, gap_s, nic_latency_s and nic_bandwidth_Bps are not in the zone: the engine
/// charges them. Returns the hosts "node-0" to "node-<nodes - 1>", in that order. Further places of
/// the topology have idle hosts. Throws UsageError as check_topology and check_simgrid_can_hold do.
std::vector<simgrid::s4u::Host*> build_simgrid_zone(const TopologySpec& topology,
                                                    const Machine& machine, std::uint32_t nodes);

}  // namespace faultline::platform
