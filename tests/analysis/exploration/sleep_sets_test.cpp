// A search that takes independent steps in one order only comes to the same states by the same
// runs, and so to the same verdict, with fewer steps.

#include "analysis/exploration/sleep_sets.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/goal.hpp"
#include "tests/analysis/exploration/same_searches.hpp"
#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

ExplorationRequest request_of(const RunSpec& spec, std::uint32_t faults = 0) {
  return {.spec = spec, .faults = faults};
}

ExplorationResult explored(ExplorationRequest request, IndependentSteps independent,
                           unsigned jobs = 1) {
  request.independent = independent;
  request.jobs = jobs;
  return explore(request);
}

/// How many steps are taken in every order, and in one.
struct Steps {
  std::uint64_t taken;
  std::uint64_t left;
};

/// Checks that nothing else differs, nor with several threads.
Steps check_same(const ExplorationRequest& request) {
  const ExplorationResult taken = explored(request, IndependentSteps::taken);
  const ExplorationResult skipped = explored(request, IndependentSteps::skipped);
  check_same_found(skipped, taken);
  const ExplorationResult threaded = explored(request, IndependentSteps::skipped, 3);
  check_same_found(threaded, taken);
  CHECK(threaded.transitions == skipped.transitions);
  return {.taken = taken.transitions, .left = skipped.transitions};
}

}  // namespace

TEST_CASE("independent steps make no difference to any detector, and save steps") {
  for_each_detector([](const Registration& detector, Ordering ordering) {
    const Steps three = check_same(request_of(any_tree(detector, ordering, 3, 3)));
    CHECK(three.left < three.taken);
    const Steps four = check_same(request_of(any_tree(detector, ordering, 4, 2)));
    CHECK(four.left < four.taken);
  });
}

TEST_CASE("independent steps make no difference with one and two deaths") {
  for_each_detector([](const Registration& detector, Ordering ordering) {
    if (!detector.traits.tolerates_faults) return;
    for (const std::uint32_t faults : {1U, 2U}) {
      CAPTURE(faults);
      const Steps steps = check_same(request_of(any_tree(detector, ordering, 3, 2), faults));
      CHECK(steps.left < steps.taken);
    }
  });
}

TEST_CASE("independent steps make no difference wherever deaths may fall, and to histories") {
  const Registration& detector = *find_registration(Family::termination, "indep");
  ExplorationRequest request = request_of(any_tree(detector, Ordering::fifo, 3, 2), 2);
  for (const CrashPlaces places :
       {CrashPlaces::between_events, CrashPlaces::calm, CrashPlaces::calm_together}) {
    CAPTURE(places);
    request.crash = places;
    check_same(request);
  }
  request.crash = CrashPlaces::anywhere;
  request.histories = true;
  check_same(request);
  request.victims = {1, 0};
  request.in_order = true;
  check_same(request);
}

TEST_CASE("independent steps make no difference to a counterexample") {
  const auto check_refuted = [](const std::string& detector, const std::string& point,
                                std::int64_t messages, std::uint32_t faults) {
    CAPTURE(detector, point);
    const ExplorationRequest request = request_of(as_printed(detector, point, messages), faults);
    check_same(request);
    CHECK(explored(request, IndependentSteps::skipped).verdict ==
          ExplorationResult::Verdict::violated);
  };
  check_refuted("dijkstra-scholten", "cornet", 2, 0);
  check_refuted("indep", "child-flush", 3, 1);
}

TEST_CASE("independent steps make no difference to a search that is bounded") {
  const Registration& detector = *find_registration(Family::termination, "venkatesan");
  ExplorationRequest request = request_of(any_tree(detector, Ordering::fifo, 3, 3));
  request.depth = 7;
  check_same(request);
  request.depth = UINT32_MAX;
  request.states = 1000;
  check_same(request);
}

// Each of three messages is received by another rank. They can be received in 8 states, with 12
// steps between these. Where all three, or two, are left, one order will do: of the 6 steps to the
// 3 states with one message left, 3 are enough. All three that receive the last one are taken,
// because they find out that the work is over.
TEST_CASE("independent steps are left out as counted by hand") {
  Job job(3);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](Context& context) { context.send((self + 1) % 3, 0, 8); };
    return handlers;
  });
  const Steps steps = check_same(request_of(explored_spec(job.spec)));
  CHECK(steps.taken == 12);
  CHECK(steps.left == 9);
}

// Behind a state that is pruned nothing is found, so that another order may be the only one.
TEST_CASE("every order is taken where states are not gone on from") {
  const Registration& detector = *find_registration(Family::termination, "dijkstra-scholten");
  ExplorationRequest request = request_of(any_tree(detector, Ordering::fifo, 3, 3));
  request.independent = IndependentSteps::skipped;
  CHECK(skips_steps(request));
  request.goal = goal_named(request.spec, "hung");  // states that break an invariant only count
  CHECK_FALSE(skips_steps(request));
  request.goal.reset();
  request.prune = find_property(request.spec, "all-engaged");
  REQUIRE(request.prune);
  CHECK_FALSE(skips_steps(request));
  const Steps steps = check_same(request);
  CHECK(steps.left == steps.taken);
}
