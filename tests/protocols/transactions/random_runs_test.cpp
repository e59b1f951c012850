// Programs of TryBlocks under faults at any moment.

#include <catch2/catch.hpp>

#include "tests/protocols/transactions/transactions_run.hpp"

using namespace faultline;
using namespace faultline::test;

TEST_CASE("programs under fampi come to their right end in random runs") {
  for (const EngineKind engine : engines())
    CHECK(counterexample("fampi", engine, engine == EngineKind::loggp ? 10000 : 50) == "");
}

TEST_CASE("programs under ulfm come to their right end in random runs") {
  for (const EngineKind engine : engines())
    CHECK(counterexample("ulfm", engine, engine == EngineKind::loggp ? 10000 : 50) == "");
}

TEST_CASE("programs under relaunch come to their right end in random runs") {
  for (const EngineKind engine : engines())
    CHECK(counterexample("relaunch", engine, engine == EngineKind::loggp ? 5000 : 50) == "");
}

TEST_CASE("programs under fampi in many more random runs", "[.soak]") {
  CHECK(counterexample("fampi", EngineKind::loggp, 150000) == "");
}

TEST_CASE("programs under ulfm in many more random runs", "[.soak]") {
  CHECK(counterexample("ulfm", EngineKind::loggp, 150000) == "");
}

TEST_CASE("programs under relaunch in many more random runs", "[.soak]") {
  CHECK(counterexample("relaunch", EngineKind::loggp, 150000) == "");
}
