// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace faultline::platform {

/// A torus with wrap-around in every dimension. Node 0 is (0, 0, ...), and the first coordinate
/// varies fastest. A dimension of size 1 has no links. In one of size 2, a single full-duplex link
/// connects the two nodes.
struct Torus {
  std::vector<std::uint32_t> dimensions;  ///< 1 to 6 sizes, each 1 to 65,536

  bool operator==(const Torus&) const = default;
};

/// A fat tree in SimGrid's terms (an extended generalized fat tree, Zahavi 2010). Each list has one
/// entry per level, from the leaf switches up to the roots. The number of nodes is the product of
/// `children`.
struct FatTree {
  std::vector<std::uint32_t> children;  ///< members of the level below that a switch connects
  std::vector<std::uint32_t> parents;   ///< switches of this level that a member below connects to
  std::vector<std::uint32_t> links;     ///< parallel links between a member and its parent

  bool operator==(const FatTree&) const = default;
};

/// A dragonfly in SimGrid's terms (Faanes et al., Cray Cascade, SC'12). Parallel links act as one
/// link with that multiple of the bandwidth and the same latency.
struct Dragonfly {
  std::uint32_t groups = 0;  ///< at most 4,096
  std::uint32_t chassis_per_group = 0;
  std::uint32_t routers_per_chassis = 0;
  std::uint32_t nodes_per_router = 0;
  std::uint32_t blue_links = 1;   ///< between every two groups (rank 3, optical)
  std::uint32_t black_links = 1;  ///< between routers at the same place of two chassis (rank 2)
  std::uint32_t green_links = 1;  ///< between every two routers of a chassis (rank 1)

  bool operator==(const Dragonfly&) const = default;
};

/// A single switch: each node has an up and a down link, so every route has two hops.
struct Crossbar {
  std::uint32_t nodes = 0;

  bool operator==(const Crossbar&) const = default;
};

using TopologySpec = std::variant<Torus, FatTree, Dragonfly, Crossbar>;

/// What a message costs that has so many bytes or more, up to where the next range of sizes begins.
struct MessageCost {
  std::uint64_t from_bytes = 0;
  double send_overhead_s = 0;     ///< o_s: processor time to send one message
  double receive_overhead_s = 0;  ///< o_r: processor time to receive one message
  double latency_s = 0;           ///< the part of L outside the links
  double byte_s = 0;              ///< time for each byte, at least that of the NIC and the links

  bool operator==(const MessageCost&) const = default;
};

/// A machine as the engines need it: how its nodes are connected, and what a message costs in LogGP
/// (Alexandrov et al., 1995). An uncontended message of k bytes between two nodes is handled
///     send_overhead_s + nic_latency_s + hops x hop_latency_s + k / bandwidth + receive_overhead_s
/// after its send began. There, hops is the number of links of the route, and bandwidth is the
/// lesser of nic_bandwidth_Bps (1/G) and link_bandwidth_Bps. Where a machine states its costs by
/// size, those of the range of k take the place of the overheads, of nic_latency_s and, if byte_s
/// is more, of 1 / bandwidth. `docs/machines.md` has the conventions. The machine's JSON file
/// states the source of each value.
struct Machine {
  std::string name;
  std::string description;
  TopologySpec topology;
  std::uint32_t nodes = 0;  ///< nodes that jobs can use; the topology may have more places
  std::uint32_t cores_per_node = 1;
  std::uint32_t hardware_threads_per_node = 1;
  double send_overhead_s = 0;      ///< o_s: processor time to send one message
  double receive_overhead_s = 0;   ///< o_r: processor time to receive one message
  double gap_s = 0;                ///< g: least time between two messages of a node's NIC
  double nic_bandwidth_Bps = 0;    ///< 1/G: bandwidth that a node's NIC sustains, per direction
  double nic_latency_s = 0;        ///< the part of L outside the links: both NICs together
  double hop_latency_s = 0;        ///< the part of L for each link of the route
  double link_bandwidth_Bps = 0;   ///< bandwidth of one link, per direction
  double local_latency_s = 0;      ///< replaces L between processes of the same node
  double local_bandwidth_Bps = 0;  ///< bandwidth between processes of the same node
  double memory_per_node_B = 0;    ///< 0 if not known; used only for warnings
  /// Costs between nodes by size, the first from 0 bytes on; none: they are the same at all sizes.
  std::vector<MessageCost> costs = {};
  /// Costs within a node by size: some if `costs` has some, and local_latency_s is the least.
  std::vector<MessageCost> local_costs = {};
};

}  // namespace faultline::platform
