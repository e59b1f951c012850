// SPDX-License-Identifier: Apache-2.0

// ping-pong on the machines that are shipped.

#include <catch2/catch.hpp>

#include "sim/platform/topology.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/workloads/observed.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

Seen play(const platform::Machine& machine, std::uint32_t per_node, std::uint32_t peer,
          std::uint64_t bytes, scenario::EngineKind engine) {
  Job job(64 * per_node, machine);
  job.spec.platform.processes_per_node = per_node;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.workload("ping-pong", {{"repetitions", 20},
                             {"bytes", static_cast<std::int64_t>(bytes)},
                             {"peer", std::int64_t{peer}}});
  return job.run(engine);
}

}  // namespace

TEST_CASE("half a round trip is the closed form on every shipped machine") {
  for (const std::string& name : machine_names()) {
    const platform::Machine machine = scenario::load_machine(name, "");
    const platform::Topology routes(platform::partition(machine, 64), machine.hop_latency_s,
                                    machine.link_bandwidth_Bps);
    const double bandwidth_Bps = std::min(machine.nic_bandwidth_Bps, machine.link_bandwidth_Bps);
    for (const scenario::EngineKind engine : engines())
      for (const std::uint32_t peer : {1U, 2U, 17U, 32U, 63U})
        for (const std::uint32_t bytes : {0U, 8U, 4096U, 1000000U}) {
          const double one_way_s = machine.send_overhead_s + machine.nic_latency_s +
                                   routes.hops(0, peer) * machine.hop_latency_s +
                                   bytes / bandwidth_Bps + machine.receive_overhead_s;
          const Seen seen = play(machine, 1, peer, bytes, engine);
          INFO(engine_word(engine) << ' ' << name << ", peer " << peer << ", bytes " << bytes);
          CHECK(seen.metric("half_round_trip_s") == Approx(one_way_s).epsilon(1e-6).margin(0));
          CHECK(seen.metric("application_messages") == 40);
        }
  }
}

TEST_CASE("half a round trip within a node is the closed form on every shipped machine") {
  for (const std::string& name : machine_names()) {
    const platform::Machine machine = scenario::load_machine(name, "");
    for (const scenario::EngineKind engine : engines())
      for (const std::uint32_t bytes : {0U, 4096U}) {
        const double one_way_s = machine.send_overhead_s + machine.local_latency_s +
                                 bytes / machine.local_bandwidth_Bps + machine.receive_overhead_s;
        INFO(engine_word(engine) << ' ' << name << ", bytes " << bytes);
        CHECK(play(machine, 2, 1, bytes, engine).metric("half_round_trip_s") ==
              Approx(one_way_s).epsilon(1e-6).margin(0));
      }
  }
}

TEST_CASE("in pairs every rank plays with the one that is half the job away") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    job.spec.stop.when = scenario::StopWhen::finished;
    job.spec.platform.processes_per_node = 2;
    job.workload("ping-pong", {{"repetitions", 10}, {"bytes", 0}, {"pairs", true}});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("application_messages") == 4 * 20);
    CHECK(seen.metric("half_round_trip_s") == Approx(12));
    CHECK(seen.result.outcome == engine::Outcome::finished);
  }
}

TEST_CASE("the slowest pair counts") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    job.spec.stop.when = scenario::StopWhen::finished;
    job.spec.slow = {{.nodes = {6}, .factor = 3}};  // its rank plays with rank 2
    job.workload("ping-pong", {{"repetitions", 10}, {"bytes", 0}, {"pairs", true}});
    // There the receiver takes 2 s longer, and so does the sender on the way back.
    CHECK(job.run(engine).metric("half_round_trip_s") == Approx(14));
  }
}

TEST_CASE("a rank that has got the ball computes before it goes on") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    job.spec.stop.when = scenario::StopWhen::finished;
    job.workload("ping-pong",
                 {{"repetitions", 10}, {"bytes", 0}, {"pairs", true}, {"compute_s", 3}});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("half_round_trip_s") == Approx(12 + 3));
    CHECK(seen.metric("application_messages") == 4 * 20);
    CHECK(seen.result.outcome == engine::Outcome::finished);
  }
}

TEST_CASE("a termination detector knows that pairs begin at all ranks") {
  for (const std::string& detector : detectors())
    for (const scenario::EngineKind engine : engines()) {
      for (const double compute_s : {0.0, 2.0}) {
        CAPTURE(detector, compute_s);
        Job job(6);
        job.workload("ping-pong", {{"repetitions", 10}, {"pairs", true}, {"compute_s", compute_s}})
            .detector(detector);
        const Seen seen = job.run(engine);
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.violations().empty());
      }
    }
}

TEST_CASE("pairs need an even number of ranks, and no peer") {
  Job odd(5);
  CHECK_THROWS_WITH(odd.workload("ping-pong", {{"pairs", true}}),
                    "ping-pong.pairs: expected an even platform.processes, got 5");
  Job even(4);
  CHECK_THROWS_WITH(even.workload("ping-pong", {{"pairs", true}, {"peer", std::int64_t{1}}}),
                    "ping-pong.peer: expected null with pairs, which determines the peers");
}

}  // namespace faultline::workloads
