// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/platform/machine.hpp"

namespace faultline::engine {

/// What messages longer than some size take on top of the machine's times.
struct ReferenceSurcharge {
  std::uint32_t beyond_bytes = 0;
  double send_s = 0;
  double receive_s = 0;
  double latency_s = 0;
  double byte_s = 0;  ///< for each byte, beside its time on the first link or in memory
};

/// What a reference knows of a machine: LogGP's parameters, and a ring of nodes or a crossbar.
struct ReferenceMachine {
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
  double gap_s = 0;
  double nic_Bps = 1;
  double nic_latency_s = 0;
  double hop_latency_s = 0;
  double link_Bps = 1;
  double local_latency_s = 0;
  double local_Bps = 1;
  std::uint32_t nodes = 2;
  std::uint32_t processes_per_node = 1;
  bool ring = false;  ///< else a crossbar
  /// Each holds up to the size of the next one. Messages that are not longer than the first size
  /// take what the machine's times say.
  std::vector<ReferenceSurcharge> surcharges, local_surcharges;

  [[nodiscard]] std::uint32_t node_of(Rank rank) const { return rank / processes_per_node; }
  [[nodiscard]] std::uint32_t upwards(Rank from, Rank to) const {
    return (node_of(to) + nodes - node_of(from)) % nodes;
  }
  /// Does a message leave its node by the first link? A node of a ring has a second one.
  [[nodiscard]] bool leaves_upwards(Rank from, Rank to) const {
    return !ring || upwards(from, to) <= nodes / 2;
  }
  [[nodiscard]] double latency_s(Rank from, Rank to) const {
    const std::uint32_t up = upwards(from, to);
    return nic_latency_s + (ring ? std::min(up, nodes - up) : 2) * hop_latency_s;
  }
  /// What a message takes on top.
  [[nodiscard]] ReferenceSurcharge on_top(Rank from, Rank to, std::uint32_t bytes) const {
    ReferenceSurcharge last;
    for (const ReferenceSurcharge& one :
         node_of(from) == node_of(to) ? local_surcharges : surcharges)
      if (bytes > one.beyond_bytes) last = one;
    return last;
  }
};

/// The reference machine as a machine for the engines.
platform::Machine machine_of(const ReferenceMachine& reference);

}  // namespace faultline::engine
