// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <simgrid/s4u.hpp>
#include <sstream>

#include "sim/platform/simgrid_actor.hpp"
#include "sim/platform/simgrid_zone.hpp"
#include "sim/platform/topology.hpp"
#include "tests/platform/in_child.hpp"

namespace faultline::platform {
namespace {

namespace sg = simgrid::s4u;

Machine test_machine() {
  Machine machine;
  machine.hop_latency_s = 1e-7;
  machine.link_bandwidth_Bps = 425e6;
  machine.local_latency_s = 3e-7;
  machine.local_bandwidth_Bps = 15e9;
  machine.cores_per_node = 4;
  return machine;
}

/// Only ever called in a child, which ends without destroying the engine.
void start_engine(const std::vector<std::string>& more = {}) {
  std::vector<std::string> options = {"--log=xbt_cfg.thres:warning", "--cfg=contexts/stack-size:64",
                                      "--cfg=contexts/guard-size:0"};
  options.insert(options.end(), more.begin(), more.end());
  static std::unique_ptr<sg::Engine> engine;
  engine = start_simgrid(options);
}

Route simgrid_route(const sg::Host* from, const sg::Host* to) {
  std::vector<sg::Link*> links;
  Route route{0, std::numeric_limits<double>::infinity(), 0};
  from->route_to(to, links, &route.latency_s);
  for (const auto* link : links) {
    route.bandwidth_Bps = std::min(route.bandwidth_Bps, link->get_bandwidth());
  }
  route.hops = static_cast<std::uint32_t>(links.size());
  return route;
}

/// SimGrid adds latencies link by link, which rounds differently from one product.
bool equal_routes(const Route& a, const Route& b) {
  return a.hops == b.hops && a.bandwidth_Bps == b.bandwidth_Bps &&
         std::fabs(a.latency_s - b.latency_s) <= 1e-13 * b.latency_s;
}

/// Compares the closed form with the zone: all pairs of a small one, else 4,000 random pairs.
std::string compare_routes(const TopologySpec& spec) {
  start_engine();
  const Machine machine = test_machine();
  const Topology topology(spec, machine.hop_latency_s, machine.link_bandwidth_Bps);
  const std::uint32_t nodes = topology.nodes();
  const auto hosts = build_simgrid_zone(spec, machine, nodes);
  std::mt19937 random(11);
  std::uniform_int_distribution<std::uint32_t> any_node(0, nodes - 1);
  const bool all_pairs = nodes <= 64;
  const std::uint32_t pairs = all_pairs ? nodes * nodes : 4000;
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    const std::uint32_t from = all_pairs ? pair / nodes : any_node(random);
    const std::uint32_t to = all_pairs ? pair % nodes : any_node(random);
    const Route expected = from == to ? Route{3e-7, 15e9, 1} : topology.route(from, to);
    const Route route = simgrid_route(hosts[from], hosts[to]);
    if (equal_routes(route, expected)) continue;
    std::ostringstream finding;
    finding << from << " to " << to << ": SimGrid " << route.hops << " hops, " << route.latency_s
            << " s, " << route.bandwidth_Bps << " B/s; closed form " << expected.hops << ", "
            << expected.latency_s << ", " << expected.bandwidth_Bps;
    return finding.str();
  }
  return "";
}

TEST_CASE("torus routes equal those of the SimGrid zone") {
  const auto dimensions = GENERATE(values<std::vector<std::uint32_t>>({{1},
                                                                       {2},
                                                                       {5},
                                                                       {8},
                                                                       {1, 1, 1},
                                                                       {1, 2, 3},
                                                                       {2, 2, 2},
                                                                       {4, 1, 4},
                                                                       {7, 9},
                                                                       {8, 8, 8},
                                                                       {16, 8, 8},
                                                                       {9, 11, 13},
                                                                       {4, 4, 4, 4, 2},
                                                                       {3, 2, 5, 1, 7},
                                                                       {2, 3, 4, 3, 2, 3}}));
  CAPTURE(dimensions);
  CHECK(in_child([&] { return compare_routes(Torus{dimensions}); }) == "");
}

TEST_CASE("fat tree routes equal those of the SimGrid zone") {
  const auto tree = GENERATE(values<FatTree>({{{1}, {1}, {1}},
                                              {{66}, {1}, {1}},
                                              {{20, 2}, {1, 8}, {1, 2}},
                                              {{4, 4}, {1, 2}, {1, 2}},
                                              {{4, 1, 3}, {1, 2, 1}, {1, 1, 2}},
                                              {{3, 5, 4}, {1, 2, 3}, {1, 3, 1}},
                                              {{2, 3, 2, 3}, {1, 2, 1, 2}, {1, 2, 1, 1}},
                                              {{20, 9, 4}, {1, 8, 18}, {1, 2, 1}}}));
  CAPTURE(describe(tree));
  CHECK(in_child([&] { return compare_routes(tree); }) == "");
}

TEST_CASE("dragonfly routes equal those of the SimGrid zone, whatever the link counts") {
  const auto shape = GENERATE(values<std::vector<std::uint32_t>>({{1, 1, 1, 1},
                                                                  {1, 1, 1, 4},
                                                                  {1, 1, 5, 2},
                                                                  {1, 3, 4, 2},
                                                                  {4, 1, 4, 1},
                                                                  {3, 3, 4, 2},
                                                                  {7, 1, 3, 2},
                                                                  {5, 3, 2, 2},
                                                                  {13, 2, 3, 1},
                                                                  {7, 6, 16, 4},
                                                                  {30, 3, 8, 2}}));
  const auto links = GENERATE(values<std::uint32_t>({1, 3}));
  const Dragonfly dragonfly{.groups = shape[0],
                            .chassis_per_group = shape[1],
                            .routers_per_chassis = shape[2],
                            .nodes_per_router = shape[3],
                            .blue_links = links + 1,
                            .black_links = links,
                            .green_links = 1};
  CAPTURE(describe(dragonfly), links);
  CHECK(in_child([&] { return compare_routes(dragonfly); }) == "");
}

TEST_CASE("the links of a dragonfly are as wide as their counts say") {
  const Dragonfly dragonfly{.groups = 2,
                            .chassis_per_group = 2,
                            .routers_per_chassis = 2,
                            .nodes_per_router = 1,
                            .blue_links = 5,
                            .black_links = 3,
                            .green_links = 2};
  CHECK(in_child([&] {
          start_engine();
          const auto hosts = build_simgrid_zone(dragonfly, test_machine(), 8);
          // From router 0 of chassis 1: up, green, black, blue, green, black, down.
          std::vector<sg::Link*> links;
          double latency_s = 0;
          hosts[2]->route_to(hosts[7], links, &latency_s);
          std::vector<double> widths;
          widths.reserve(links.size());
          for (const auto* link : links) widths.push_back(link->get_bandwidth() / 425e6);
          const std::vector<double> expected{1, 2, 3, 5, 2, 3, 1};
          return widths == expected ? std::string() : "widths of " + std::to_string(widths.size());
        }) == "");
}

TEST_CASE("crossbar routes equal those of the SimGrid zone") {
  const auto nodes = GENERATE(values<std::uint32_t>({1, 2, 66, 1000}));
  CAPTURE(nodes);
  CHECK(in_child([&] { return compare_routes(Crossbar{nodes}); }) == "");
}

TEST_CASE("the zone's hosts have the machine's cores and places beyond the job stay idle") {
  CHECK(in_child([] {
          start_engine();
          const auto hosts = build_simgrid_zone(Torus{{3, 3, 3}}, test_machine(), 20);
          if (hosts.size() != 20) return std::string("not 20 hosts");
          for (std::size_t node = 0; node < hosts.size(); ++node) {
            if (hosts[node]->get_name() != "node-" + std::to_string(node)) {
              return "host " + std::to_string(node) + " is " + hosts[node]->get_name();
            }
            if (hosts[node]->get_core_count() != 4) return std::string("not 4 cores");
            if (hosts[node]->get_speed() != kHostSpeedFlops) return std::string("another speed");
          }
          return std::string();
        }) == "");
}

struct Timing {
  double elapsed_s;
  double bytes;
};

double worst_relative_error(const std::vector<Timing>& timings, const Route& route) {
  double worst = timings.empty() ? 1.0 : 0.0;
  for (const Timing& timing : timings) {
    const double expected_s = route.latency_s + timing.bytes / route.bandwidth_Bps;
    worst = std::max(worst, std::fabs(timing.elapsed_s - expected_s) / expected_s);
  }
  return worst;
}

std::string judge(double worst, double tolerance) {
  return worst <= tolerance ? "" : "relative error " + std::to_string(worst);
}

/// Sends messages of `sizes` one after another, the first at `start_s`.
std::vector<Timing> time_messages(sg::Host* from, sg::Host* to, double start_s,
                                  const std::vector<std::uint64_t>& sizes) {
  std::vector<Timing> timings;
  start_actor("sender", from, [&] {
    sg::this_actor::sleep_until(start_s);
    for (const std::uint64_t bytes : sizes) {
      int payload = 0;
      const double begin_s = sg::Engine::get_clock();
      sg::Mailbox::by_name("box")->put(&payload, bytes);
      timings.push_back({sg::Engine::get_clock() - begin_s, static_cast<double>(bytes)});
    }
  });
  start_actor("receiver", to, [&sizes] {
    for (std::size_t i = 0; i < sizes.size(); ++i) sg::Mailbox::by_name("box")->get<int>();
  });
  sg::Engine::get_instance()->run();
  return timings;
}

const std::vector<std::uint64_t> kSizes = {0, 1, 8, 16, 64, 100, 1000, 10000, 1000000, 100000000};

TEST_CASE("an uncontended message takes its route's latency plus size over bandwidth") {
  const auto start_s = GENERATE(values<double>({0, 1, 37.123456789, 777.7}));
  CHECK(in_child([&] {
          start_engine();
          const auto hosts = build_simgrid_zone(Torus{{4, 3, 2}}, test_machine(), 24);
          const Topology topology(Torus{{4, 3, 2}}, 1e-7, 425e6);
          const auto timings = time_messages(hosts[0], hosts[18], start_s, kSizes);
          return judge(worst_relative_error(timings, topology.route(0, 18)), 1e-6);
        }) == "");
}

TEST_CASE("a message within a node takes the loopback's latency plus size over bandwidth") {
  const auto spec = GENERATE(values<TopologySpec>(
      {Torus{{2, 2}}, FatTree{{4}, {1}, {1}}, Crossbar{4},
       Dragonfly{
           .groups = 1, .chassis_per_group = 1, .routers_per_chassis = 2, .nodes_per_router = 2}}));
  CHECK(in_child([&] {
          start_engine();
          const auto hosts = build_simgrid_zone(spec, test_machine(), 4);
          const auto timings = time_messages(hosts[1], hosts[1], 0, kSizes);
          return judge(worst_relative_error(timings, Route{3e-7, 15e9, 1}), 1e-6);
        }) == "");
}

/// Every node exchanges messages of random sizes with its neighbour at random times, all at once:
/// no link is shared, but thousands of events interleave. Returns the worst relative error.
double exchange(const std::vector<std::string>& options) {
  constexpr std::uint32_t kNodes = 256;
  start_engine(options);
  const auto hosts = build_simgrid_zone(Torus{{8, 8, 4}}, test_machine(), kNodes);
  const Route route = Topology(Torus{{8, 8, 4}}, 1e-7, 425e6).route(0, 1);
  std::vector<Timing> timings;
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    start_actor("sender", hosts[node], [node, &timings] {
      std::mt19937 random(node);
      auto* box = sg::Mailbox::by_name("box-" + std::to_string(node ^ 1U));
      int payload = 0;
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t bytes = random() % 2000;
        sg::this_actor::sleep_for(static_cast<double>(random() % 1000) * 3.3e-9);
        const double begin_s = sg::Engine::get_clock();
        box->put(&payload, bytes);
        timings.push_back({sg::Engine::get_clock() - begin_s, static_cast<double>(bytes)});
      }
    });
    start_actor("receiver", hosts[node], [node] {
      for (int i = 0; i < 20; ++i) sg::Mailbox::by_name("box-" + std::to_string(node))->get<int>();
    });
  }
  sg::Engine::get_instance()->run();
  return worst_relative_error(timings, route);
}

