// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/topology.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline::platform {

namespace {

constexpr std::size_t kMaxDimensions = 6;
constexpr std::uint32_t kMaxDimensionSize = 65536;
constexpr std::uint32_t kMaxDragonflySize = 1023;
constexpr std::uint32_t kMaxGroups = 4096;
constexpr std::uint64_t kMaxPlaces = 1U << 24U;
/// At either of these limits SimGrid takes about a minute to build a dragonfly. It looks for the
/// name of each new node in the zones of all routers.
constexpr std::uint64_t kMaxSimgridRoutes = 1000000;
constexpr std::uint64_t kMaxSimgridLookups = 200000000;

/// Neighbouring torus dimensions share a lookup as long as its table stays within 2 KiB.
constexpr std::uint32_t kLookupBits = 10;

using Sizes = std::vector<std::uint32_t>;

std::uint32_t bits_for(std::uint32_t largest) {
  return static_cast<std::uint32_t>(std::bit_width(largest));
}

/// Number of bits for a coordinate of a torus dimension of size D. a + D - b must fit as well.
std::uint32_t torus_bits(std::uint32_t size) { return bits_for(2 * size - 1); }

std::uint32_t divide_up(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

/// The product of the sizes. It saturates instead of wrapping round, so that absurd sizes are
/// refused.
std::uint64_t product(const Sizes& sizes) {
  std::uint64_t result = 1;
  for (const std::uint32_t size : sizes) {
    result = std::min(result, 2 * kMaxPlaces) * size;
  }
  return result;
}

std::string join(const Sizes& sizes, const char* separator) {
  std::string text;
  for (const std::uint32_t size : sizes) {
    if (!text.empty()) text += separator;
    text += std::to_string(size);
  }
  return text;
}

[[noreturn]] void refuse_topology(const std::string& message) { throw UsageError(message); }

void check_sizes(const Sizes& sizes, const char* what) {
  if (sizes.empty()) refuse_topology(std::string(what) + " must not be empty");
  for (const std::uint32_t size : sizes) {
    if (size == 0)
      refuse_topology(std::string(what) + " must be positive, got " + join(sizes, ", "));
  }
}

void check(const Torus& torus) {
  check_sizes(torus.dimensions, "dimensions of a torus");
  if (torus.dimensions.size() > kMaxDimensions) {
    refuse_topology("a torus has at most 6 dimensions, got " +
                    std::to_string(torus.dimensions.size()));
  }
  std::uint32_t bits = 0;
  for (const std::uint32_t size : torus.dimensions) {
    if (size > kMaxDimensionSize) refuse_topology("a torus dimension is at most 65536");
    bits += torus_bits(size);
  }
  if (bits > 32) refuse_topology("a torus of " + join(torus.dimensions, "x") + " is too large");
}

void check(const FatTree& tree) {
  check_sizes(tree.children, "children of a fat tree");
  check_sizes(tree.parents, "parents of a fat tree");
  check_sizes(tree.links, "links of a fat tree");
  if (tree.parents.size() != tree.children.size() || tree.links.size() != tree.children.size()) {
    refuse_topology("children, parents and links of a fat tree must have one entry for each level");
  }
  std::uint32_t bits = 0;
  for (const std::uint32_t size : tree.children) bits += bits_for(size - 1);
  if (bits > 32) refuse_topology("a fat tree of " + join(tree.children, "x") + " is too large");
}

void check(const Dragonfly& dragonfly) {
  check_sizes({dragonfly.groups, dragonfly.chassis_per_group, dragonfly.routers_per_chassis,
               dragonfly.nodes_per_router, dragonfly.blue_links, dragonfly.black_links,
               dragonfly.green_links},
              "sizes and link counts of a dragonfly");
  if (std::max(dragonfly.chassis_per_group, dragonfly.routers_per_chassis) > kMaxDragonflySize) {
    refuse_topology("chassis_per_group and routers_per_chassis of a dragonfly are at most 1023");
  }
  if (dragonfly.groups > kMaxGroups) {
    refuse_topology("a dragonfly has at most 4096 groups, got " + std::to_string(dragonfly.groups));
  }
}

void check(const Crossbar& crossbar) { check_sizes({crossbar.nodes}, "nodes of a crossbar"); }

Sizes sizes_of(const Torus& torus) { return torus.dimensions; }
Sizes sizes_of(const FatTree& tree) { return tree.children; }
Sizes sizes_of(const Crossbar& crossbar) { return {crossbar.nodes}; }
Sizes sizes_of(const Dragonfly& dragonfly) {
  return {dragonfly.groups, dragonfly.chassis_per_group, dragonfly.routers_per_chassis,
          dragonfly.nodes_per_router};
}

const char* kind_of(const TopologySpec& spec) {
  constexpr std::array<const char*, 4> kNames = {"torus", "fat tree", "dragonfly", "crossbar"};
  return kNames[spec.index()];
}

/// A candidate block of a torus.
struct Box {
  Sizes sizes;
  std::uint64_t volume = 0;
  std::uint32_t diameter = 0;
  std::uint32_t sides = 0;  ///< their sum
};

Box make_box(const Sizes& sizes) {
  Box box{sizes, product(sizes), 0, 0};
  for (const std::uint32_t size : sizes) {
    box.diameter += size / 2;
    box.sides += size;
  }
  return box;
}

/// Calls visit(box) for boxes of at least `nodes` places that fit into `limits`: for every choice
/// of the leading sizes, the one with the least last size that suffices.
template <typename Visit>
void for_each_box(const Sizes& limits, std::uint32_t nodes, const Visit& visit) {
  Sizes sizes(limits.size(), 1);
  const std::size_t last = limits.size() - 1;
  for (;;) {
    sizes[last] = 1;
    sizes[last] = divide_up(nodes, product(sizes));
    if (sizes[last] <= limits[last]) visit(make_box(sizes));
    std::size_t digit = 0;
    while (digit < last && sizes[digit] == limits[digit]) sizes[digit++] = 1;
    if (digit == last) return;
    ++sizes[digit];
  }
}

/// Least volume alone would give a job of 31 nodes a ring of 31, and one of 62 a strip of 2x31. So
/// the diameter is limited as well, by that of the tightest box with up to a quarter more places.
Torus part_of(const Torus& torus, std::uint32_t nodes) {
  std::uint32_t tightest = UINT32_MAX;
  for_each_box(torus.dimensions, nodes, [&](const Box& box) {
    const bool near = 4 * box.volume <= 5 * static_cast<std::uint64_t>(nodes);
    if (near) tightest = std::min(tightest, box.diameter);
  });
  const std::uint64_t widest = tightest == UINT32_MAX ? UINT32_MAX : tightest + tightest / 2;
  std::optional<Box> best;
  const auto order = [](const Box& box) {
    return std::tie(box.volume, box.diameter, box.sides, box.sizes);
  };
  for_each_box(torus.dimensions, nodes, [&](const Box& box) {
    if (box.diameter <= widest && (!best || order(box) < order(*best))) best = box;
  });
  return {best ? best->sizes : torus.dimensions};
}

FatTree part_of(const FatTree& tree, std::uint32_t nodes) {
  FatTree part;
  std::uint32_t members = nodes;
  for (std::size_t level = 0; level < tree.children.size(); ++level) {
    const std::uint32_t children = std::min(members, tree.children[level]);
    part.children.push_back(children);
    part.parents.push_back(tree.parents[level]);
    part.links.push_back(tree.links[level]);
    members = divide_up(members, tree.children[level]);
    if (members == 1) break;
  }
  return part;
}

Dragonfly part_of(const Dragonfly& dragonfly, std::uint32_t nodes) {
  Dragonfly part = dragonfly;
  const std::uint32_t routers = divide_up(nodes, dragonfly.nodes_per_router);
  const std::uint32_t chassis = divide_up(routers, dragonfly.routers_per_chassis);
  part.groups = divide_up(chassis, dragonfly.chassis_per_group);
  if (part.groups > 1) return part;
  part.chassis_per_group = chassis;
  if (chassis > 1) return part;
  part.routers_per_chassis = routers;
  if (routers == 1) part.nodes_per_router = nodes;
  return part;
}

Crossbar part_of(const Crossbar& /*crossbar*/, std::uint32_t nodes) { return {nodes}; }

}  // namespace

void check_topology(const TopologySpec& spec) {
  std::visit([](const auto& topology) { check(topology); }, spec);
  if (places(spec) > kMaxPlaces) {
    refuse_topology(describe(spec) + " has more than " + std::to_string(kMaxPlaces) + " places");
  }
}

void check_simgrid_can_hold(const TopologySpec& spec) {
  const auto* dragonfly = std::get_if<Dragonfly>(&spec);
  if (dragonfly == nullptr) return;
  const std::uint64_t of_group =
      std::uint64_t{dragonfly->chassis_per_group} * dragonfly->routers_per_chassis;
  const std::uint64_t routes = dragonfly->groups * of_group * of_group;
  const std::uint64_t lookups = places(spec) * dragonfly->groups * of_group;
  const auto check_most = [&spec](std::uint64_t count, std::uint64_t most, const char* of_what) {
    if (count <= most) return;
    refuse_topology("engine simgrid cannot hold a " + describe(spec) + ": " + of_what + " are " +
                    std::to_string(count) + ", expected at most " + std::to_string(most) +
                    "; engine loggp has no such limit");
  };
  check_most(routes, kMaxSimgridRoutes, "the routes between routers of its groups");
  check_most(lookups, kMaxSimgridLookups, "its places for nodes times its routers");
}

std::uint64_t places(const TopologySpec& spec) {
  return std::visit([](const auto& topology) { return product(sizes_of(topology)); }, spec);
}

std::uint32_t blue_router(const Dragonfly& dragonfly, std::uint32_t to_group) {
  return to_group % (dragonfly.chassis_per_group * dragonfly.routers_per_chassis);
}

std::string describe(const TopologySpec& spec) {
  const auto sizes = [](const auto& topology) { return join(sizes_of(topology), "x"); };
  return std::string(kind_of(spec)) + " " + std::visit(sizes, spec);
}

TopologySpec partition(const Machine& machine, std::uint32_t nodes, bool whole_machine) {
  check_topology(machine.topology);
  if (nodes == 0) throw UsageError("machine " + machine.name + ": a job needs at least one node");
  if (nodes > machine.nodes || nodes > places(machine.topology)) {
    throw UsageError(
        "machine " + machine.name + ": the job needs " + std::to_string(nodes) +
        " nodes, the machine has " +
        std::to_string(std::min<std::uint64_t>(machine.nodes, places(machine.topology))));
  }
  if (whole_machine || nodes == machine.nodes) return machine.topology;
  const auto part = [nodes](const auto& topology) -> TopologySpec {
    return part_of(topology, nodes);
  };
  return std::visit(part, machine.topology);
}

Topology::Topology(const TopologySpec& spec, double hop_latency_s, double link_bandwidth_Bps)
    : hop_latency_s_(hop_latency_s), link_bandwidth_Bps_(link_bandwidth_Bps) {
  check_topology(spec);
  nodes_ = static_cast<std::uint32_t>(places(spec));
  packed_.reserve(nodes_);
  std::visit([this](const auto& topology) { lay_out(topology); }, spec);
}

Topology::Topology(RouteTable table)
    : nodes_(table.nodes), packed_(std::move(table.route_of)), routes_(std::move(table.routes)) {
  const std::uint64_t pairs = static_cast<std::uint64_t>(nodes_) * nodes_;
  const bool known = std::all_of(packed_.begin(), packed_.end(),
                                 [this](std::uint32_t route) { return route < routes_.size(); });
  if (nodes_ == 0 || packed_.size() != pairs || !known) {
    refuse_topology("a route table needs one known route for each ordered pair of its nodes");
  }
}

std::uint32_t Topology::port(std::uint32_t from, std::uint32_t to) const {
  if (kind_ != Kind::torus) return 0;
  const std::uint32_t offsets = packed_[from] + torus_bias_ - packed_[to];
  for (std::uint32_t dimension = 0; dimension < dimensions_; ++dimension) {
    const Field& field = fields_[dimension];
    const std::uint32_t offset = (offsets >> field.shift) & field.mask;  // from + size - to
    if (offset == field.size) continue;
    const std::uint32_t upwards = (2 * field.size - offset) % field.size;
    return 2 * dimension + (upwards <= field.size / 2 ? 0 : 1);
  }
  return 0;
}

std::size_t Topology::links() const {
  if (kind_ == Kind::torus) return std::size_t{nodes_} * ports();
  return first_blue_link() + blue_routers_.size() * blue_routers_.size();
}

double Topology::least_bandwidth() const {
  if (kind_ != Kind::table) return link_bandwidth_Bps_;
  double narrowest_Bps = std::numeric_limits<double>::infinity();
  for (const Route& route : routes_)
    if (route.hops > 0) narrowest_Bps = std::min(narrowest_Bps, route.bandwidth_Bps);
  return narrowest_Bps;
}

void Topology::lay_out(const Torus& torus) {
  kind_ = Kind::torus;
  std::uint32_t shift = 0;
  std::uint32_t lookup_shift = 0;
  Sizes lookup_sizes;
  for (const std::uint32_t size : torus.dimensions) {
    if (shift + torus_bits(size) - lookup_shift > kLookupBits && !lookup_sizes.empty()) {
      add_lookup(lookup_sizes, lookup_shift);
      lookup_sizes.clear();
      lookup_shift = shift;
    }
    torus_bias_ |= size << shift;
    fields_[dimensions_++] = {shift, (1U << torus_bits(size)) - 1, size};
    lookup_sizes.push_back(size);
    shift += torus_bits(size);
  }
  add_lookup(lookup_sizes, lookup_shift);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    std::uint32_t rest = node;
    std::uint32_t coordinates = 0;
    std::uint32_t field = 0;
    for (const std::uint32_t size : torus.dimensions) {
      coordinates |= (rest % size) << field;
      rest /= size;
      field += torus_bits(size);
    }
    packed_.push_back(coordinates);
  }
}

