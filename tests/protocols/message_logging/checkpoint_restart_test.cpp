// SPDX-License-Identifier: Apache-2.0

// Coordinated checkpoints and global rollback.

#include <catch2/catch.hpp>

#include "tests/protocols/message_logging/explored_logging.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

const ProtocolUnderTest kProtocol{.name = "checkpoint-restart", .options = {}};

}  // namespace

TEST_CASE("checkpoint-restart keeps its promises in random runs") {
  for (const scenario::EngineKind engine : engines())
    CHECK(counterexample(kProtocol, engine, engine == scenario::EngineKind::loggp ? 20000 : 100) ==
          "");
}

TEST_CASE("checkpoint-restart is exhausted with deaths anywhere") {
  check_exhausted(kProtocol,
                  {.processes = 2, .ordering = scenario::Ordering::unordered, .faults = 1});
  check_exhausted(kProtocol, {.processes = 3, .ordering = scenario::Ordering::fifo, .faults = 1});
  check_exhausted(kProtocol, {.processes = 2, .ordering = scenario::Ordering::fifo, .faults = 2});
}

}  // namespace faultline::message_logging
