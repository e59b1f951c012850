// SPDX-License-Identifier: Apache-2.0

// Every termination detector that ships, in all orders of a small job: without deaths, and with one
// death anywhere if it tolerates deaths.

#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

namespace {

/// One graph of tasks.
void walk(Job& job) {
  job.workload("token-ring", {{"walk_length", std::int64_t{3}}, {"branch_probability", 0.5}});
}

/// All graphs of tasks with up to that many messages.
void any_tree(Job& job, std::int64_t messages) {
  job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
}

template <class Tasks>
exploration::ExplorationResult explored(Tasks tasks, const Registration& detector,
                                        scenario::Ordering ordering, std::uint32_t faults,
                                        std::uint32_t processes) {
  Job job(processes);
  tasks(job);
  job.detector(detector.name);
  job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = ordering;
  return exploration::explore({.spec = exploration::explored_spec(job.spec), .faults = faults});
}

template <class Tasks>
void check(Tasks tasks, const Registration& detector, scenario::Ordering ordering,
           std::uint32_t faults, std::uint32_t processes = 3) {
  CAPTURE(detector.name, ordering, faults, processes);
  const exploration::ExplorationResult result =
      explored(tasks, detector, ordering, faults, processes);
  if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
  CHECK(result.progress_checked);
  // On four ranks, more states of the waves can reach a circle than are judged.
  if (processes == 3) CHECK(result.fairness_checked == (ordering == scenario::Ordering::fifo));
  CHECK(result.ends.contains("terminated"));
  const std::uint32_t leaders = detector.name == "venkatesan" ? 2 : 1;
  CHECK(result.ends.contains("fatal-reported") == (faults >= leaders));
}

}  // namespace

TEST_CASE("every termination detector is exhausted without deaths on three ranks") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    check(walk, detector, scenario::Ordering::fifo, 0);
    if (!detector.needs_fifo()) check(walk, detector, scenario::Ordering::unordered, 0);
  }
}

// With two deaths, both leaders of venkatesan can be among them.
TEST_CASE("the detectors that tolerate deaths are exhausted with up to two anywhere") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination || !detector.tolerates_faults()) continue;
    for (const std::uint32_t faults : {1U, 2U}) {
      check(walk, detector, scenario::Ordering::fifo, faults);
      if (!detector.needs_fifo()) check(walk, detector, scenario::Ordering::unordered, faults);
    }
  }
}

TEST_CASE(
    "every termination detector is exhausted under all task graphs of up to five messages, or four "
    "if they are unordered") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    check([](Job& job) { any_tree(job, 5); }, detector, scenario::Ordering::fifo, 0);
    if (!detector.needs_fifo())
      check([](Job& job) { any_tree(job, 4); }, detector, scenario::Ordering::unordered, 0);
  }
}

TEST_CASE(
    "on four ranks, all detectors are exhausted under all task graphs of up to four messages") {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    check([](Job& job) { any_tree(job, 4); }, detector, scenario::Ordering::fifo, 0, 4);
  }
}

TEST_CASE(
    "those that tolerate deaths are exhausted under all task graphs of up to three messages, or "
    "four with one death") {
  const auto any_tree_of_3 = [](Job& job) { any_tree(job, 3); };
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination || !detector.tolerates_faults()) continue;
    for (const std::uint32_t faults : {1U, 2U}) {
      check(any_tree_of_3, detector, scenario::Ordering::fifo, faults);
      if (!detector.needs_fifo())
        check(any_tree_of_3, detector, scenario::Ordering::unordered, faults);
    }
    check([](Job& job) { any_tree(job, 4); }, detector, scenario::Ordering::fifo, 1);
  }
}

// Rank 1 wakes, and its RESUME is on its way to the root. Then comes that of its child, which rank
// 1, being active, confirms: so the root, which had sent to that child, knows of neither.
TEST_CASE("as printed, three messages on four ranks make EDOD announce too early") {
  Job job(4);
  any_tree(job, 3);
  job.detector("edod", {{"as_printed", ChosenWords{"early-confirmation"}}});
  const exploration::ExplorationResult printed =
      exploration::explore({.spec = exploration::explored_spec(job.spec)});
  REQUIRE(printed.refutation);
  CHECK(printed.refutation->violations.front().kind == "premature");
  CHECK(printed.refutation->steps.size() == 1 + 12);  // the start, too
}

// What the workload chose is part of the run: without it, the order could not be repeated.
TEST_CASE("a counterexample tells what the workload chose, and repeats it") {
  Job job(3);
  any_tree(job, 2);
  job.use(Family::termination, "dijkstra-scholten", {{"as_printed", ChosenWords{"cornet"}}});
  const exploration::ExplorationRequest request{.spec = exploration::explored_spec(job.spec)};
  const exploration::ExplorationResult result = exploration::explore(request);
  REQUIRE(result.refutation);
  const exploration::ToldRun told = exploration::told_run(request, result.refutation->steps);
  scenario::RunSpec repeated = job.spec;
  repeated.order = told.order;
  repeated.stop.grace_s = 10;
  repeated.stop.time_s = 100;
  CHECK(engine::run_simulation(repeated, scenario::EngineKind::loggp, 1, 0).outcome ==
        result.refutation->outcome);
  CHECK_FALSE(
      (told.order.choices_at_start.empty() &&
       std::all_of(told.order.steps.begin(), told.order.steps.end(),
                   [](const scenario::OrderedStep& step) { return step.choices.empty(); })));
}

}  // namespace faultline::termination