/// Tabulates the distance along `sizes`, whose fields start at bit `shift`.
void Topology::add_lookup(const Sizes& sizes, std::uint32_t shift) {
  std::uint32_t bits = 0;
  for (const std::uint32_t size : sizes) bits += torus_bits(size);
  const auto entries = static_cast<std::uint32_t>(std::uint64_t{1} << bits);
  lookups_[lookup_count_++] = {shift, entries - 1, static_cast<std::uint32_t>(distance_.size())};
  for (std::uint32_t value = 0; value < entries; ++value) {
    std::uint32_t rest = value;
    std::uint32_t hop_count = 0;
    for (const std::uint32_t size : sizes) {
      const std::uint32_t offset = rest & ((1U << torus_bits(size)) - 1);
      const std::uint32_t away = offset > size ? offset - size : size - offset;
      hop_count += away < size ? std::min(away, size - away) : 0;
      rest >>= torus_bits(size);
    }
    distance_.push_back(static_cast<std::uint16_t>(hop_count));
  }
}

void Topology::lay_out(const FatTree& tree) {
  kind_ = Kind::tree;
  std::uint32_t width = 0;
  for (std::size_t level = 0; level < tree.children.size(); ++level) {
    const std::uint32_t top = width + bits_for(tree.children[level] - 1);
    while (width < top) tree_hops_[++width] = 2 * static_cast<std::uint32_t>(level + 1);
  }
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    std::uint32_t rest = node;
    std::uint32_t label = 0;
    std::uint32_t field = 0;
    for (const std::uint32_t size : tree.children) {
      label |= static_cast<std::uint32_t>(std::uint64_t{rest % size} << field);
      rest /= size;
      field += bits_for(size - 1);
    }
    packed_.push_back(label);
  }
}

void Topology::lay_out(const Crossbar& crossbar) { lay_out(FatTree{{crossbar.nodes}, {1}, {1}}); }

void Topology::lay_out(const Dragonfly& dragonfly) {
  kind_ = Kind::dragonfly;
  constexpr std::uint32_t kBits = DragonflyPlace::kBits;
  chassis_per_group_ = dragonfly.chassis_per_group;
  routers_per_chassis_ = dragonfly.routers_per_chassis;
  const auto place = [&dragonfly](std::uint32_t group, std::uint32_t router) {
    return group << 2 * kBits | router / dragonfly.routers_per_chassis << kBits |
           router % dragonfly.routers_per_chassis;
  };
  const std::uint32_t routers = dragonfly.chassis_per_group * dragonfly.routers_per_chassis;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    const std::uint32_t router = node / dragonfly.nodes_per_router;
    packed_.push_back(place(router / routers, router % routers));
  }
  for (std::uint32_t group = 0; group < dragonfly.groups; ++group) {
    blue_routers_.push_back(place(0, blue_router(dragonfly, group)));
  }
}

}  // namespace faultline::platform
