// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform/machine.hpp"

namespace faultline::platform {

/// The route of a message through the network, without the costs at its two ends.
struct Route {
  double latency_s = 0;      ///< sum over the links
  double bandwidth_Bps = 0;  ///< bandwidth of the narrowest link
  std::uint32_t hops = 0;    ///< number of links; 0 within a node

  bool operator==(const Route&) const = default;
};

/// Routes between all pairs of nodes, for small platforms without a closed form.
struct RouteTable {
  std::uint32_t nodes = 0;
  std::vector<Route> routes;            ///< the different routes
  std::vector<std::uint32_t> route_of;  ///< entry from x nodes + to is an index into `routes`
};

/// Throws UsageError if the sizes do not make a topology: they are missing, zero or too large, or
/// lists differ in length.
void check_topology(const TopologySpec& spec);

/// Throws UsageError if SimGrid would take too long to build a zone of this topology, which must be
/// valid. This is so for a dragonfly with more than a million routes between two routers of one
/// group, or with more than 200 million places times routers.
void check_simgrid_can_hold(const TopologySpec& spec);

/// The number of places for nodes in a topology, which must be valid (check_topology).
std::uint64_t places(const TopologySpec& spec);

/// The router, counted within its group, that has the blue link to another group. Router h leads to
/// group h; if there are more groups than routers in a group, counting starts again at router 0.
std::uint32_t blue_router(const Dragonfly& dragonfly, std::uint32_t to_group);

/// A topology in words, for tables and messages: "torus 8x8x16".
std::string describe(const TopologySpec& spec);

/// The compact part of a machine that a job of `nodes` nodes takes. It is a topology of its own,
/// and its first `nodes` places are the job's nodes 0, 1, ...
///  - torus: a box with wrap-around. Its diameter is at most 1.5 times the least diameter of a box
///    with up to a quarter more places than nodes. Among such boxes it is the one with the fewest
///    places, then the least diameter, then the least sum of sides, then the smaller first sides;
///  - fat tree: the first leaf switches, and what they need of each higher level;
///  - dragonfly: a part of a router, of a chassis or of a group, or else the first whole groups.
/// With `whole_machine`, or for a job of all nodes, it is the machine's own topology. Throws
/// UsageError if `nodes` is 0 or more than the machine has.
TopologySpec partition(const Machine& machine, std::uint32_t nodes, bool whole_machine = false);

/// Routes in closed form. They equal those of the SimGrid zone of the same topology. A call takes a
/// few nanoseconds: it reads the coordinates of both nodes from a table with four bytes per node,
/// without a division or an allocation.
class Topology final {
 public:
  /// Throws UsageError as check_topology does.
  Topology(const TopologySpec& spec, double hop_latency_s, double link_bandwidth_Bps);

  /// Routes from a table. Throws UsageError unless every ordered pair of nodes has a known route.
  explicit Topology(RouteTable table);

  /// The number of places for nodes. There are routes between all of them.
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }

  /// The route between two nodes. From a node to itself it has no hops and no latency.
  [[nodiscard]] Route route(std::uint32_t from, std::uint32_t to) const {
    if (kind_ == Kind::table) return routes_[table_index(from, to)];
    const std::uint32_t hop_count = closed_form_hops(from, to);
    return {hop_count * hop_latency_s_, link_bandwidth_Bps_, hop_count};
  }

  /// The number of links by which messages leave a node: two per dimension of a torus, else one.
  [[nodiscard]] std::uint32_t ports() const { return kind_ == Kind::torus ? 2 * dimensions_ : 1; }

  /// The number of the first link of a route between two different nodes, below ports(). A torus
  /// route starts along the first dimension in which they differ, the shorter way round.
  [[nodiscard]] std::uint32_t port(std::uint32_t from, std::uint32_t to) const;

  /// How many links for_each_link() tells apart, each in one direction.
  [[nodiscard]] std::size_t links() const;

