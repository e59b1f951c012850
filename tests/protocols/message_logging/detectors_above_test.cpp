// SPDX-License-Identifier: Apache-2.0

// Termination detectors above message logging: they are part of what is put back or replayed, and
// announce when the program is over, and not before.

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "sim/core/invariant.hpp"
#include "tests/protocols/message_logging/announced_run.hpp"
#include "tests/protocols/message_logging/logging_mutants.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"
#include "tests/support/job.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

struct Stack {
  std::string detector;
  std::string logging;
  scenario::Ordering ordering = scenario::Ordering::unordered;
  bool checkpoints = true;
  std::string workload = "stencil";
  OptionValues of_detector = {};
};

void set_up_stack(Job& job, const Stack& stack) {
  OptionValues options{{"objects_per_process", std::int64_t{2}},
                       {"iterations", std::int64_t{6}},
                       {"compute_s", 2e-5},
                       {"object_bytes", std::int64_t{1000}}};
  if (stack.checkpoints) options["checkpoint_iterations"] = std::int64_t{2};
  job.workload(stack.workload, options);
  job.spec.platform.ordering = stack.ordering;
  job.spec.stop.when = scenario::StopWhen::announced;
  job.use(Family::termination, stack.detector, stack.of_detector);
  use_logging(job, stack.logging);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
}

constexpr const char* kDetectors[] = {
    "cda", "dijkstra-scholten", "edod", "four-counter", "hcda", "indep", "rel-lazy", "rel-eager"};

scenario::Ordering ordering_for(const std::string& detector) {
  return detector == "edod" ? scenario::Ordering::fifo : scenario::Ordering::unordered;
}

/// Of six ranks.
std::string wrong_with_deaths(const Stack& stack, scenario::EngineKind engine,
                              std::uint64_t runs = 60,
                              const std::function<void(scenario::RunSpec&)>& change = {}) {
  return wrong_under_deaths(
      6,
      [&](Job& job) {
        set_up_stack(job, stack);
        if (change) change(job.spec);
      },
      engine, runs);
}

}  // namespace

TEST_CASE("a detector above message logging announces without faults") {
  for (const scenario::EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const char* logging :
           {"checkpoint-restart", "causal", "pessimistic", "send-deterministic"})
        for (const bool checkpoints : {false, true}) {
          const bool needs_fifo = std::string(logging) == "send-deterministic";
          Job job(6, quick_machine());
          set_up_stack(job,
                       {.detector = detector,
                        .logging = logging,
                        .ordering = needs_fifo ? scenario::Ordering::fifo : ordering_for(detector),
                        .checkpoints = checkpoints});
          const Seen seen = job.run(engine);
          CAPTURE(engine_word(engine), detector, logging, checkpoints);
          CHECK(seen.result.outcome == engine::Outcome::terminated);
          CHECK(seen.violations().empty());
        }
}

TEST_CASE("a detector above message logging announces whoever dies and when") {
  for (const scenario::EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const char* logging : {"checkpoint-restart", "causal", "pessimistic"})
        for (const char* workload : {"stencil", "ordered-stencil"})
          for (const scenario::Ordering ordering :
               {scenario::Ordering::fifo, ordering_for(detector)}) {
            CAPTURE(engine_word(engine), detector, logging, workload, ordering);
            CHECK(wrong_with_deaths({.detector = detector,
                                     .logging = logging,
                                     .ordering = ordering,
                                     .workload = workload},
                                    engine) == "");
          }
}

// Then everything above begins again at its start, with the credit that it had there.
TEST_CASE("a detector above message logging announces after a death without any checkpoint") {
  for (const scenario::EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const char* logging : {"checkpoint-restart", "causal", "pessimistic"})
        for (const char* workload : {"stencil", "ordered-stencil"}) {
          CAPTURE(engine_word(engine), detector, logging, workload);
          CHECK(wrong_with_deaths({.detector = detector,
                                   .logging = logging,
                                   .ordering = ordering_for(detector),
                                   .checkpoints = false,
                                   .workload = workload},
                                  engine, 30) == "");
        }
}