TEST_CASE("messages that share no link do not disturb each other's times") {
  CHECK(in_child([] { return judge(exchange({}), 1e-6); }) == "");
}

TEST_CASE("SimGrid's own precision would not do: it merges events of a nanosecond") {
  const std::string precision = simgrid_configuration()[simgrid_configuration().size() - 2];
  const std::string key = precision.substr(0, precision.rfind(':'));
  CHECK(in_child([&key] { return judge(exchange({key + ":1e-9"}), 1e-6); }) != "");
}

TEST_CASE("no TCP window bounds the rate over long links") {
  CHECK(in_child([] {
          start_engine();
          Machine machine = test_machine();
          machine.hop_latency_s = 0.01;
          const auto hosts = build_simgrid_zone(Torus{{4}}, machine, 4);
          const auto timings = time_messages(hosts[0], hosts[2], 0, kSizes);
          return judge(worst_relative_error(timings, Route{0.02, 425e6, 2}), 1e-6);
        }) == "");
}

/// A message of 10 ms of link time from one node to another of a ring of eight; `end_s` is when it
/// has arrived.
void send_on_ring(const std::vector<sg::Host*>& hosts, std::size_t from, std::size_t to,
                  double& end_s) {
  const std::string box = "box-" + std::to_string(from);
  start_actor("sender", hosts[from], [box] {
    int payload = 0;
    sg::Mailbox::by_name(box)->put(&payload, 4250000);
  });
  start_actor("receiver", hosts[to], [box, &end_s] {
    sg::Mailbox::by_name(box)->get<int>();
    end_s = sg::Engine::get_clock();
  });
}

