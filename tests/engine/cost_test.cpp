// SPDX-License-Identifier: Apache-2.0

// What a message costs, by hand.

#include <catch2/catch.hpp>
#include <set>
#include <utility>
#include <vector>

#include "sim/platform/transit.hpp"
#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

double half_round_trip_s(const platform::Machine& machine, std::uint32_t peer, std::int64_t bytes,
                         scenario::EngineKind engine) {
  Job job(machine.nodes, machine);
  job.spec.platform.whole_machine = true;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.workload("ping-pong", {{"repetitions", 10}, {"bytes", bytes}, {"peer", peer}});
  const Seen seen = job.run(engine);
  CHECK(seen.result.outcome == Outcome::finished);
  CHECK(seen.metric("application_messages") == 20);
  return seen.metric("half_round_trip_s");
}

}  // namespace

TEST_CASE("half a ping-pong is o_s + L + k G + o_r over the route's hops") {
  platform::Machine machine = quick_machine();
  machine.topology = platform::Torus{{4, 4, 2}};
  machine.nodes = 32;
  machine.nic_bandwidth_Bps = 3.74e8;
  machine.link_bandwidth_Bps = 4.25e8;
  const platform::Topology routes(machine.topology, machine.hop_latency_s,
                                  machine.link_bandwidth_Bps);
  struct Pair {
    std::uint32_t peer;
    int hops;
  };
  // Coordinates of the peers: (1,0,0), (2,0,0), (3,0,0) round the wrap, (2,2,0), (2,2,1).
  for (const scenario::EngineKind engine : engines())
    for (const Pair& pair : {Pair{1, 1}, Pair{2, 2}, Pair{3, 1}, Pair{10, 4}, Pair{26, 5}})
      for (const std::int64_t bytes :
           {std::int64_t{0}, std::int64_t{8}, std::int64_t{1500}, std::int64_t{1000000},
            std::int64_t{4294967296}, std::int64_t{1000000000000}}) {
        const auto size = static_cast<double>(bytes);
        const double by_hand_s = 1e-6 + 1e-6 + pair.hops * 1e-7 + size / 3.74e8 + 1e-6;
        INFO(engine_word(engine) << " peer " << pair.peer << " bytes " << bytes);
        CHECK(half_round_trip_s(machine, pair.peer, bytes, engine) ==
              Approx(by_hand_s).epsilon(time_tolerance(engine)).margin(0));
        // What `validate` shows of a machine.
        CHECK(platform::half_round_trip_s(routes.route(0, pair.peer), machine, size) ==
              Approx(by_hand_s).epsilon(1e-12).margin(0));
      }
}

TEST_CASE("the narrower of NIC and links gives the bandwidth") {
  platform::Machine machine = quick_machine(4);
  machine.nic_bandwidth_Bps = 8e8;
  machine.link_bandwidth_Bps = 2e8;
  for (const scenario::EngineKind engine : engines())
    CHECK(half_round_trip_s(machine, 3, 100000, engine) ==
          Approx(3e-6 + 2e-7 + 100000 / 2e8).epsilon(time_tolerance(engine)).margin(0));
}

TEST_CASE("within a node a message takes the way through its memory") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2, quick_machine());
    job.spec.platform.processes_per_node = 2;
    job.spec.stop.when = scenario::StopWhen::finished;
    job.workload("ping-pong", {{"repetitions", 10}, {"bytes", 4000}});
    CHECK(job.run(engine).metric("half_round_trip_s") ==
          Approx(2e-6 + 5e-7 + 4000 / 1e10).epsilon(time_tolerance(engine)).margin(0));
  }
}

// ---- costs by size ----------------------------------------------------------------------------

namespace {

/// Messages from 1,000 bytes on are copied, which takes 10 ns a byte; those from 50,000 bytes on
/// are not, but take longer to begin. NIC and links need 1 ns a byte, and the memory 0.1 ns.
platform::Machine machine_by_size() {
  platform::Machine machine = quick_machine();
  machine.nic_bandwidth_Bps = 1e9;
  machine.link_bandwidth_Bps = 2e9;
  machine.costs = {
      {.from_bytes = 0, .send_overhead_s = 1e-6, .receive_overhead_s = 2e-6, .latency_s = 3e-6},
      {.from_bytes = 1000,
       .send_overhead_s = 1.5e-6,
       .receive_overhead_s = 2e-6,
       .latency_s = 4e-6,
       .byte_s = 1e-8},
      {.from_bytes = 50000,
       .send_overhead_s = 2e-6,
       .receive_overhead_s = 2.5e-6,
       .latency_s = 5e-4,
       .byte_s = 2e-9}};
  machine.local_costs = {{.send_overhead_s = 1e-7, .receive_overhead_s = 2e-7, .latency_s = 4e-7},
                         {.from_bytes = 4096,
                          .send_overhead_s = 2e-7,
                          .receive_overhead_s = 3e-7,
                          .latency_s = 5e-7,
                          .byte_s = 5e-10}};
  machine.local_latency_s = 4e-7;
  return machine;
}

}  // namespace