  /// Visits the links of a route between two different nodes by their numbers, below links(). For a
  /// torus or a dragonfly, visits all links, where parallel links are one. Otherwise visits the
  /// first and the last one, since the links between switches are not known. The first ports()
  /// links leave node 0, the next ones node 1, and so on.
  template <class Visit>
  void for_each_link(std::uint32_t from, std::uint32_t to, Visit visit) const {
    if (kind_ == Kind::torus) return for_each_torus_link(from, to, visit);
    visit(std::size_t{from});
    if (kind_ == Kind::dragonfly) for_each_router_link(packed_[from], packed_[to], visit);
    visit(std::size_t{nodes_} + to);
  }

  /// The address that routes from and to a node read first, for prefetching. Useless for routes
  /// from a table.
  [[nodiscard]] const void* place(std::uint32_t node) const { return packed_.data() + node; }

  /// The bandwidth of the narrowest link of any route.
  [[nodiscard]] double least_bandwidth() const;

  [[nodiscard]] std::uint32_t hops(std::uint32_t from, std::uint32_t to) const {
    if (kind_ == Kind::table) return routes_[table_index(from, to)].hops;
    return closed_form_hops(from, to);
  }

 private:
  enum class Kind : std::uint8_t { torus, tree, dragonfly, table };

  /// One step of a torus route: the distance along one or more neighbouring dimensions.
  struct Lookup {
    std::uint32_t shift = 0;
    std::uint32_t mask = 0;
    std::uint32_t offset = 0;  ///< into distance_
  };

  /// Where the coordinate of a torus dimension is in a packed place.
  struct Field {
    std::uint32_t shift = 0;
    std::uint32_t mask = 0;
    std::uint32_t size = 0;
  };

  void lay_out(const Torus& torus);
  void lay_out(const FatTree& tree);
  void lay_out(const Dragonfly& dragonfly);
  void lay_out(const Crossbar& crossbar);
  void add_lookup(const std::vector<std::uint32_t>& sizes, std::uint32_t shift);

  [[nodiscard]] std::size_t table_index(std::uint32_t from, std::uint32_t to) const {
    return packed_[static_cast<std::size_t>(from) * nodes_ + to];
  }

  [[nodiscard]] std::uint32_t closed_form_hops(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t a = packed_[from];
    const std::uint32_t b = packed_[to];
    if (kind_ == Kind::torus) return torus_hops(a, b);
    if (from == to) return 0;
    return kind_ == Kind::tree ? tree_hops(a, b) : dragonfly_hops(a, b);
  }

