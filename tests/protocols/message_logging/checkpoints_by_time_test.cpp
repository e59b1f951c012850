// SPDX-License-Identifier: Apache-2.0

// Checkpoints that come by time, whatever the program does just then.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "analysis/search/judged_run.hpp"
#include "tests/support/json_tree.hpp"

namespace faultline::message_logging {

namespace {

/// Draws numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return bits_() % limit; }
  /// A time between these two, on a scale of logarithms, in words.
  std::string time_s(double least_s, double most_s) {
    const double share = static_cast<double>(below(1000)) / 1000;
    return std::to_string(least_s * std::pow(most_s / least_s, share));
  }

 private:
  std::mt19937_64 bits_;
};

/// A program, and what finds out that it is over if it does not know that itself.
std::string drawn_workload(Dice& dice) {
  const std::string compute = R"(, "compute_s": )" + dice.time_s(2e-5, 2e-3);
  switch (dice.below(3)) {
    case 0:
      return R"("workload": {"name": "stencil", "iterations": )" +
             std::to_string(3 + dice.below(10)) + compute + "}";
    case 1:
      return R"("workload": {"name": "ping-pong", "repetitions": )" +
             std::to_string(3 + dice.below(20)) + compute + "}";
    default:
      return R"("workload": {"name": "flood", "graph": "random", "fanout": 2)" + compute +
             R"(}, "termination": {"name": "four-counter"})";
  }
}

/// A job whose ranks die while they take checkpoints every so often, or not long after.
std::string drawn_job(std::uint64_t seed, const std::string& protocol) {
  Dice dice(seed);
  const std::uint64_t processes = 3 + dice.below(10);
  std::string deaths;
  for (std::uint64_t deaths_left = 1 + dice.below(2); deaths_left > 0; --deaths_left)
    deaths += (deaths.empty() ? "" : ", ") +
              (R"({"ranks": [)" + std::to_string(dice.below(processes))) + R"(], "time_s": )" +
              dice.time_s(1e-4, 2e-2) + "}";
  return R"({"schema_version": 1, "seed": )" + std::to_string(seed) +
         R"(, "platform": {"machine": "mira", "processes": )" + std::to_string(processes) +
         R"(}, )" + drawn_workload(dice) + R"(, "message_logging": {"name": ")" + protocol +
         R"(", "checkpoint_interval_s": )" + dice.time_s(1e-5, 1e-2) +
         R"(}, "failure_detection": {"name": "connection-loss"},
    "faults": {"at": [)" +
         deaths + "]}}";
}

}  // namespace

// A rank that comes back computes again what its predecessor has sent long since. If it asks for
// a checkpoint before it has sent that, the others have received more than was sent.
TEST_CASE("a checkpoint by time waits for what a rank that came back has still to send again") {
  const search::JudgeSettings settings{
      .events = 1000000, .repeats = false, .compares = false, .explored_each = 0};
  for (const std::string protocol : {"causal", "pessimistic", "checkpoint-restart"}) {
    std::uint64_t finished = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      const std::string job = drawn_job(seed, protocol);
      const search::Judgement judgement = search::judged(test::tree(job), settings);
      CAPTURE(job);
      REQUIRE(judgement.refused.empty());
      const std::string found = judgement.finding ? judgement.finding->text : "";
      CHECK(found.empty());
      if (judgement.outcome == "finished") ++finished;
    }
    CAPTURE(protocol);
    CHECK(finished > 75);
  }
}

TEST_CASE("a rank that comes back asks for a checkpoint by time when it has recovered") {
  const search::Judgement judgement = search::judged(
      test::tree(R"({"schema_version": 1, "platform": {"machine": "mira", "processes":
    29}, "workload": {"name": "stencil", "object_bytes": 0, "copy_bandwidth_Bps": 15624445},
    "message_logging": {"name": "causal", "checkpoint_interval_s": 0.000252, "determinant_bytes":
    200}, "failure_detection": {"name": "connection-loss", "radix": 3, "control_bytes": 0},
    "faults": {"at": [{"ranks": [1], "time_s": 0.011960439973333297}, {"ranks": [27], "time_s":
    0.014340986432727215}]}})"),
      {.events = 1000000});
  CHECK(judgement.outcome == "finished");
  CHECK_FALSE(judgement.finding);
}

}  // namespace faultline::message_logging
