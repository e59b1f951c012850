// SPDX-License-Identifier: Apache-2.0

// Programs that ask for no checkpoints, above message logging: what dies goes back to the start of
// its program, or to a checkpoint that time has made due, and a detector announces the end.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocols/message_logging/announced_run.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"
#include "tests/support/job.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

struct Program {
  const char* name;
  OptionValues options;
};

/// Small enough for many runs, and long enough for some checkpoints.
std::vector<Program> programs() {
  return {{"token-ring",
           {{"walk_length", std::int64_t{40}},
            {"branch_probability", 0.3},
            {"step_compute_s", 5e-6},
            {"leaf_compute_s", 2e-5}}},
          {"random-tree", {{"minimum_height", std::int64_t{5}}, {"task_compute_s", 1e-5}}},
          {"uniform-traffic",
           {{"hops", std::int64_t{12}}, {"compute_s", 1e-5}, {"stay_probability", 0.2}}},
          {"work-stealing",
           {{"board", std::int64_t{6}}, {"cut_depth", std::int64_t{3}}, {"node_compute_s", 2e-6}}}};
}

struct Stack {
  Program program;
  std::string detector;
  std::string logging;
  std::optional<double> interval_s;
};

void set_up(Job& job, const Stack& stack) {
  job.workload(stack.program.name, stack.program.options);
  job.spec.platform.ordering =
      stack.detector == "edod" ? scenario::Ordering::fifo : scenario::Ordering::unordered;
  job.spec.stop.when = scenario::StopWhen::announced;
  job.use(Family::termination, stack.detector);
  OptionValues options{{"image_bytes", std::int64_t{1000}}};
  if (stack.interval_s) options["checkpoint_interval_s"] = *stack.interval_s;
  use_logging(job, stack.logging, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
}

constexpr const char* kDetectors[] = {
    "cda", "dijkstra-scholten", "edod", "four-counter", "hcda", "indep", "rel-lazy", "rel-eager"};
constexpr const char* kLogging[] = {"checkpoint-restart", "causal", "pessimistic"};

/// Of five ranks.
std::string wrong_with_deaths(const Stack& stack, scenario::EngineKind engine, std::uint64_t runs) {
  return wrong_under_deaths(
      5, [&stack](Job& job) { set_up(job, stack); }, engine, runs);
}

}  // namespace

TEST_CASE("a dynamic program comes to its right end whoever dies and when, without checkpoints") {
  for (const scenario::EngineKind engine : engines())
    for (const Program& program : programs())
      for (const char* detector : kDetectors)
        for (const char* logging : kLogging) {
          CAPTURE(engine_word(engine), program.name, detector, logging);
          const Stack stack{program, detector, logging, std::nullopt};
          CHECK(wrong_with_deaths(stack, engine, 30) == "");
        }
}

TEST_CASE("a dynamic program comes to its right end from checkpoints that time makes due") {
  for (const scenario::EngineKind engine : engines())
    for (const Program& program : programs())
      for (const char* detector : kDetectors)
        for (const char* logging : kLogging)
          for (const double interval_s : {1e-5, 1e-4}) {
            CAPTURE(engine_word(engine), program.name, detector, logging, interval_s);
            const Stack stack{program, detector, logging, interval_s};
            CHECK(wrong_with_deaths(stack, engine, 20) == "");
          }
}

// A part that comes while a rank computes goes into what it sends next, and one that comes later
// does not. So a replay must end the computations at their places, also where no detector looks.
TEST_CASE("a program that computes between its messages ends rightly without a detector") {
  for (const scenario::EngineKind engine : engines())
    for (const char* logging : kLogging) {
      const auto seen_with = [&](std::uint64_t event) {
        Job job(5, quick_machine());
        job.workload("allreduce", {{"compute_s", 3e-6}, {"repetitions", std::int64_t{12}}});
        job.spec.stop.when = scenario::StopWhen::finished;
        use_logging(job, logging);
        job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
        if (event > 0) {
          faults::FaultSpec fault;
          fault.event = event;
          fault.ranks = {static_cast<Rank>(event % 5)};
          job.spec.faults.push_back(fault);
        }
        return job.run(engine);
      };
      const std::uint64_t events = seen_with(0).result.events;
      const std::uint64_t step = engine == scenario::EngineKind::loggp ? 1 : 20;
      for (std::uint64_t event = 1; event < events; event += step) {
        const Seen seen = seen_with(event);
        CAPTURE(engine_word(engine), logging, event, seen.result.fatal_reason);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
      }
    }
}

// A rank is at work for 10 s at a time, and a checkpoint takes far less than a second. So those of
// a run of about 400 s that are due every 30 s are 13, and a death in its middle repeats less than
// 30 s, where it would repeat half of the run.
TEST_CASE(
    "checkpoints that are due by time are taken while programs work, and save what was done") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string logging : kLogging) {
      const auto seen_with = [&](std::optional<double> interval_s, double death_s) {
        Job job(3, quick_machine());
        set_up(job, {.program = {"token-ring",
                                 {{"walk_length", std::int64_t{39}},
                                  {"branch_probability", 0.0},
                                  {"step_compute_s", 10.0}}},
                     .detector = "four-counter",
                     .logging = logging,
                     .interval_s = interval_s});
        if (death_s > 0.0) job.kill(death_s, {1});
        Seen seen = job.run(engine);
        CHECK(wrong_in(job, seen) == "");
        return seen;
      };
      CAPTURE(engine_word(engine), logging);
      const Seen calm = seen_with(30.0, 0.0);
      CHECK(calm.metric("termination_time_s") == Approx(400).epsilon(0.01));
      CHECK(calm.metric("control_messages.commit") == 2 * 13);
      const Seen saved = seen_with(30.0, 205.0);
      CHECK(saved.metric("termination_time_s") < 435);
      const Seen repeated = seen_with(std::nullopt, 205.0);
      CHECK(repeated.metric("control_messages.commit") == 0);
    }
}

}  // namespace faultline::message_logging
