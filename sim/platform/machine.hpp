#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace faultline {

/// A torus with wrap-around in every dimension; node 0 is (0, 0, ...), the first dimension varies
/// fastest. A dimension of size 1 has no link, one of size 2 has a single full-duplex link.
struct Torus {
  std::vector<std::uint32_t> dimensions;  ///< 1 to 6 sizes, each 1 to 65,536

  bool operator==(const Torus&) const = default;
};

/// A fat tree in SimGrid's terms (an extended generalized fat tree, Zahavi 2010), from the leaf
/// switches (first entry) up to the roots; its nodes are the product of `children`.
struct FatTree {
  std::vector<std::uint32_t> children;  ///< members of the level below that a switch connects
  std::vector<std::uint32_t> parents;   ///< switches of this level that a member below connects to
  std::vector<std::uint32_t> links;     ///< parallel links between a member and its parent

  bool operator==(const FatTree&) const = default;
};

/// A dragonfly in SimGrid's terms (Faanes et al., Cray Cascade, SC'12). A link count multiplies the
/// bandwidth of one link and leaves its latency.
struct Dragonfly {
  std::uint32_t groups = 0;  ///< at most 4,096
  std::uint32_t chassis_per_group = 0;
  std::uint32_t routers_per_chassis = 0;
  std::uint32_t nodes_per_router = 0;
  std::uint32_t blue_links = 1;   ///< between each two groups (rank 3, optical)
  std::uint32_t black_links = 1;  ///< between like routers of two chassis (rank 2)
  std::uint32_t green_links = 1;  ///< between each two routers of a chassis (rank 1)

  bool operator==(const Dragonfly&) const = default;
};

/// A single switch: each node has an up and a down link, so every route has two hops.
struct Crossbar {
  std::uint32_t nodes = 0;

  bool operator==(const Crossbar&) const = default;
};

using TopologySpec = std::variant<Torus, FatTree, Dragonfly, Crossbar>;

/// A machine as the engines need it: how its nodes are connected and what a message costs in LogGP
/// (Alexandrov et al., 1995). Between two nodes an uncontended message of k bytes is handled
///     send_overhead_s + nic_latency_s + hops x hop_latency_s + k / bandwidth + receive_overhead_s
/// after its send began, where bandwidth is the lesser of nic_bandwidth_Bps (which is 1/G) and
/// link_bandwidth_Bps, and hops counts the links of the route. `docs/machines.md` has the
/// conventions; every value's source stands beside it in the machine's JSON file.
struct Machine {
  std::string name;
  std::string description;
  TopologySpec topology;
  std::uint32_t nodes = 0;  ///< usable by jobs; may be fewer than the topology has places
  std::uint32_t cores_per_node = 1;
  std::uint32_t hardware_threads_per_node = 1;
  double send_overhead_s = 0;      ///< o_s: processor time to send one message
  double receive_overhead_s = 0;   ///< o_r: processor time to receive one message
  double gap_s = 0;                ///< g: least time between two messages of a node's NIC
  double nic_bandwidth_Bps = 0;    ///< 1/G: what a node's NIC sustains, per direction
  double nic_latency_s = 0;        ///< the part of L that no hop counts: both NICs together
  double hop_latency_s = 0;        ///< the part of L for each link of the route
  double link_bandwidth_Bps = 0;   ///< of one link, per direction
  double local_latency_s = 0;      ///< in place of L when both processes share a node
  double local_bandwidth_Bps = 0;  ///< through the memory of a node
};

}  // namespace faultline