// Nobody dies by a fault here: a rank is declared dead while it lives, ended for that, and started
// again. It repeats what was over, and an announcement of that is right.
TEST_CASE("an announcement stays right if a rank goes back for a false report") {
  for (const scenario::EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const char* logging : {"checkpoint-restart", "causal", "pessimistic"}) {
        const auto seen_with = [&](double report_s) {
          Job job(6, quick_machine());
          set_up_stack(
              job, {.detector = detector, .logging = logging, .ordering = ordering_for(detector)});
          job.spec.platform.fencing = {.by = scenario::FencedBy::resource_manager, .delay_s = 1e-7};
          job.use(Family::failure_detection, "erring-oracle",
                  {{"reporter", std::int64_t{1}},
                   {"accused", std::int64_t{4}},
                   {"report_s", report_s},
                   {"delay_s", 1e-6}});
          const Seen seen = job.run(engine);
          return std::pair(seen, wrong_in(job, seen));
        };
        const Seen peaceful = seen_with(1e3).first;
        const double over_s = peaceful.metric("termination_time_s");
        const double step_s = (peaceful.metric("announce_time_s") - over_s) / 10;
        double reports = 0;
        for (int step = -10; step <= 10; ++step) {
          const auto [seen, wrong] = seen_with(over_s + step * step_s);
          CAPTURE(engine_word(engine), detector, logging, step);
          CHECK(wrong == "");
          reports += seen.metric("false_reports");
        }
        CHECK(reports > 5);
      }
}

// An idle rank waits before it returns its credit, and any message that comes meanwhile cancels the
// timer. It can have run out by then, and wait to be handled in its turn.
TEST_CASE("a timer that is cancelled before its turn comes keeps nobody waiting") {
  for (const scenario::EngineKind engine : engines())
    for (const char* logging : {"checkpoint-restart", "causal", "pessimistic"})
      for (const char* workload : {"stencil", "ordered-stencil"})
        for (const double delay_s : {1e-7, 1e-6, 1e-5})
          for (const bool checkpoints : {true, false}) {
            const Stack stack{.detector = "cda",
                              .logging = logging,
                              .checkpoints = checkpoints,
                              .workload = workload,
                              .of_detector = {{"flush_delay_s", delay_s}}};
            CAPTURE(engine_word(engine), logging, workload, delay_s, checkpoints);
            CHECK(wrong_with_deaths(stack, engine) == "");
          }
}

// All live ranks can have announced the end before the rank that died is asked for again. Then it
// has consumed nothing yet of what they have sent.
TEST_CASE("a run does not end while a rank that died as it came back is awaited") {
  for (const scenario::EngineKind engine : engines())
    for (const char* detector : kDetectors) {
      const Stack stack{.detector = detector,
                        .logging = "checkpoint-restart",
                        .ordering = ordering_for(detector)};
      Job calm(4, quick_machine());
      set_up_stack(calm, stack);
      const std::uint64_t events = calm.run(engine).result.events;
      for (std::uint64_t event = events - events / 10; event < events; ++event) {
        Job job(4, quick_machine());
        set_up_stack(job, stack);
        job.spec.platform.restart_delay_s = 5e-6;
        faults::FaultSpec first;
        first.event = event;
        first.ranks = {3};
        job.spec.faults = {first, at_mark("recovery", 1, {3})};
        CAPTURE(engine_word(engine), detector, event);
        const Seen seen = job.run(engine);
        CHECK(wrong_in(job, seen) == "");
        job.spec.stop.time_s = seen.metric("last_fault_time_s") + 9e-6;
        CHECK(job.run(engine).violations().empty());  // nor is anything wrong where a limit ends it
      }
    }
}

