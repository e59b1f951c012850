// SPDX-License-Identifier: Apache-2.0

// Fast message logging.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

constexpr const char* kIdentifiers[] = {"ssn", "iteration-type", "type-tag"};

ProtocolUnderTest fast(const std::string& identifier) {
  return {.name = "fast", .options = {{"identifier", identifier}}, .any_order = false};
}

constexpr Exchange kExplored{.iterations = 2,
                             .iterations_per_checkpoint = 2,
                             .neighbours = 1,
                             .to_itself = true,
                             .ordered = false};

}  // namespace

TEST_CASE("fast keeps its promises in random runs") {
  for (const scenario::EngineKind engine : engines())
    for (const char* identifier : kIdentifiers)
      CHECK(counterexample(fast(identifier), engine,
                           engine == scenario::EngineKind::loggp ? 5000 : 50) == "");
}

TEST_CASE("fast is exhausted with a death anywhere") {
  for (const char* identifier : kIdentifiers)
    check_exhausted(fast(identifier), {.exchange = kExplored});
}

}  // namespace faultline::message_logging
