// SPDX-License-Identifier: Apache-2.0

// Properties of whole runs that protocols declare: invariants that mutants break, goals, and states
// behind which nothing is looked at.

#include <catch2/catch.hpp>
#include <memory>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/goal.hpp"
#include "protocols/termination/dijkstra_scholten.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"
#include "tests/analysis/exploration/hasty_detector.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

void any_tree(Job& job, std::int64_t messages) {
  job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
}

ExplorationRequest request_of(const Job& job) { return {.spec = explored_spec(job.spec)}; }

/// Works without being engaged: messages are for nobody.
class Deaf final : public termination::DijkstraScholten {
 public:
  using termination::DijkstraScholten::DijkstraScholten;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Deaf>(*this);
  }
  Passage on_receive(TerminationContext& context, Message& message) override {
    context.send(message.from, 0, 8);
    return Passage::deliver;
  }
};

/// The declarations of the detector that ships, for a mutant of it.
template <class Mutant>
void use_mutant(Job& job) {
  const Registration* shipped = find_registration(Family::termination, "dijkstra-scholten");
  REQUIRE(shipped != nullptr);
  const JobShape shape = scenario::job_shape(job.spec);
  job.own(
      Family::termination,
      [shape](ActorId self) {
        return std::make_unique<Mutant>(std::make_shared<termination::DijkstraScholtenOptions>(),
                                        shape, self);
      },
      {.traits = shipped->traits, .metrics = shipped->metrics, .properties = shipped->properties});
}

/// The first step after which the property does not hold, and the same run again.
void check_broken(const Job& job, const std::string& property, std::size_t steps) {
  for (const unsigned jobs : {1U, 2U}) {
    ExplorationRequest request = request_of(job);
    request.jobs = jobs;
    const ExplorationResult result = explore(request);
    REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
    const audit::Violation& violation = result.refutation->violations.front();
    CHECK(violation.kind == "broken-property");
    CHECK(violation.detail.starts_with(property + ", which says: "));
    CHECK(result.refutation->steps.size() == steps);
    scenario::RunSpec again = job.spec;
    again.order = told_run(request, result.refutation->steps).order;
    const engine::RunResult repeated =
        engine::run_simulation(again, scenario::EngineKind::loggp, 1, 0);
    CHECK(repeated.outcome == engine::Outcome::violated);
    REQUIRE(repeated.violations.size() == 1);
    CHECK(repeated.violations.front().kind == "broken-property");
  }
}

}  // namespace

TEST_CASE("Dijkstra and Scholten's invariants hold in all states of all small task graphs") {
  Job job(3);
  any_tree(job, 4);
  job.detector("dijkstra-scholten");
  CHECK(explore(request_of(job)).verdict == ExplorationResult::Verdict::exhausted);
}

TEST_CASE("Dijkstra and Scholten's invariants hold where every rank begins by itself") {
  Job job(3);
  job.workload("uniform-traffic", {{"tokens", 1}, {"hops", 1}});
  job.detector("dijkstra-scholten");
  CHECK(explore(request_of(job)).verdict == ExplorationResult::Verdict::exhausted);
}

// The first task ends, and its first message is received: that is the third step with the start.
TEST_CASE("a mutant that acknowledges too much breaks the sum of deficits as soon as it does so") {
  Job job(3);
  any_tree(job, 2);
  use_mutant<Hasty>(job);
  check_broken(job, "deficits-add-up", 3);
}

TEST_CASE("a mutant that works without a parent breaks the tree as soon as it does so") {
  Job job(3);
  any_tree(job, 2);
  use_mutant<Deaf>(job);
  check_broken(job, "tree", 3);
}

// The root's task sends to both others, and both receive: the start, the end of the task, two
// messages. Nothing shorter engages both.
TEST_CASE("a goal is reached by a shortest run, and what is never so is exhausted") {
  Job job(3);
  any_tree(job, 2);
  job.detector("dijkstra-scholten");
  ExplorationRequest request = request_of(job);
  request.goal = goal_named(request.spec, "all-engaged");
  ExplorationResult result = explore(request);
  REQUIRE(result.verdict == ExplorationResult::Verdict::reached);
  CHECK(result.reached->steps.size() == 4);
  CHECK(result.reached->violations.empty());
  Job alone(3);
  any_tree(alone, 1);  // a message engages one rank
  alone.detector("dijkstra-scholten");
  request = request_of(alone);
  request.goal = goal_named(request.spec, "all-engaged");
  result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  CHECK_FALSE(result.reached);
}

TEST_CASE("a goal can be how a run ends, and other ends are only counted") {
  Job job(2);
  any_tree(job, 2);
  job.detector("dijkstra-scholten", {{"as_printed", ChosenWords{"cornet"}}});
  ExplorationRequest request = request_of(job);
  request.goal = goal_named(request.spec, "premature");
  ExplorationResult result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  CHECK(result.ends.contains("hung"));
  request.goal = goal_named(request.spec, "hung");
  result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::reached);
  CHECK(result.reached->violations.front().kind == "hung");
}

TEST_CASE("behind pruned states nothing is looked at, and the search is bounded") {
  Job job(3);
  any_tree(job, 3);
  job.detector("dijkstra-scholten");
  ExplorationRequest request = request_of(job);
  const ExplorationResult whole = explore(request);
  request.prune = find_property(request.spec, "all-engaged");
  REQUIRE(request.prune);
  for (const SearchOrder order : {SearchOrder::breadth, SearchOrder::depth}) {
    request.search = order;
    const ExplorationResult result = explore(request);
    CHECK(result.verdict == ExplorationResult::Verdict::bounded);
    CHECK(result.limit == SearchLimit::prune);
    CHECK(result.pruned > 0);
    CHECK(result.pruned + result.expanded == result.states);
    CHECK(result.states < whole.states);
  }
}

TEST_CASE("a broken invariant is a violation of the run that repeats it in its order") {
  Job job(2);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.send(1, 0, 8);
    };
    handlers.message = [](ScriptContext&, const Message&) { invariant(false, "never a message"); };
    return handlers;
  });
  const ExplorationRequest request = request_of(job);
  const ExplorationResult result = explore(request);
  REQUIRE(result.refutation);
  scenario::RunSpec again = job.spec;
  again.order = told_run(request, result.refutation->steps).order;
  const engine::RunResult repeated =
      engine::run_simulation(again, scenario::EngineKind::loggp, 1, 0);
  CHECK(repeated.outcome == engine::Outcome::violated);
  REQUIRE(repeated.violations.size() == 1);
  CHECK(repeated.violations.front().kind == "broken-invariant");
  CHECK(repeated.violations.front().detail.starts_with("never a message"));
}

}  // namespace faultline::exploration