TEST_CASE("where costs depend on the size, those of its range hold for a message") {
  const std::vector<std::pair<std::int64_t, double>> by_hand_s = {{0, 6e-6},
                                                                  {999, 6e-6 + 999e-9},
                                                                  {1000, 7.5e-6 + 1e-5},
                                                                  {49999, 7.5e-6 + 49999e-8},
                                                                  {50000, 504.5e-6 + 1e-4},
                                                                  {1000000, 504.5e-6 + 2e-3},
                                                                  {1000000000, 504.5e-6 + 2.0}};
  const platform::Machine machine = machine_by_size();
  for (const scenario::EngineKind engine : engines())
    for (const auto& [bytes, time_s] : by_hand_s) {
      INFO(engine_word(engine) << " bytes " << bytes);
      const double of_links_s = 2 * machine.hop_latency_s;
      CHECK(half_round_trip_s(machine, 3, bytes, engine) ==
            Approx(time_s + of_links_s).epsilon(time_tolerance(engine)).margin(0));
      const platform::Route route{of_links_s, machine.link_bandwidth_Bps, 2};
      CHECK(platform::half_round_trip_s(route, machine, static_cast<double>(bytes)) ==
            Approx(time_s + of_links_s).epsilon(1e-12).margin(0));
    }
}

TEST_CASE("within a node the costs by size are those within a node") {
  const std::vector<std::pair<std::int64_t, double>> by_hand_s = {
      {0, 7e-7}, {4095, 7e-7 + 4095e-10}, {4096, 1e-6 + 4096 * 5e-10}, {1000000, 1e-6 + 5e-4}};
  for (const scenario::EngineKind engine : engines())
    for (const auto& [bytes, time_s] : by_hand_s) {
      Job job(2, machine_by_size());
      job.spec.platform.processes_per_node = 2;
      job.spec.stop.when = scenario::StopWhen::finished;
      job.workload("ping-pong", {{"repetitions", 10}, {"bytes", bytes}});
      INFO(engine_word(engine) << " bytes " << bytes);
      CHECK(job.run(engine).metric("half_round_trip_s") ==
            Approx(time_s).epsilon(time_tolerance(engine)).margin(0));
      CHECK(platform::local_half_round_trip_s(machine_by_size(), static_cast<double>(bytes)) ==
            Approx(time_s).epsilon(1e-12).margin(0));
    }
}

TEST_CASE("what a size takes longer than its bytes on the NIC delays no other message") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    platform::Machine& machine = job.spec.platform.machine;
    machine.costs = {{0, 1, 1, machine.nic_latency_s, 0},
                     {100, 1, 1, machine.nic_latency_s + 5, 1}};
    machine.local_costs = {{0, 1, 1, machine.local_latency_s, 0}};
    at_start(job, {{0, 1, 200}, {0, 2, 0}, {3, 1, 0}});
    const Seen seen = job.run(engine);
    // The first leaves at 1 and needs 2 s of the NIC. It takes 5 + 200 - 2 s longer than others.
    CHECK(close(seen.times_s(1, "got"), {12, 1 + 10 + 5 + 200 + 1}, engine));
    CHECK(close(seen.times_s(2, "got"), {3 + 10 + 1}, engine));
  }
}

TEST_CASE("a message does not overtake a longer one of its pair that takes longer") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    platform::Machine& machine = job.spec.platform.machine;
    machine.costs = {{0, 1, 1, machine.nic_latency_s, 0},
                     {100, 1, 3, machine.nic_latency_s + 5, 0}};
    machine.local_costs = {{0, 1, 1, machine.local_latency_s, 0}};
    at_start(job, {{0, 1, 100}, {0, 1, 0}});
    // The first is there at 1 + 10 + 5 + 1, and is received 3 s later; then the second.
    CHECK(close(job.run(engine).times_s(1, "got"), {20, 21}, engine));
  }
}

TEST_CASE("sends of one handler leave one send overhead apart") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    at_start(job, {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "got"), {12}, engine));
    CHECK(close(seen.times_s(2, "got"), {13}, engine));
    CHECK(close(seen.times_s(3, "got"), {14}, engine));
  }
}

