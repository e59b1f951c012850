#pragma once

#include "sim/platform/machine.hpp"
#include "sim/platform/topology.hpp"

namespace faultline {

/// What an unloaded network does to one message.
struct Transit {
  double latency_s;
  double transfer_s;      ///< size over the bandwidth of the narrowest part
  double nic_occupied_s;  ///< LogGP's k G and g: how long the next message waits for the NIC
  bool local;             ///< within one node
};

/// A message within a node.
inline Transit local_transit(const Machine& machine, double bytes) {
  return {machine.local_latency_s, bytes / machine.local_bandwidth_Bps, 0.0, true};
}

/// A message between two nodes. The NIC is occupied as LogGP has it: (k - 1) G for the bytes of a
/// message, and g until the next one can begin. G is the NIC's, also where a link is narrower: a
/// NIC with six links feeds them all.
inline Transit transit_over(const Route& route, const Machine& machine, double bytes) {
  const double nic_s = bytes / machine.nic_bandwidth_Bps;
  const bool narrow = route.bandwidth_Bps < machine.nic_bandwidth_Bps;
  return {machine.nic_latency_s + route.latency_s, narrow ? bytes / route.bandwidth_Bps : nic_s,
          machine.gap_s + nic_s, false};
}

/// Half of a ping-pong between two nodes over that route, as MPI benchmarks report it, on an
/// otherwise idle machine.
inline double half_round_trip_s(const Route& route, const Machine& machine, double bytes) {
  const Transit transit = transit_over(route, machine, bytes);
  return machine.send_overhead_s + transit.transfer_s + transit.latency_s +
         machine.receive_overhead_s;
}

}  // namespace faultline
