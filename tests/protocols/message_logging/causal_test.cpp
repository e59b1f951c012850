// Causal message logging.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

using namespace faultline;
using namespace faultline::test;

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
  for (const EngineKind engine : engines())
    for (const char* transport : {"companion", "piggyback"})
      CHECK(counterexample(causal(transport), engine, engine == EngineKind::loggp ? 10000 : 50) ==
            "");
}

TEST_CASE("causal is exhausted with deaths anywhere") {
  for (const char* transport : {"companion", "piggyback"}) {
    check_exhausted(causal(transport), {.ordering = Ordering::fifo, .exchange = kTwoOrders});
    check_exhausted(causal(transport), {.ordering = Ordering::unordered});
  }
}
