// SPDX-License-Identifier: Apache-2.0

// The path of a message allocates nothing once the most messages in flight have been reached.

#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "sim/core/operations.hpp"
#include "tests/support/job.hpp"

namespace {

std::uint64_t allocations = 0;
std::uint64_t allocated_bytes = 0;
std::uint64_t bytes_in_use = 0;
std::uint64_t most_bytes_in_use = 0;

}  // namespace

// Every new expression of this program comes through here. Not inlined: GCC would warn of a pair
// that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  allocated_bytes += bytes;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  bytes_in_use += malloc_usable_size(memory);
  most_bytes_in_use = std::max(most_bytes_in_use, bytes_in_use);
  return memory;
}
// Else this one may come from a sanitizer, which then complains of the delete below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  bytes_in_use -= malloc_usable_size(memory);  // 0 of null
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace faultline::engine {

using namespace test;

namespace {

struct Cost {
  std::uint64_t allocations;
  double messages;
};

Cost cost_of(const std::string& detector, std::uint32_t processes, std::int64_t hops) {
  Job job(processes, quick_machine());
  job.workload("uniform-traffic", {{"hops", hops}});
  if (!detector.empty()) job.detector(detector);
  const std::uint64_t before = allocations;
  const RunResult result = run_simulation(job.spec, scenario::EngineKind::loggp, 1, 0);
  const std::uint64_t after = allocations;
  return {after - before, *result.metrics.values().at("application_messages")};
}

/// The context of a workload's script as operations take it.
struct OfWorkload : WorkloadContext {
  explicit OfWorkload(const Context& own)
      : WorkloadContext((own.*(&OfWorkload::turn))(), (own.*(&OfWorkload::family))()) {}
};

/// Each rank sends to the next one and receives from the one before it, round after round.
Cost cost_of_rounds(std::uint32_t processes, std::uint32_t rounds) {
  constexpr double kTimeout_s = 2e-5;  // some rounds: timers that are not needed do not pile up
  Job job(processes, quick_machine());
  job.script(Family::workload, [=](ActorId self) {
    const auto operations = std::make_shared<Operations>(OperationKeys{});
    const auto walk = [=, round = std::make_shared<std::uint32_t>(0)](WorkloadContext context) {
      if (!operations->all_done() || *round == rounds) return;
      operations->forget_ended();
      ++*round;
      operations->send(context, (self + 1) % processes, *round, 8, kTimeout_s);
      operations->receive(context, (self + processes - 1) % processes, *round, kTimeout_s);
    };
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) { walk(OfWorkload(context)); };
    handlers.message = [=](ScriptContext& context, const Message& message) {
      OfWorkload own(context);
      operations->on_message(own, message);
      walk(own);
    };
    handlers.sent = [=](ScriptContext& context, ActorId to, std::uint16_t kind) {
      OfWorkload own(context);
      operations->on_sent(own, to, kind);
      walk(own);
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
      OfWorkload own(context);
      operations->on_timer(own, key);
    };
    return handlers;
  });
  const std::uint64_t before = allocations;
  const RunResult result = run_simulation(job.spec, scenario::EngineKind::loggp, 1, 0);
  const std::uint64_t after = allocations;
  return {after - before, *result.metrics.values().at("application_messages")};
}

/// What it takes to let the daemons of 1,000 nodes report other daemons, which have died.
std::uint64_t bytes_of_node_reports(std::uint32_t ranks_per_node, std::uint32_t dead) {
  constexpr std::uint32_t kNodes = 1000;
  Job job(kNodes * ranks_per_node, quick_machine());
  job.spec.platform.processes_per_node = ranks_per_node;
  job.spec.checks_state = false;
  job.script(Family::workload, [](ActorId) { return Handlers{}; });
  job.script(Family::failure_detection,
             [=](ActorId) {
               return Handlers{.start = [](ScriptContext& context) { context.set_timer(1, 9); },
                               .timer =
                                   [=](ScriptContext& context, std::uint64_t) {
                                     for (NodeId node = 0; node < dead; ++node)
                                       context.report_failed(context.placement().daemon_of(node));
                                   }};
             },
             {.residence = Residence::daemons});
  for (NodeId node = 0; node < dead; ++node) job.kill(5, {}, {node});
  const std::uint64_t before = allocated_bytes;
  const RunResult result = run_simulation(job.spec, scenario::EngineKind::loggp, 1, 0);
  const std::uint64_t after = allocated_bytes;
  CHECK(*result.metrics.values().at("failure_reports") ==
        static_cast<double>((kNodes - dead) * dead));
  return after - before;
}

struct Need {
  double most_bytes;  ///< at once, of each rank
  double end_s;
};

/// What MiniFE needs under this protocol, if a rank dies at that time.
Need need_of_blocks(const std::string& transactions, const OptionValues& options, double death_s) {
  constexpr std::uint32_t kProcesses = 512;
  const std::int64_t elements = 64;
  Job job(kProcesses, quick_machine());
  job.workload(
      "minife",
      {{"nx", elements}, {"ny", elements}, {"nz", elements}, {"iterations", std::int64_t{6}}});
  job.use(Family::transactions, transactions, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 1;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.spec.checks_state = false;
  if (death_s != kNever) job.kill(death_s, {kProcesses / 2});
  const std::uint64_t before = most_bytes_in_use = bytes_in_use;
  const RunResult result = run_simulation(job.spec, scenario::EngineKind::loggp, 1, 0);
  const auto needed = static_cast<double>(most_bytes_in_use - before);
  CHECK(result.outcome == Outcome::finished);
  CHECK(*result.metrics.values().at("ranks_respawned") == (death_s != kNever ? 1.0 : 0.0));
  return {needed / kProcesses, *result.metrics.values().at("end_time_s")};
}

}  // namespace

TEST_CASE("ten times the messages need no more allocations, but for the growth of a few arrays") {
  // HCDA is left out: its borrowers keep what they delay.
  for (const std::uint32_t processes : {16U, 2000U})
    for (const std::string& detector : {std::string(), std::string("dijkstra-scholten"),
                                        std::string("four-counter"), std::string("cda")}) {
      const Cost few = cost_of(detector, processes, 20);
      const Cost many = cost_of(detector, processes, 200);
      INFO(detector << ", " << processes << " processes: " << few.allocations << " and "
                    << many.allocations);
      CHECK(few.allocations > 0);
      CHECK(many.messages == 10 * few.messages);
      CHECK(many.allocations < few.allocations + 64);
    }
}

TEST_CASE("what the adoption protocols allocate is bounded by what they store, not by messages") {
  // A vector that grows to n allocates 1 + ceil(log2 n) times. Each of 16 ranks stores its
  // partners, its successors, and for each of these 15 its up to 15 potential children.
  constexpr std::uint64_t kVector = 1 + 4;
  constexpr std::uint64_t kRank = kVector + kVector + 15 * kVector;
  const std::uint64_t bare = cost_of("dijkstra-scholten", 16, 20000).allocations;
  for (const std::string detector : {"indep", "rel-lazy", "rel-eager"}) {
    const Cost cost = cost_of(detector, 16, 20000);
    INFO(detector << ": " << cost.allocations << ", without " << bare);
    CHECK(cost.messages == 320000);
    CHECK(cost.allocations < bare + 16 * kRank);
  }
}

TEST_CASE("operations allocate nothing once the most that are pending have been reached") {
  const Cost few = cost_of_rounds(8, 20);
  const Cost many = cost_of_rounds(8, 2000);
  INFO(few.allocations << " and " << many.allocations);
  CHECK(few.messages == 8 * 20);
  CHECK(many.messages == 8 * 2000);
  CHECK(many.allocations < few.allocations + 64);
}

TEST_CASE("a report of a node takes as much memory, however many ranks have died with it") {
  // A list of numbers that grows from 4 to 16 entries takes two more pieces, of 8 and 16 numbers.
  constexpr std::uint64_t kReporters = 1000;
  for (const std::uint32_t ranks_per_node : {1U, 16U}) {
    const std::uint64_t few = bytes_of_node_reports(ranks_per_node, 4);
    const std::uint64_t many = bytes_of_node_reports(ranks_per_node, 16);
    INFO(ranks_per_node << " ranks a node: " << few << " and " << many);
    CHECK(many > few);
    CHECK(many - few < kReporters * (8 + 16) * sizeof(std::uint32_t) + 12UL * 16 * 1024);
  }
}

TEST_CASE("a death takes little memory on top of what the ranks of a program need without one") {
  // Requests that would time out long after the run would leave timers that count.
  const OptionValues soon{{"request_timeout_s", 1e-4}};
  for (const auto& [transactions, options] :
       {std::pair(std::string("fampi"), soon), std::pair(std::string("ulfm"), OptionValues())}) {
    need_of_blocks(transactions, options, kNever);  // fills the pool of components, which stays
    const Need without = need_of_blocks(transactions, options, kNever);
    const Need with = need_of_blocks(transactions, options, without.end_s / 2.0);
    INFO(transactions << ", bytes of each rank: " << without.most_bytes << ", and "
                      << with.most_bytes << " with a death");
    CHECK(with.end_s > without.end_s);
    CHECK(with.most_bytes - without.most_bytes < 400.0);
  }
}

}  // namespace faultline::engine