  /// Each coordinate's field has room for a + D - b, where D is the size of the dimension. So one
  /// subtraction serves all dimensions.
  [[nodiscard]] std::uint32_t torus_hops(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t offsets = a + torus_bias_ - b;
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < lookup_count_; ++i) {
      const Lookup& lookup = lookups_[i];
      sum += distance_[lookup.offset + ((offsets >> lookup.shift) & lookup.mask)];
    }
    return sum;
  }

  /// A route goes along one dimension after another.
  template <class Visit>
  void for_each_torus_link(std::uint32_t from, std::uint32_t to, Visit visit) const {
    const std::uint32_t offsets = packed_[from] + torus_bias_ - packed_[to];
    std::size_t node = from;
    std::size_t stride = 1;
    for (std::uint32_t dimension = 0; dimension < dimensions_; ++dimension) {
      const Field& field = fields_[dimension];
      const std::uint32_t offset = (offsets >> field.shift) & field.mask;  // from + size - to
      const std::uint32_t upwards = (2 * field.size - offset) % field.size;
      const bool goes_up = upwards <= field.size / 2;
      std::uint32_t at = (packed_[from] >> field.shift) & field.mask;
      for (std::uint32_t left = goes_up ? upwards : field.size - upwards; left > 0; --left) {
        visit(node * ports() + std::size_t{2} * dimension + (goes_up ? 0 : 1));
        const std::uint32_t next =
            goes_up ? (at + 1) % field.size : (at + field.size - 1) % field.size;
        node = node + next * stride - at * stride;
        at = next;
      }
      stride *= field.size;
    }
  }

  /// The highest digit in which two leaves differ gives the level at which their routes meet.
  [[nodiscard]] std::uint32_t tree_hops(std::uint32_t a, std::uint32_t b) const {
    return tree_hops_[static_cast<std::size_t>(std::bit_width(a ^ b))];
  }

  /// Minimal routing: to the router with the blue link, over that link, and on from its end. Within
  /// a group, a green link comes before a black one.
  [[nodiscard]] std::uint32_t dragonfly_hops(std::uint32_t a, std::uint32_t b) const {
    const DragonflyPlace from(a);
    const DragonflyPlace to(b);
    if (from.group == to.group) return 2U + router_hops(from, to);
    return 3U + router_hops(from, DragonflyPlace(blue_routers_[to.group])) +
           router_hops(DragonflyPlace(blue_routers_[from.group]), to);
  }

  /// The place of a router, unpacked from the table.
  struct DragonflyPlace {
    explicit DragonflyPlace(std::uint32_t packed)
        : router(packed & kMask), chassis((packed >> kBits) & kMask), group(packed >> 2 * kBits) {}

    static constexpr std::uint32_t kBits = 10;
    static constexpr std::uint32_t kMask = (1U << kBits) - 1;
    std::uint32_t router;
    std::uint32_t chassis;
    std::uint32_t group;
  };

  /// The links between the routers of two nodes, in the order of dragonfly_hops().
  template <class Visit>
  void for_each_router_link(std::uint32_t a, std::uint32_t b, Visit visit) const {
    const DragonflyPlace from(a);
    const DragonflyPlace to(b);
    if (from.group == to.group) return for_each_group_link(from.group, from, to, visit);
    const DragonflyPlace leaves(blue_routers_[to.group]);
    const DragonflyPlace enters(blue_routers_[from.group]);
    for_each_group_link(from.group, from, leaves, visit);
    visit(first_blue_link() + from.group * blue_routers_.size() + to.group);
    for_each_group_link(to.group, enters, to, visit);
  }

  /// The green link, then the black one.
  template <class Visit>
  void for_each_group_link(std::uint32_t group, const DragonflyPlace& from,
                           const DragonflyPlace& to, Visit visit) const {
    const std::size_t routers = routers_per_chassis_;
    const std::size_t chassis = chassis_per_group_;
    if (from.router != to.router)
      visit(2 * std::size_t{nodes_} +
            ((group * chassis + from.chassis) * routers + from.router) * routers + to.router);
    if (from.chassis != to.chassis)
      visit(first_black_link() +
            ((group * routers + to.router) * chassis + from.chassis) * chassis + to.chassis);
  }
  [[nodiscard]] std::size_t first_black_link() const {
    return 2 * std::size_t{nodes_} +
           blue_routers_.size() * chassis_per_group_ * routers_per_chassis_ * routers_per_chassis_;
  }
  [[nodiscard]] std::size_t first_blue_link() const {
    return first_black_link() +
           blue_routers_.size() * routers_per_chassis_ * chassis_per_group_ * chassis_per_group_;
  }

  /// The number of links between two routers of one group.
  [[nodiscard]] static std::uint32_t router_hops(const DragonflyPlace& from,
                                                 const DragonflyPlace& to) {
    return static_cast<std::uint32_t>(from.router != to.router) +
           static_cast<std::uint32_t>(from.chassis != to.chassis);
  }

  Kind kind_ = Kind::table;
  std::uint32_t nodes_ = 0;
  std::uint32_t lookup_count_ = 0;
  std::uint32_t torus_bias_ = 0;
  std::uint32_t dimensions_ = 0;       ///< of a torus
  std::size_t chassis_per_group_ = 0;  ///< of a dragonfly
  std::size_t routers_per_chassis_ = 0;
  double hop_latency_s_ = 0;
  double link_bandwidth_Bps_ = 0;
  std::vector<std::uint32_t> packed_;    ///< coordinates of a node; for tables, the route of a pair
  std::vector<std::uint16_t> distance_;  ///< torus hops for each value of a + D - b
  std::array<Lookup, 6> lookups_{};
  std::array<Field, 6> fields_{};
  std::vector<std::uint32_t> blue_routers_;    ///< dragonfly: by the group to which they lead
  std::array<std::uint32_t, 33> tree_hops_{};  ///< by the number of bits of a xor b
  std::vector<Route> routes_;
};

}  // namespace faultline::platform
