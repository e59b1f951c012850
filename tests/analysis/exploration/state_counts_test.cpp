// SPDX-License-Identifier: Apache-2.0

// The states of Safra's and of Dijkstra and Scholten's algorithm that StepwiseEngine reaches are as
// many as SPIN finds in models that were written without looking at the code. promela/ has the
// models, promela/states.json the numbers, and spin_test.py lets SPIN count again.

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/exploration/exploration.hpp"
#include "sim/core/data_directory.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

std::filesystem::path folder() {
  return data_directory().parent_path() / "tests/analysis/exploration/promela";
}

/// Computation h sends h - 1 to each of the next two processes of the ring, if h > 0; a message
/// starts a computation of the same number. Rank 0 starts with computation `height`.
void halving(Job& job, std::uint64_t height) {
  job.script(Family::workload,
             [height](ActorId self) {
               Handlers handlers;
               handlers.start = [self, height](ScriptContext& context) {
                 if (self == 0) context.compute(1, height);
               };
               handlers.compute_done = [self](ScriptContext& context, std::uint64_t number) {
                 if (number == 0) return;
                 const std::uint32_t processes = context.job().processes;
                 for (const Rank next : {self + 1, self + 2})
                   context.send(next % processes, 0, 8).payload.put(number - 1);
               };
               handlers.message = [](ScriptContext& context, const Message& message) {
                 context.compute(1, message.payload.get<std::uint64_t>());
               };
               return handlers;
             },
             {.traits = WorkloadTraits{.starts_at_root = true}});
}

}  // namespace

TEST_CASE("as many states can be reached as SPIN finds in independent models") {
  std::ifstream file(folder() / "states.json");
  REQUIRE(file);
  const auto counts = nlohmann::json::parse(file);
  REQUIRE(counts.size() == 2);
  for (const auto& [detector, jobs] : counts.items())
    for (const auto& expected : jobs) {
      Job job(expected["processes"].get<std::uint32_t>());
      halving(job, expected["height"].get<std::uint64_t>());
      job.detector(detector);
      const ExplorationResult all = explore({.spec = explored_spec(job.spec)});
      INFO(detector << ' ' << expected.dump());
      REQUIRE(all.verdict == ExplorationResult::Verdict::exhausted);
      CHECK(all.ends.size() == 1);
      CHECK(all.ends.contains("terminated"));
      // SPIN also counts the state before the start, and as transitions the step from it and one to
      // it.
      CHECK(all.states + 1 == expected["states"].get<std::size_t>());
      CHECK(all.transitions + 2 == expected["transitions"].get<std::size_t>());
    }
}

// Not a test: beside_spin.py asks for it, and lets SPIN search the same states.
TEST_CASE("how fast the states that SPIN counts are found", "[.speed]") {
  const auto asked = [](const char* name) {
    const char* value = std::getenv(name);
    REQUIRE(value != nullptr);
    return std::string(value);
  };
  Job job(static_cast<std::uint32_t>(std::stoul(asked("PROCESSES"))));
  halving(job, std::stoull(asked("HEIGHT")));
  job.detector(asked("DETECTOR"));
  ExplorationRequest request{.spec = explored_spec(job.spec)};
  request.jobs = static_cast<unsigned>(std::stoul(asked("JOBS")));
  const ExplorationResult result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  // SPIN also counts the state before the start.
  std::printf("%s states in %.3f s, %s bytes\n", std::to_string(result.states + 1).c_str(),
              result.wall_s, std::to_string(result.stored_B).c_str());
}

}  // namespace faultline::exploration
