// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simgrid_zone.hpp"

#include <algorithm>
#include <map>
#include <simgrid/s4u.hpp>
#include <utility>
#include <variant>

// These headers are not self-contained: they need what s4u.hpp includes.
#include <simgrid/version.h>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>

#include "sim/core/error.hpp"
#include "sim/core/interrupt.hpp"
#include "sim/platform/topology.hpp"

namespace faultline::platform {

namespace {

namespace sg = simgrid::s4u;

using Coordinates = std::vector<unsigned long>;
using Point = simgrid::kernel::routing::NetPoint;
constexpr auto kDuplex = sg::Link::SharingPolicy::SPLITDUPLEX;

sg::Host* add_host(sg::NetZone* zone, const Machine& machine, unsigned long place);
sg::Link* add_loopback(sg::NetZone* zone, const Machine& machine, unsigned long place);

unsigned levels_of(const FatTree& tree) { return static_cast<unsigned>(tree.children.size()); }

/// The dimensions without those of size 1, which have no link. SimGrid would give each of these a
/// link from a node to itself, and end the process at the second link of the same name.
Coordinates dimensions_of(const Torus& torus) {
  Coordinates dimensions;
  for (const std::uint32_t size : torus.dimensions) {
    if (size > 1) dimensions.push_back(size);
  }
  if (dimensions.empty()) dimensions.push_back(1);
  return dimensions;
}

// These blocks hide the differences between versions of SimGrid. From 4.0 on, zones, hosts and
// links are made by members of their zone, and a zone is filled when it is sealed. Before, zones
// were made by free functions, which filled them at once.
#if SIMGRID_VERSION >= 33400
constexpr const char* kTimePrecision = "precision/timing";
constexpr const char* kWorkPrecision = "precision/work-amount";
#else
constexpr const char* kTimePrecision = "surf/precision";
constexpr const char* kWorkPrecision = "maxmin/precision";
#endif

#if SIMGRID_VERSION >= 40000

sg::NetZone* root() { return sg::Engine::get_instance()->get_netzone_root(); }

sg::Host* make_host(sg::NetZone* zone, const std::string& name) {
  return zone->add_host(name, kHostSpeedFlops);
}

sg::Link* make_link(sg::NetZone* zone, const std::string& name, double bandwidth_Bps) {
  return zone->add_link(name, bandwidth_Bps);
}

const sg::Link* make_duplex_link(sg::NetZone* zone, const std::string& name, const Machine& machine,
                                 std::uint32_t links = 1) {
  auto* link = zone->add_split_duplex_link(name, machine.link_bandwidth_Bps * links);
  return link->set_latency(machine.hop_latency_s)->seal();
}

Point* make_router(sg::NetZone* zone, const std::string& name) { return zone->add_router(name); }

/// Makes the zone within the platform's root if no other zone is given.
sg::NetZone* make_star(const std::string& name, sg::NetZone* within = nullptr) {
  return (within == nullptr ? root() : within)->add_netzone_star(name);
}

sg::NetZone* make_full(const std::string& name, sg::NetZone* within = nullptr) {
  return (within == nullptr ? root() : within)->add_netzone_full(name);
}

void fill(sg::NetZone* zone, const Machine& machine) {
  zone->set_host_cb([&machine](sg::NetZone* within, const Coordinates& /*at*/,
                               unsigned long place) { return add_host(within, machine, place); });
  zone->set_loopback_cb(
      [&machine](sg::NetZone* within, const Coordinates& /*at*/, unsigned long place) {
        return add_loopback(within, machine, place);
      });
  zone->seal();
}

void make_zone(const Torus& torus, const Machine& m) {
  fill(root()->add_netzone_torus("job", dimensions_of(torus), m.link_bandwidth_Bps, m.hop_latency_s,
                                 kDuplex),
       m);
}

void make_zone(const FatTree& tree, const Machine& m) {
  fill(root()->add_netzone_fatTree("job", levels_of(tree), tree.children, tree.parents, tree.links,
                                   m.link_bandwidth_Bps, m.hop_latency_s, kDuplex),
       m);
}

#else

sg::Host* make_host(sg::NetZone* zone, const std::string& name) {
  return zone->create_host(name, kHostSpeedFlops);
}

sg::Link* make_link(sg::NetZone* zone, const std::string& name, double bandwidth_Bps) {
  return zone->create_link(name, bandwidth_Bps);
}

const sg::Link* make_duplex_link(sg::NetZone* zone, const std::string& name, const Machine& machine,
                                 std::uint32_t links = 1) {
  auto* link = zone->create_split_duplex_link(name, machine.link_bandwidth_Bps * links);
  return link->set_latency(machine.hop_latency_s)->seal();
}

Point* make_router(sg::NetZone* zone, const std::string& name) { return zone->create_router(name); }

sg::NetZone* within_zone(sg::NetZone* zone, const sg::NetZone* within) {
  return within == nullptr ? zone : zone->set_parent(within);
}

/// Makes the platform's root if no other zone is given.
sg::NetZone* make_star(const std::string& name, const sg::NetZone* within = nullptr) {
  return within_zone(sg::create_star_zone(name), within);
}

sg::NetZone* make_full(const std::string& name, const sg::NetZone* within = nullptr) {
  return within_zone(sg::create_full_zone(name), within);
}

sg::ClusterCallbacks callbacks(const Machine& machine) {
  const auto host = [&machine](sg::NetZone* zone, const Coordinates& /*at*/, unsigned long place) {
#if SIMGRID_VERSION >= 33500
    return add_host(zone, machine, place);
#else
    return std::make_pair(add_host(zone, machine, place)->get_netpoint(),
                          static_cast<Point*>(nullptr));
#endif
  };
  const auto loopback = [&machine](sg::NetZone* zone, const Coordinates& /*at*/,
                                   unsigned long place) {
    return add_loopback(zone, machine, place);
  };
  return {host, loopback, {}};
}

void make_zone(const Torus& torus, const Machine& m) {
  sg::create_torus_zone("job", nullptr, dimensions_of(torus), callbacks(m), m.link_bandwidth_Bps,
                        m.hop_latency_s, kDuplex)
      ->seal();
}

void make_zone(const FatTree& tree, const Machine& m) {
  const sg::FatTreeParams shape{levels_of(tree), tree.children, tree.parents, tree.links};
  sg::create_fatTree_zone("job", nullptr, shape, callbacks(m), m.link_bandwidth_Bps,
                          m.hop_latency_s, kDuplex)
      ->seal();
}

#endif

std::string host_name(unsigned long place) { return "node-" + std::to_string(place); }

sg::Host* add_host(sg::NetZone* zone, const Machine& machine, unsigned long place) {
  auto* host = make_host(zone, host_name(place));
  host->set_core_count(static_cast<int>(machine.cores_per_node));
  return host->seal();
}

sg::Link* add_loopback(sg::NetZone* zone, const Machine& machine, unsigned long place) {
  auto* link = make_link(zone, "loopback-" + std::to_string(place), machine.local_bandwidth_Bps);
  link->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE);
  return link->set_latency(machine.local_latency_s)->seal();
}

/// The links of a node.
struct NodeLinks {
  const sg::Link* cable;
  const sg::Link* loopback;
};

NodeLinks make_node_links(sg::NetZone* zone, const Machine& machine, unsigned long place) {
  return {make_duplex_link(zone, "link-" + std::to_string(place), machine),
          add_loopback(zone, machine, place)};
}

/// Makes a route of one link in a star, in both directions if it leads to the centre (`to` null).
void add_star_route(const sg::NetZone* zone, const sg::Host* host, const sg::Host* to,
                    const sg::LinkInRoute& link) {
  auto* end = to == nullptr ? nullptr : to->get_netpoint();
  zone->get_impl()->add_route(host->get_netpoint(), end, nullptr, nullptr, {link}, to == nullptr);
}

void add_to_star(sg::NetZone* zone, const Machine& machine, unsigned long place,
                 const NodeLinks& links) {
  const auto* host = add_host(zone, machine, place);
  add_star_route(zone, host, nullptr, sg::LinkInRoute(links.cable, sg::LinkInRoute::Direction::UP));
  add_star_route(zone, host, host, sg::LinkInRoute(links.loopback));
}

/// Makes a star, not a fat tree of one level, in which SimGrid would search the switch's links one
/// by one for a route.
void make_zone(const Crossbar& crossbar, const Machine& machine) {
  auto* zone = make_star("job");
  for (unsigned long place = 0; place < crossbar.nodes; ++place)
    add_to_star(zone, machine, place, make_node_links(zone, machine, place));
  zone->seal();
}

// ---- dragonfly ---------------------------------------------------------------------------------

/// A zone and the router by which routes from others enter it.
struct RouterZone {
  sg::NetZone* zone;
  Point* router;
};

struct GroupZone {
  sg::NetZone* zone;
  std::vector<RouterZone> routers;
};

/// Links between routers of a group, or between groups, by both numbers, the lower first.
using Cables = std::map<std::pair<std::uint32_t, std::uint32_t>, const sg::Link*>;

struct DragonflyLinks {
  std::vector<NodeLinks> nodes;
  std::vector<Cables> within_groups;
  Cables blue;
};

std::uint32_t routers_of_group(const Dragonfly& d) {
  return d.chassis_per_group * d.routers_per_chassis;
}

Cables lay_cables(const Dragonfly& d, const Machine& machine, sg::NetZone* job,
                  const std::string& group) {
  Cables cables;
  for (std::uint32_t a = 0; a < routers_of_group(d); ++a) {
    const std::uint32_t next_chassis = (a / d.routers_per_chassis + 1) * d.routers_per_chassis;
    const std::string name = group + "-link-" + std::to_string(a) + "-";
    const auto lay = [&](std::uint32_t b, std::uint32_t links) {
      cables[{a, b}] = make_duplex_link(job, name + std::to_string(b), machine, links);
    };
    for (std::uint32_t b = a + 1; b < next_chassis; ++b) lay(b, d.green_links);
    for (std::uint32_t b = a + d.routers_per_chassis; b < routers_of_group(d);
         b += d.routers_per_chassis)
      lay(b, d.black_links);
  }
  return cables;
}

std::string group_name(std::uint32_t group) { return "group-" + std::to_string(group); }

/// Makes all links in the outermost zone, before there are other zones: SimGrid looks for the name
/// of each new link in all existing zones.
DragonflyLinks make_links(const Dragonfly& d, const Machine& machine, sg::NetZone* job) {
  DragonflyLinks links;
  for (unsigned long place = 0; place < places(d); ++place)
    links.nodes.push_back(make_node_links(job, machine, place));
  for (std::uint32_t group = 0; group < d.groups; ++group)
    links.within_groups.push_back(lay_cables(d, machine, job, group_name(group)));
  for (std::uint32_t a = 0; a < d.groups; ++a) {
    for (std::uint32_t b = a + 1; b < d.groups; ++b) {
      const std::string name = "blue-" + std::to_string(a) + "-" + std::to_string(b);
      links.blue[{a, b}] = make_duplex_link(job, name, machine, d.blue_links);
    }
  }
  return links;
}

sg::LinkInRoute cable(const Cables& cables, std::uint32_t from, std::uint32_t to) {
  using Direction = sg::LinkInRoute::Direction;
  return from < to ? sg::LinkInRoute(cables.at({from, to}), Direction::UP)
                   : sg::LinkInRoute(cables.at({to, from}), Direction::DOWN);
}

/// The links between two routers of a group: the green one, then the black one.
std::vector<sg::LinkInRoute> way_within_group(const Dragonfly& d, const Cables& cables,
                                              std::uint32_t from, std::uint32_t to) {
  const std::uint32_t turn = from - from % d.routers_per_chassis + to % d.routers_per_chassis;
  std::vector<sg::LinkInRoute> way;
  if (turn != from) way.push_back(cable(cables, from, turn));
  if (turn != to) way.push_back(cable(cables, turn, to));
  return way;
}

RouterZone make_router_zone(const Dragonfly& d, const Machine& machine, sg::NetZone* group,
                            unsigned long router, const std::vector<NodeLinks>& links) {
  const std::string name = "router-" + std::to_string(router);
  RouterZone made{make_star(name + "-nodes", group), nullptr};
  made.router = make_router(made.zone, name);
  // The router is the centre of its star and has no link of its own.
  made.zone->get_impl()->add_route(made.router, nullptr, nullptr, nullptr, {}, true);
  const unsigned long first = router * d.nodes_per_router;
  for (unsigned long place = first; place < first + d.nodes_per_router; ++place)
    add_to_star(made.zone, machine, place, links[place]);
  made.zone->seal();
  return made;
}

GroupZone make_group_zone(const Dragonfly& d, const Machine& machine, sg::NetZone* job,
                          std::uint32_t number, const DragonflyLinks& links) {
  GroupZone group{make_full(group_name(number), job), {}};
  const std::uint32_t routers = routers_of_group(d);
  for (std::uint32_t router = 0; router < routers; ++router)
    group.routers.push_back(make_router_zone(
        d, machine, group.zone, std::uint64_t{number} * routers + router, links.nodes));
  const Cables& cables = links.within_groups[number];
  for (std::uint32_t from = 0; from < routers; ++from) {
    for (std::uint32_t to = 0; to < routers; ++to) {
      if (from == to) continue;
      const RouterZone& a = group.routers[from];
      const RouterZone& b = group.routers[to];
      group.zone->get_impl()->add_route(a.zone->get_netpoint(), b.zone->get_netpoint(), a.router,
                                        b.router, way_within_group(d, cables, from, to), false);
    }
  }
  group.zone->seal();
  return group;
}

/// Makes zones in three levels: a router with its nodes, a group with a route between every two of
/// its routers, and all groups with a route between every two. SimGrid's own dragonfly zone (3.32
/// and 4.1) has two faults. It can have only as many groups as a chassis has routers. And the green
/// link of a route within a group always ends in the group's first chassis.
void make_zone(const Dragonfly& d, const Machine& machine) {
  auto* job = make_full("job");
  const DragonflyLinks links = make_links(d, machine, job);
  std::vector<GroupZone> groups;
  for (std::uint32_t group = 0; group < d.groups; ++group)
    groups.push_back(make_group_zone(d, machine, job, group, links));
  for (std::uint32_t a = 0; a < d.groups; ++a) {
    for (std::uint32_t b = a + 1; b < d.groups; ++b) {
      job->get_impl()->add_route(groups[a].zone->get_netpoint(), groups[b].zone->get_netpoint(),
                                 groups[a].routers[blue_router(d, b)].router,
                                 groups[b].routers[blue_router(d, a)].router,
                                 {cable(links.blue, a, b)}, true);
    }
  }
  job->seal();
}

std::string option(const std::string& key, const std::string& value) {
  return "--cfg=" + key + ":" + value;
}

}  // namespace

