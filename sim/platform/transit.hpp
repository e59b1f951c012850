// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/platform/machine.hpp"
#include "sim/platform/topology.hpp"

namespace faultline::platform {

/// The times that one message takes in an unloaded network.
struct Transit {
  double latency_s;
  double transfer_s;      ///< size divided by the bandwidth of the narrowest part
  double nic_occupied_s;  ///< LogGP's k G and g: how long the next message waits for the NIC
  bool local;             ///< true within one node
};

/// The times of a message within a node.
inline Transit local_transit(const Machine& machine, double bytes) {
  return {machine.local_latency_s, bytes / machine.local_bandwidth_Bps, 0.0, true};
}

/// The times of a message between two nodes. The NIC is occupied k G for the bytes of the message
/// (LogGP has (k - 1) G, a byte less), and g until the next message can begin. G is the NIC's even
/// if a link is narrower, because a NIC with six links can feed them all.
inline Transit transit_over(const Route& route, const Machine& machine, double bytes) {
  const double nic_s = bytes / machine.nic_bandwidth_Bps;
  const bool narrow = route.bandwidth_Bps < machine.nic_bandwidth_Bps;
  return {machine.nic_latency_s + route.latency_s, narrow ? bytes / route.bandwidth_Bps : nic_s,
          machine.gap_s + nic_s, false};
}

/// Half the time of a ping-pong between two nodes over that route on an otherwise idle machine, as
/// MPI benchmarks report it.
inline double half_round_trip_s(const Route& route, const Machine& machine, double bytes) {
  const Transit transit = transit_over(route, machine, bytes);
  return machine.send_overhead_s + transit.transfer_s + transit.latency_s +
         machine.receive_overhead_s;
}

}  // namespace faultline::platform
