// SPDX-License-Identifier: Apache-2.0

// Both engines against a LogGP simulator of the tests' own, on random trees of messages: several
// processes a node, bursts, and machines on which any of the parts can be the slow one, but for
// the NIC's bandwidth. Bytes take no time in a NIC here, because the reference knows them only as
// an amount: how they flow in while others do is for reference_packets_test.cpp.

#include "tests/engine/reference_loggp.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/random.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// What the messages of a case have to do with bytes.
enum class Sizes { none, same_costs, own_costs };

struct Case {
  MessageTree tree;
  ReferenceMachine machine;
  double start_window_s = 0;
};

/// Parameters of a random machine. Nothing arrives while ranks still begin, so that a processor
/// does one thing at a time; drawn from a continuum, so that no two things happen at once.
Case drawn_case(std::uint64_t seed, Sizes sizes) {
  Stream random(seed, 0, Purpose::workload, 0);
  const auto between = [&random](double low, double high) {
    return low * std::pow(high / low, random.uniform());
  };
  const auto number_from = [&random](std::uint32_t first, std::uint32_t count) {
    return first + static_cast<std::uint32_t>(random.below(count));
  };
  Case drawn;
  ReferenceMachine& machine = drawn.machine;
  machine.nodes = number_from(2, 3);
  machine.processes_per_node = number_from(1, 4);
  machine.ring = random.below(2) == 0;
  machine.send_overhead_s = between(1e-7, 1e-5);
  machine.receive_overhead_s = between(1e-7, 1e-5);
  machine.gap_s = random.below(8) == 0 ? 0 : between(1e-7, 1e-4);
  machine.link_Bps = between(1e8, 1e10);
  machine.local_Bps = between(1e8, 1e10);
  drawn.start_window_s = 1e-5;
  machine.nic_latency_s = between(2e-5, 1e-4);
  machine.hop_latency_s = between(1e-8, 1e-6);
  machine.local_latency_s = between(2e-5, 1e-4);
  machine.nic_Bps = 1e30;  // the longest message is gone in less than a double can tell
  if (sizes == Sizes::none) machine.nic_Bps = machine.link_Bps = machine.local_Bps = 1e10;
  if (sizes == Sizes::own_costs)
    for (auto* surcharges : {&machine.surcharges, &machine.local_surcharges})
      for (std::uint32_t ranges = number_from(0, 4), beyond = 0; ranges > 0; --ranges) {
        beyond += static_cast<std::uint32_t>(between(1, 4000));
        const ReferenceSurcharge before =
            surcharges->empty() ? ReferenceSurcharge() : surcharges->back();
        surcharges->push_back({.beyond_bytes = beyond,
                               .send_s = before.send_s + between(1e-8, 1e-5),
                               .receive_s = before.receive_s + between(1e-8, 1e-5),
                               .latency_s = before.latency_s + between(1e-7, 1e-4),
                               .byte_s = between(1e-12, 1e-8)});
      }
  drawn.tree = {.seed = seed,
                .processes = machine.nodes * machine.processes_per_node,
                .generations = number_from(3, 3),
                .children_at_most = number_from(2, 5),
                .with_bytes = sizes != Sizes::none};
  return drawn;
}

void send_all(ScriptContext& context, const std::vector<MessageTree::Node>& messages) {
  for (const MessageTree::Node& message : messages)
    context.send(message.to, 0, message.bytes).payload.put(message.number);
}

std::map<std::uint64_t, double> simulated_times(const Case& drawn, scenario::EngineKind engine) {
  Job job(drawn.tree.processes, machine_of(drawn.machine));
  job.spec.platform.processes_per_node = drawn.machine.processes_per_node;
  job.spec.platform.whole_machine = true;
  job.spec.platform.packet_bytes = 1 << 16;  // none is longer
  job.script(Family::workload, [&job, &drawn](ActorId self) {
    const MessageTree& tree = drawn.tree;
    Handlers handlers;
    handlers.start = [&drawn, self](ScriptContext& context) {
      context.compute(drawn.tree.start_s(self, drawn.start_window_s));
    };
    handlers.compute_done = [&tree, self](ScriptContext& context, std::uint64_t) {
      send_all(context, tree.roots(self));
    };
    handlers.message = [&job, &tree](ScriptContext& context, const Message& message) {
      const auto number = message.payload.get<std::uint64_t>();
      job.note(context, "got", static_cast<std::int64_t>(number));
      send_all(context, tree.children(number));
    };
    return handlers;
  });
  std::map<std::uint64_t, double> times_s;
  for (const Entry& entry : job.run(engine).log)
    times_s[static_cast<std::uint64_t>(entry.value)] = entry.time_s;
  return times_s;
}

/// The first message that is not handled when the reference handles it, in words; nothing where all
/// are.
std::string difference(const ReferenceTimes& expected, const Case& drawn,
                       scenario::EngineKind engine) {
  const auto seen = simulated_times(drawn, engine);
  if (seen.size() != expected.handled_s.size())
    return std::to_string(seen.size()) + " messages instead of " +
           std::to_string(expected.handled_s.size());
  for (const auto& [number, time_s] : expected.handled_s) {
    const auto found = seen.find(number);
    if (found == seen.end()) return "no message " + std::to_string(number);
    if (std::abs(found->second - time_s) > time_tolerance(engine) * time_s)
      return "message " + std::to_string(number) + " at " + std::to_string(found->second * 1e6) +
             " us instead of " + std::to_string(time_s * 1e6);
  }
  return "";
}

/// Compares an engine with the reference on that many cases, less those in which two messages come
/// to one place so nearly at once that rounding decides which is first. Returns the number of
/// messages compared.
std::uint64_t compare(scenario::EngineKind engine, std::uint64_t cases, Sizes sizes) {
  const double nearly_s = engine == scenario::EngineKind::loggp ? 1e-15 : 1e-12;
  std::uint64_t compared = 0;
  std::uint64_t messages = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const Case drawn = drawn_case(seed, sizes);
    const ReferenceTimes expected =
        reference_times(drawn.tree, drawn.machine, drawn.start_window_s);
    if (expected.closest_s < nearly_s) continue;
    INFO(engine_word(engine) << ", seed " << seed);
    REQUIRE(difference(expected, drawn, engine) == "");
    ++compared;
    messages += expected.handled_s.size();
  }
  CHECK(compared > cases / 5);
  return messages;
}

}  // namespace

TEST_CASE("loggp handles every message of a random tree when the reference does") {
  CHECK(compare(scenario::EngineKind::loggp, 1500, Sizes::same_costs) > 50000);
}

TEST_CASE("loggp does so where messages cost by their size") {
  CHECK(compare(scenario::EngineKind::loggp, 1500, Sizes::own_costs) > 50000);
}

TEST_CASE("both engines handle empty messages when the reference does") {
  for (const scenario::EngineKind engine : engines())
    CHECK(compare(engine, sample_of(600, engine), Sizes::none) > 1000);
}

}  // namespace faultline::engine