TEST_CASE("messages share a link in inverse proportion to their routes' latencies") {
  struct Second {
    std::size_t from, to;
    double first_s;   ///< when a message over the one hop from node 0 to node 1 has arrived
    double second_s;  ///< when this one has
  };
  const auto second = GENERATE(values<Second>({
      {1, 0, 0.01, 0.01},    // the other direction: nothing is shared
      {2, 3, 0.01, 0.01},    // another link: nothing is shared
      {7, 1, 0.015, 0.02},   // two hops, the second one shared: 2/3 and 1/3
      {6, 2, 0.0125, 0.02},  // four hops, the third one shared: 4/5 and 1/5
  }));
  CHECK(in_child([&] {
          start_engine();
          const auto hosts = build_simgrid_zone(Torus{{8}}, test_machine(), 8);
          double first_s = 0;
          double second_s = 0;
          send_on_ring(hosts, 0, 1, first_s);
          send_on_ring(hosts, second.from, second.to, second_s);
          sg::Engine::get_instance()->run();
          // Latencies, here some tenths of a microsecond, shift both ends.
          return judge(std::max(std::fabs(first_s / second.first_s - 1),
                                std::fabs(second_s / second.second_s - 1)),
                       1e-4);
        }) == "");
}

TEST_CASE("links without latency cost a message its transfer alone") {
  CHECK(in_child([] {
          start_engine();
          Machine machine = test_machine();
          machine.hop_latency_s = 0;
          const auto hosts = build_simgrid_zone(Torus{{4}}, machine, 4);
          const auto timings = time_messages(hosts[0], hosts[2], 0, {1, 8, 1000, 1000000});
          return judge(worst_relative_error(timings, Route{0, 425e6, 2}), 1e-6);
        }) == "");
}

}  // namespace
}  // namespace faultline::platform
