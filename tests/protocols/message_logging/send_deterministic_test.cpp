// SPDX-License-Identifier: Apache-2.0

// Message logging for programs whose sends do not depend on the order of messages.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

using namespace faultline;
using namespace faultline::test;

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
  for (const EngineKind engine : engines())
    CHECK(counterexample(kProtocol, engine, engine == EngineKind::loggp ? 10000 : 50) == "");
}

TEST_CASE("send-deterministic is exhausted with a death anywhere") {
  check_exhausted(kProtocol, {.exchange = kExplored});
}
