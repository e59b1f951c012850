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

}  // namespace

TEST_CASE("causal keeps its promises in random runs") {
  for (const EngineKind engine : engines())
    for (const char* transport : {"companion", "piggyback"})
      CHECK(counterexample(causal(transport), engine,
                           engine == EngineKind::loggp ? 10000 : 50) == "");
}

TEST_CASE("causal is exhausted with deaths anywhere") {
  for (const char* transport : {"companion", "piggyback"}) {
    check_exhausted(causal(transport),
                    {.processes = 2, .ordering = Ordering::unordered, .faults = 1});
    check_exhausted(causal(transport), {.processes = 3, .ordering = Ordering::fifo, .faults = 1});
    check_exhausted(causal(transport), {.processes = 2, .ordering = Ordering::fifo, .faults = 2});
  }
}
