// SPDX-License-Identifier: Apache-2.0

// Causal message logging.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

ProtocolUnderTest causal(const std::string& transport) {
  return {.name = "causal", .options = {{"transport", transport}}};
}

/// Each rank gets two words of each iteration, one of them from itself.
constexpr Exchange kTwoOrders{.iterations = 2,
                              .iterations_per_checkpoint = 2,
                              .neighbours = 1,
                              .to_itself = true,
                              .ordered = true};
}  // namespace

TEST_CASE("causal keeps its promises in random runs") {
  for (const scenario::EngineKind engine : engines())
    for (const char* transport : {"companion", "piggyback"})
      CHECK(counterexample(causal(transport), engine,
                           engine == scenario::EngineKind::loggp ? 10000 : 50) == "");
}

// Rank 5 gets determinants of rank 4 for an epoch that it has not reached yet, rank 4 dies, and
// rank 5 answers its successor before it looks at them.
TEST_CASE("causal: determinants of a dead rank that were kept for a later epoch are void") {
  const LoggingRun run{.seed = 373,
                       .processes = 6,
                       .processes_per_node = 3,
                       .exchange = {.iterations = 2,
                                    .iterations_per_checkpoint = 3,
                                    .neighbours = 1,
                                    .to_itself = false,
                                    .ordered = false,
                                    .compute_s = 0,
                                    .checkpoint_at_end = false},
                       .random_costs = true,
                       .ordering = scenario::Ordering::unordered,
                       .unordered_delay_s = 1e-5,
                       .notice_delay_s = 1e-6,
                       .notice_spread_s = 0,
                       .restart_delay_s = 0,
                       .deaths = {{.event = 58, .mark = "", .value = 0, .victim = 4}}};
  for (const char* transport : {"companion", "piggyback"})
    CHECK(broken_promise(run, causal(transport), scenario::EngineKind::loggp) == "");
}

TEST_CASE("causal is exhausted with deaths anywhere") {
  for (const char* transport : {"companion", "piggyback"}) {
    check_exhausted(causal(transport),
                    {.ordering = scenario::Ordering::fifo, .exchange = kTwoOrders});
    check_exhausted(causal(transport), {.ordering = scenario::Ordering::unordered});
  }
}

// A program without checkpoints. With two deaths, a rank can get all messages before its new
// incarnation has started, and no log after it: once they were never handed up.
TEST_CASE("causal is exhausted with deaths anywhere while words race") {
  for (const char* transport : {"companion", "piggyback"}) {
    check_exhausted(causal(transport), {.faults = 1, .race = {{2, 2}}});
    check_exhausted(causal(transport), {.faults = 2, .race = {{1, 1}}});
  }
}

}  // namespace faultline::message_logging
