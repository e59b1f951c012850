// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

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

/// Does the machine state what messages cost by their size?
inline bool has_costs_by_size(const Machine& machine) { return !machine.costs.empty(); }

/// The costs of the range of sizes that the message is in. There are some.
inline const MessageCost& cost_of(const std::vector<MessageCost>& costs, double bytes) {
  std::size_t range = 0;
  while (range + 1 < costs.size() && static_cast<double>(costs[range + 1].from_bytes) <= bytes)
    ++range;
  return costs[range];
}

/// The costs of a message of a machine that states them by size.
inline const MessageCost& cost_of(const Machine& machine, double bytes, bool local) {
  return cost_of(local ? machine.local_costs : machine.costs, bytes);
}

/// Processor time to send a message.
inline double send_overhead_s(const Machine& machine, double bytes, bool local) {
  return has_costs_by_size(machine) ? cost_of(machine, bytes, local).send_overhead_s
                                    : machine.send_overhead_s;
}

/// Processor time to receive a message.
inline double receive_overhead_s(const Machine& machine, double bytes, bool local) {
  return has_costs_by_size(machine) ? cost_of(machine, bytes, local).receive_overhead_s
                                    : machine.receive_overhead_s;
}

/// The latency outside the links of a message whose bytes pass its route in transfer_s. Where its
/// bytes take longer than that, MPI copies them or negotiates, which occupies neither NIC nor link.
inline double latency_by_size_s(const MessageCost& cost, double bytes, double transfer_s) {
  return cost.latency_s + std::max(0.0, bytes * cost.byte_s - transfer_s);
}

/// The times of a message within a node.
inline Transit local_transit(const Machine& machine, double bytes) {
  const double transfer_s = bytes / machine.local_bandwidth_Bps;
  if (!has_costs_by_size(machine)) [[likely]]
    return {machine.local_latency_s, transfer_s, 0.0, true};
  const MessageCost& cost = cost_of(machine.local_costs, bytes);
  return {latency_by_size_s(cost, bytes, transfer_s), transfer_s, 0.0, true};
}

/// The times of a message between two nodes. The NIC is occupied k G for the bytes of the message
/// (LogGP has (k - 1) G, a byte less), and g until the next message can begin. G is the NIC's even
/// if a link is narrower, because a NIC with six links can feed them all.
inline Transit transit_over(const Route& route, const Machine& machine, double bytes) {
  const double nic_s = bytes / machine.nic_bandwidth_Bps;
  const bool narrow = route.bandwidth_Bps < machine.nic_bandwidth_Bps;
  const double transfer_s = narrow ? bytes / route.bandwidth_Bps : nic_s;
  if (!has_costs_by_size(machine)) [[likely]]
    return {machine.nic_latency_s + route.latency_s, transfer_s, machine.gap_s + nic_s, false};
  const MessageCost& cost = cost_of(machine.costs, bytes);
  return {latency_by_size_s(cost, bytes, transfer_s) + route.latency_s, transfer_s,
          machine.gap_s + nic_s, false};
}

/// Half the time of a ping-pong between two nodes over that route on an otherwise idle machine, as
/// MPI benchmarks report it.
inline double half_round_trip_s(const Route& route, const Machine& machine, double bytes) {
  const Transit transit = transit_over(route, machine, bytes);
  return send_overhead_s(machine, bytes, false) + transit.transfer_s + transit.latency_s +
         receive_overhead_s(machine, bytes, false);
}

/// Half the time of a ping-pong within a node.
inline double local_half_round_trip_s(const Machine& machine, double bytes) {
  const Transit transit = local_transit(machine, bytes);
  return send_overhead_s(machine, bytes, true) + transit.transfer_s + transit.latency_s +
         receive_overhead_s(machine, bytes, true);
}

/// The least that a message of any size takes of its sender's processor, if it goes to another
/// node.
inline double least_send_overhead_s(const Machine& machine) {
  if (!has_costs_by_size(machine)) return machine.send_overhead_s;
  double least_s = machine.costs.front().send_overhead_s;
  for (const MessageCost& cost : machine.costs) least_s = std::min(least_s, cost.send_overhead_s);
  return least_s;
}

/// The least that a message of any size takes of its receiver's processor.
inline double least_receive_overhead_s(const Machine& machine) {
  if (!has_costs_by_size(machine)) return machine.receive_overhead_s;
  double least_s = machine.costs.front().receive_overhead_s;
  for (const auto* costs : {&machine.costs, &machine.local_costs})
    for (const MessageCost& cost : *costs) least_s = std::min(least_s, cost.receive_overhead_s);
  return least_s;
}

}  // namespace faultline::platform