TEST_CASE("the NIC of a node spaces what leaves it by g + G k") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.machine.gap_s = 0.5;
    at_start(job, {{0, 1, 200}, {0, 2, 200}, {0, 3, 100}});
    const Seen seen = job.run(engine);
    // Injected at 1, 1 + 0.5 + 2 and 3.5 + 0.5 + 2; each takes 10 + k/100 and one o_r.
    CHECK(close(seen.times_s(1, "got"), {14}, engine));
    CHECK(close(seen.times_s(2, "got"), {16.5}, engine));
    CHECK(close(seen.times_s(3, "got"), {18}, engine));
  }
}

TEST_CASE("processes of one node share its NIC") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    at_start(job, {{0, 2, 200}, {1, 4, 200}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {14}, engine));
    CHECK(close(seen.times_s(4, "got"), {16}, engine));
  }
}

TEST_CASE("messages that enter a node at once: loggp one after the other, simgrid side by side") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    job.spec.platform.processes_per_node = 2;
    // To two processes of node 0, so that the processes themselves are hardly ever busy.
    at_start(job, {{2, 0, 200}, {4, 1, 200}, {6, 0, 200}});
    const Seen seen = job.run(engine);
    const bool shares = engine == scenario::EngineKind::simgrid;
    // Six seconds of bytes enter from 11 to 17 either way; a message that shares the link is in at
    // its end.
    CHECK(close(seen.times_s(0, "got"), shares ? Times{18, 19} : Times{14, 18}, engine));
    CHECK(close(seen.times_s(1, "got"), shares ? Times{18} : Times{16}, engine));
  }
}

TEST_CASE("a busy receiver handles in order of arrival, one receive overhead apart") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5);
    at_start(job, {{3, 0, 0}, {1, 0, 0}, {1, 4, 0}, {2, 0, 0}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "got"), {12, 13, 14}, engine));
    CHECK(close(seen.times_s(4, "got"), {13}, engine));
  }
}

TEST_CASE("what a handler sends keeps its processor from the next message") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers{.message = noted_kinds(job)};
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) context.send(0, 0, 0);
      };
      if (self == 0)
        handlers.message = [&job](ScriptContext& context, const Message&) {
          job.note(context, "got");
          for (int i = 0; i < 3; ++i) context.send(1, 1, 0);
        };
      return handlers;
    });
    const Seen seen = job.run(engine);
    // Three sends after the first message last from 12 to 15; then o_r.
    CHECK(close(seen.times_s(0, "got"), {12, 16}, engine));
    CHECK(close(seen.times_s(1, "got"), {24, 25, 26, 28, 29, 30}, engine));
  }
}

TEST_CASE("messages within a node are copied one after the other by their sender") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.platform.processes_per_node = 3;
    at_start(job, {{0, 1, 4000}, {0, 2, 0}, {1, 0, 1000}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "got"), {8}, engine));
    // Its copy waits for the first one, which ends at 1 + 4.
    CHECK(close(seen.times_s(2, "got"), {8}, engine));
    CHECK(close(seen.times_s(0, "got"), {5}, engine));
  }
}

TEST_CASE("free messages on a machine without costs take no time") {
  for (const scenario::EngineKind engine : engines()) {
    platform::Machine machine = round_machine();
    machine.send_overhead_s = machine.receive_overhead_s = 0;
    machine.nic_latency_s = machine.hop_latency_s = machine.local_latency_s = 0;
    Job job(2, machine);
    job.spec.stop.when = scenario::StopWhen::finished;
    job.workload("ping-pong", {{"repetitions", 5}, {"bytes", 0}});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("half_round_trip_s") == 0.0);
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("the mapping decides which ranks share a node") {
  const auto local_pairs = [](scenario::Mapping mapping, std::uint64_t seed) {
    std::vector<std::pair<Rank, Rank>> pairs;
    for (Rank to = 1; to < 6; ++to) {
      Job job(6);
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.mapping = mapping;
      at_start(job, {{0, to, 0}});
      if (job.run(scenario::EngineKind::loggp, seed).times_s(to, "got").front() == 4)
        pairs.emplace_back(0, to);
    }
    return pairs;
  };
  using Pairs = std::vector<std::pair<Rank, Rank>>;
  CHECK(local_pairs(scenario::Mapping::block, 1) == Pairs{{0, 1}});
  CHECK(local_pairs(scenario::Mapping::round_robin, 1) == Pairs{{0, 3}});
  // Random: always one partner, the same for the same seed, not the same for all seeds.
  std::set<Pairs> partners;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Pairs pairs = local_pairs(scenario::Mapping::random, seed);
    CHECK(pairs.size() == 1);
    CHECK(pairs == local_pairs(scenario::Mapping::random, seed));
    partners.insert(pairs);
  }
  CHECK(partners.size() > 1);
}

}  // namespace faultline::engine
