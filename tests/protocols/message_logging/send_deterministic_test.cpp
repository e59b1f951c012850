// SPDX-License-Identifier: Apache-2.0

// Message logging for programs whose sends do not depend on the order of messages.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

const ProtocolUnderTest kProtocol{
    .name = "send-deterministic", .options = {}, .any_order = false, .needs_fifo = true};
constexpr Exchange kExplored{.iterations = 2,
                             .iterations_per_checkpoint = 2,
                             .neighbours = 1,
                             .to_itself = true,
                             .ordered = false};

}  // namespace

TEST_CASE("send-deterministic keeps its promises in random runs") {
  for (const scenario::EngineKind engine : engines())
    CHECK(counterexample(kProtocol, engine, engine == scenario::EngineKind::loggp ? 10000 : 50) ==
          "");
}

TEST_CASE("send-deterministic is exhausted with a death anywhere") {
  check_exhausted(kProtocol, {.exchange = kExplored});
}

}  // namespace faultline::message_logging
