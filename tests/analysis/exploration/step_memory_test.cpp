// A search that remembers what steps do comes to the same states, by the same number of steps, and
// to the same verdict, as one in which the engine takes each step anew. In a checked search the
// engine also has to come to the state that is remembered, part by part.

#include <catch2/catch.hpp>
#include <string>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

ExplorationResult explored(const Job& job, std::uint32_t faults, StepRecall recall,
                           unsigned jobs = 1) {
  return explore(
      {.spec = explored_spec(job.spec), .faults = faults, .recall = recall, .jobs = jobs});
}

void check_equal(const ExplorationResult& one, const ExplorationResult& other) {
  CHECK(one.verdict == other.verdict);
  CHECK(one.states == other.states);
  CHECK(one.transitions == other.transitions);
  CHECK(one.depth == other.depth);
  CHECK(one.ends == other.ends);
  CHECK(one.progress_checked == other.progress_checked);
  REQUIRE(one.refutation.has_value() == other.refutation.has_value());
  if (!one.refutation) return;
  CHECK(one.refutation->steps == other.refutation->steps);
  CHECK(one.refutation->outcome == other.refutation->outcome);
  CHECK(one.refutation->violations.front().kind == other.refutation->violations.front().kind);
}

void check_recall(const Job& job, std::uint32_t faults) {
  const ExplorationResult taken = explored(job, faults, StepRecall::nothing);
  check_equal(explored(job, faults, StepRecall::steps), taken);
  check_equal(explored(job, faults, StepRecall::steps, 3), taken);
  check_equal(explored(job, faults, StepRecall::checked), taken);
}

/// All graphs of tasks with up to that many messages.
void check_any_tree(const Registration& detector, Ordering ordering, std::uint32_t processes,
                    std::int64_t messages, std::uint32_t faults) {
  CAPTURE(processes, messages, faults);
  Job job(processes);
  job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
  job.detector(detector.name);
  job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = ordering;
  check_recall(job, faults);
}

template <class Check>
void for_each_detector(Check check) {
  for (const Registration& detector : registrations()) {
    if (detector.family != Family::termination) continue;
    for (const Ordering ordering : {Ordering::fifo, Ordering::unordered}) {
      if (ordering == Ordering::unordered && detector.traits.needs_fifo) continue;
      CAPTURE(detector.name, ordering);
      check(detector, ordering);
    }
  }
}

}  // namespace

TEST_CASE("remembered steps of every detector are those that the engine takes") {
  for_each_detector([](const Registration& detector, Ordering ordering) {
    check_any_tree(detector, ordering, 3, 3, 0);
    check_any_tree(detector, ordering, 4, 2, 0);
  });
}

TEST_CASE("remembered steps and deaths are those that the engine takes, with one and two deaths") {
  for_each_detector([](const Registration& detector, Ordering ordering) {
    if (!detector.traits.tolerates_faults) return;
    for (const std::uint32_t faults : {1U, 2U}) check_any_tree(detector, ordering, 3, 2, faults);
  });
}

// Daemons, and connections between them, whose loss is how deaths are found out.
TEST_CASE("what reaches beyond an actor is not remembered: connections and daemons") {
  Job job(3);
  job.workload("random-tree",
               {{"most_messages", std::int64_t{1}}, {"choices", std::string("all")}});
  job.detector("indep");
  job.use(Family::failure_detection, "connection-loss");
  check_recall(job, 1);
}

TEST_CASE("a counterexample is the same whether steps are remembered or taken") {
  const auto check_point = [](const std::string& detector, const std::string& point,
                              std::int64_t messages, std::uint32_t faults) {
    CAPTURE(detector, point);
    Job job(3);
    job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
    job.use(Family::termination, detector, {{"as_printed", ChosenWords{point}}});
    job.use(Family::failure_detection, "oracle");
    CHECK(explored(job, faults, StepRecall::steps).verdict == ExplorationResult::Verdict::violated);
    check_recall(job, faults);
  };
  check_point("dijkstra-scholten", "cornet", 2, 0);
  check_point("indep", "child-flush", 3, 1);
}