TEST_CASE("a detector above message logging announces if a rank dies at a checkpoint") {
  for (const scenario::EngineKind engine : engines())
    for (const char* detector : kDetectors)
      for (const char* logging : {"checkpoint-restart", "causal", "pessimistic"})
        for (const char* synchronization : {"tags", "barrier"})
          for (std::int64_t checkpoint = 0; checkpoint <= 6; ++checkpoint)
            for (const Rank dies : {0, 1}) {
              Job job(2, quick_machine());
              set_up_stack(
                  job,
                  {.detector = detector, .logging = logging, .ordering = ordering_for(detector)});
              job.workload("stencil", {{"iterations", std::int64_t{6}},
                                       {"compute_s", 2e-5},
                                       {"checkpoint_iterations", std::int64_t{1}},
                                       {"synchronization", std::string(synchronization)}});
              job.spec.faults = {at_mark("checkpoint", checkpoint, {dies})};
              CAPTURE(engine_word(engine), detector, logging, synchronization, checkpoint, dies);
              CHECK(wrong_in(job, job.run(engine)) == "");
            }
}

TEST_CASE("detectors find out if computations do not end in their order in a replay") {
  const Registration& mutant = mistaken<OrdersNoComputations>("causal");
  const auto found = [&](const char* detector) {
    return wrong_with_deaths({.detector = detector, .logging = "causal"},
                             scenario::EngineKind::loggp, 600, [&](scenario::RunSpec& spec) {
                               spec.components[index_of(Family::message_logging)].registration =
                                   &mutant;
                             });
  };
  CHECK(found("cda") != "");
  CHECK(found("dijkstra-scholten") != "");
  CHECK(found("four-counter") != "");
}

TEST_CASE("a rank that waits for a checkpoint still grants credit to those that do not") {
  for (const char* logging : {"checkpoint-restart", "causal", "pessimistic"})
    for (const std::int64_t credit : {1, 2, 4, 8}) {
      Job job(8, quick_machine());
      set_up_stack(job, {.detector = "cda", .logging = logging});
      job.use(Family::termination, "cda",
              {{"initial_credit", credit},
               {"maximum_credit", 2 * credit},
               {"conservation_credit", std::int64_t{2}},
               {"conservation_share", std::int64_t{1}},
               {"borrow_below_credit", std::int64_t{0}}});
      // Rank 0, which grants credit, is at the checkpoint long before rank 7.
      job.spec.slow.push_back({.nodes = {7}, .factor = 20, .from_s = 0.0, .to_s = 1e3});
      const Seen seen = job.run(scenario::EngineKind::loggp);
      CAPTURE(logging, credit);
      CHECK(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("no order and no death of a tiny job with a detector breaks a promise") {
  const std::pair<const char*, const char*> stacks[] = {{"cda", "checkpoint-restart"},
                                                        {"four-counter", "checkpoint-restart"},
                                                        {"cda", "causal"},
                                                        {"four-counter", "causal"}};
  for (const auto& [detector, logging] : stacks) {
    Job job(2);
    set_up_stack(job,
                 {.detector = detector, .logging = logging, .ordering = scenario::Ordering::fifo});
    job.workload("stencil",
                 {{"iterations", std::int64_t{1}}, {"checkpoint_iterations", std::int64_t{1}}});
    const exploration::ExplorationResult result =
        exploration::explore({.spec = exploration::explored_spec(job.spec), .faults = 1});
    CAPTURE(detector, logging, result.states);
    if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
    CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
    CHECK(result.progress_checked);
    CHECK(result.ends.contains("terminated"));
    CHECK(result.ends.size() == 1);
  }
}

TEST_CASE("no order of a tiny job with timers that are cancelled ends in a deadlock") {
  for (const char* logging : {"causal", "pessimistic"}) {
    Job job(2);
    set_up_stack(job, {.detector = "cda",
                       .logging = logging,
                       .ordering = scenario::Ordering::fifo,
                       .of_detector = {{"flush_delay_s", 1e-6}}});
    job.workload("stencil", {{"iterations", std::int64_t{1}}, {"dimensions", std::int64_t{1}}});
    const exploration::ExplorationResult result =
        exploration::explore({.spec = exploration::explored_spec(job.spec), .states = 20000});
    CAPTURE(logging, result.states);
    if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
    CHECK(!result.refutation);
  }
}

}  // namespace faultline::message_logging