std::vector<std::string> simgrid_configuration() {
  return {
      // The default, LV08, multiplies latencies by 13.01 and bandwidths by 0.97 to imitate TCP.
      option("network/model", "CM02"),
      option("network/latency-factor", "1"),
      option("network/bandwidth-factor", "1"),
      // A TCP window limits the rate to window / (2 x latency), so it must be huge. With 0 there
      // would be no limit, but SimGrid also takes the lesser of 0 and the rate set for a message,
      // which then would have no limit either.
      option("network/TCP-gamma", "1e30"),
      // Messages that share a link get bandwidth in inverse proportion to the latency of their
      // routes. This option would increase that latency for each link.
      option("network/weight-S", "0"),
      // Acknowledgements of traffic in the other direction would slow messages down.
      option("network/crosstraffic", "0"),
      // Two hosts without a route to themselves use this implicit loopback.
      option("network/loopback-lat", "0"),
      // Events closer than this are merged. The default, 1e-9, is a thousandth of a message here.
      // A value below 1e-13 would be less than the rounding of a clock at 1,000 s.
      option(kTimePrecision, "1e-13"),
      // What SimGrid takes for zero when it shares bandwidth: a part of a link's bandwidth, or a
      // sum of 1 / latency from which all messages of a link have been subtracted. The sums reach
      // 1e9, and their rounding errors must stay below this value; else SimGrid would look for a
      // message in an empty link and crash. Multiplied by the precision above, it decides when a
      // message has ended.
      option(kWorkPrecision, "1e-4"),
  };
}

std::unique_ptr<sg::Engine> start_simgrid(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"faultline"};
  for (std::string& option : simgrid_configuration()) words.push_back(std::move(option));
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  const InterruptHandlerKept kept;
  return std::make_unique<sg::Engine>(&argc, argv.data());
}

std::vector<sg::Host*> build_simgrid_zone(const TopologySpec& topology, const Machine& machine,
                                          std::uint32_t nodes) {
  check_topology(topology);
  check_simgrid_can_hold(topology);
  if (nodes > places(topology)) {
    throw UsageError(describe(topology) + " has no place for " + std::to_string(nodes) + " nodes");
  }
  std::visit([&machine](const auto& shape) { make_zone(shape, machine); }, topology);
  const auto* engine = sg::Engine::get_instance();
  engine->seal_platform();
  // Asking SimGrid for hosts by name is slower: it searches one zone after another for each.
  std::map<std::string, sg::Host*> by_name;
  for (sg::Host* host : engine->get_all_hosts()) by_name[host->get_name()] = host;
  std::vector<sg::Host*> hosts;
  hosts.reserve(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) hosts.push_back(by_name.at(host_name(node)));
  return hosts;
}

}  // namespace faultline::platform
