// SPDX-License-Identifier: Apache-2.0

// Pessimistic message logging.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

const ProtocolUnderTest kProtocol{.name = "pessimistic", .options = {}};
constexpr Exchange kExplored{.iterations = 2,
                             .iterations_per_checkpoint = 2,
                             .neighbours = 1,
                             .to_itself = true,
                             .ordered = true};

}  // namespace

TEST_CASE("pessimistic keeps its promises in random runs") {
  for (const scenario::EngineKind engine : engines())
    CHECK(counterexample(kProtocol, engine, engine == scenario::EngineKind::loggp ? 10000 : 50) ==
          "");
}

TEST_CASE("pessimistic is exhausted with deaths anywhere") {
  check_exhausted(kProtocol, {.exchange = kExplored});
  check_exhausted(kProtocol, {.faults = 2, .race = {{1, 1}}});
}

}  // namespace faultline::message_logging
