// SPDX-License-Identifier: Apache-2.0

// A search that remembers what steps do comes to the same states, by the same number of steps, and
// to the same verdict, as one in which the engine takes each step anew. In a checked search the
// engine also has to come to the state that is remembered, part by part.

#include <catch2/catch.hpp>
#include <string>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "tests/analysis/exploration/same_searches.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

ExplorationResult explored(const scenario::RunSpec& spec, std::uint32_t faults, StepRecall recall,
                           unsigned jobs = 1) {
  return explore({.spec = spec, .faults = faults, .recall = recall, .jobs = jobs});
}

void check_equal(const ExplorationResult& one, const ExplorationResult& other) {
  check_same_found(one, other);
  CHECK(one.transitions == other.transitions);
}

void check_recall(const scenario::RunSpec& spec, std::uint32_t faults) {
  const ExplorationResult taken = explored(spec, faults, StepRecall::nothing);
  check_equal(explored(spec, faults, StepRecall::steps), taken);
  check_equal(explored(spec, faults, StepRecall::steps, 3), taken);
  check_equal(explored(spec, faults, StepRecall::checked), taken);
}

void check_any_tree(const Registration& detector, scenario::Ordering ordering,
                    std::uint32_t processes, std::int64_t messages, std::uint32_t faults) {
  CAPTURE(processes, messages, faults);
  check_recall(any_tree(detector, ordering, processes, messages), faults);
}

}  // namespace

TEST_CASE("remembered steps of every detector are those that the engine takes") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    check_any_tree(detector, ordering, 3, 3, 0);
    check_any_tree(detector, ordering, 4, 2, 0);
  });
}

TEST_CASE("remembered steps and deaths are those that the engine takes, with one and two deaths") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    if (!detector.tolerates_faults()) return;
    for (const std::uint32_t faults : {1U, 2U}) check_any_tree(detector, ordering, 3, 2, faults);
  });
}

// Under progress = between, messages and notices wait for a rank that computes, and it can be idle
// before it has handled them.
TEST_CASE("remembered steps are those that the engine takes where messages and notices wait") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    scenario::RunSpec spec = any_tree(detector, ordering, 2, 2);
    spec.platform.progress = scenario::Progress::between;
    check_recall(spec, 0);
    if (detector.tolerates_faults()) check_recall(spec, 1);
  });
}

// Daemons, and connections between them, whose loss is how deaths are found out.
TEST_CASE("what reaches beyond an actor is not remembered: connections and daemons") {
  Job job(3);
  job.workload("random-tree",
               {{"most_messages", std::int64_t{1}}, {"choices", std::string("all")}});
  job.detector("indep");
  job.use(Family::failure_detection, "connection-loss");
  check_recall(explored_spec(job.spec), 1);
}

TEST_CASE("a counterexample is the same whether steps are remembered or taken") {
  const auto check_point = [](const std::string& detector, const std::string& point,
                              std::int64_t messages, std::uint32_t faults) {
    CAPTURE(detector, point);
    const scenario::RunSpec spec = as_printed(detector, point, messages);
    CHECK(explored(spec, faults, StepRecall::steps).verdict ==
          ExplorationResult::Verdict::violated);
    check_recall(spec, faults);
  };
  check_point("dijkstra-scholten", "cornet", 2, 0);
  check_point("indep", "child-flush", 3, 1);
}

}  // namespace faultline::exploration
