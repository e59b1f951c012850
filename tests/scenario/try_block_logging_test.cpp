// SPDX-License-Identifier: Apache-2.0

// What a program of TryBlocks can have under message logging.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {

using Catch::Matchers::Contains;

namespace {

const std::vector<std::string>& programs() {
  static const std::vector<std::string> programs{
      R"("name": "minife")", R"("name": "lulesh-mpi")", R"("name": "try-blocks")",
      R"("name": "try-script", "steps": ["try", "allreduce 8 B", "finish", "checkpoint"])"};
  return programs;
}

std::string error_of(const std::string& workload, const std::string& stack,
                     const std::string& fault = R"("ranks": [1])") {
  try {
    parse_scenario(R"({"schema_version": 1, "platform": {"machine": "stampede", "processes": 8},
                       "workload": {)" +
                       workload + R"(, "checkpoint_iterations": 2}, )" + stack +
                       R"(, "failure_detection": {"name": "oracle"},
                       "faults": {"at": [{"time_s": 0.01, )" +
                       fault + R"(}]}, "stop": {"when": "finished"}})",
                   "s.json");
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE(
    "every protocol of message logging takes programs of TryBlocks that ask for checkpoints") {
  for (const std::string& program : programs())
    for (const std::string logger :
         {"checkpoint-restart", "causal", "pessimistic", "send-deterministic", "fast"})
      CHECK(error_of(program, R"("message_logging": {"name": ")" + logger + "\"}") == "");
}

TEST_CASE("a detector of a program of TryBlocks is refused where a dead rank replays") {
  const auto with = [](const std::string& logger) {
    return R"("termination": {"name": "four-counter"}, "message_logging": {"name": ")" + logger +
           "\"}";
  };
  for (const std::string& program : programs()) {
    for (const std::string logger : {"causal", "pessimistic"})
      CHECK_THAT(
          error_of(program, with(logger)),
          Contains("message_logging: " + logger + " does not replay when the messages of ") &&
              Contains("what four-counter sends depends on that, expected termination none"));
    CHECK(error_of(program, with("checkpoint-restart")) == "");
  }
  const std::string stencil = R"("name": "stencil")";
  CHECK(error_of(stencil, with("causal")) == "");
}

TEST_CASE("a program without a checkpoint step asks for no checkpoints") {
  CHECK_THAT(
      error_of(R"("name": "try-script", "steps": ["try", "allreduce 8 B", "finish"])",
               R"("message_logging": {"name": "causal"})"),
      Contains("workload.checkpoint_iterations: expected null, or \"checkpoint\" as the last"));
}

}  // namespace faultline::scenario
