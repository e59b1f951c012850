// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/core/types.hpp"
#include "sim/platform/machine.hpp"

namespace faultline::engine {

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
};

/// The reference machine as a machine for the engines.
platform::Machine machine_of(const ReferenceMachine& reference);

}  // namespace faultline::engine
