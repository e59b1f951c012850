// SPDX-License-Identifier: Apache-2.0

// The choices of a workload as branches: a driver is asked for each, in order, and sees by their
// bounds which ways there are. Without that option the random streams decide, as in every run.

#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

using Bounds = std::vector<std::uint64_t>;

scenario::RunSpec two_hops(const std::string& choices) {
  Job job(3);
  job.workload("uniform-traffic", {{"tokens", std::int64_t{1}},
                                   {"hops", std::int64_t{2}},
                                   {"stay_probability", 0.1},
                                   {"choices", choices}});
  return job.spec;
}

StepwiseEngine driven(const scenario::RunSpec& spec, std::uint64_t seed = 1) {
  return StepwiseEngine(run_job(without_costs(spec), seed, 0));
}

}  // namespace

TEST_CASE("decisions go through all answers in lexical order, also where one leads to more") {
  // The first choice has three answers, of which the second one leads to a choice of two.
  std::vector<Decisions> seen;
  Decisions decisions;
  Bounds asked;
  do {
    const bool forks = !decisions.empty() && decisions[0] == 1;
    asked = forks ? Bounds{3, 2} : Bounds{3};
    decisions.resize(asked.size());
    seen.push_back(decisions);
  } while (next_decisions(decisions, asked));
  CHECK(seen == std::vector<Decisions>{{0}, {1, 0}, {1, 1}, {2}});
  CHECK(decisions.empty());
  Decisions none;
  CHECK_FALSE(next_decisions(none, {}));
  Decisions too_many{1, 1, 5};
  CHECK(next_decisions(too_many, {2, 3}));
  CHECK(too_many == Decisions{1, 2});
}

TEST_CASE("the driver is asked for the choices of a step, and what it decides happens") {
  StepwiseEngine engine = driven(two_hops("all"));
  // Does the token stay? If not, to which of the two others does it go?
  engine.begin();
  CHECK(engine.asked() == Bounds{2, 2});
  CHECK(engine.agenda() == std::vector<Choice>{{EventKind::arrive, 1, 0, 0}});
  const RunState begun = engine.state().copy();
  engine.take(0, {}, {0, 1});
  CHECK(engine.asked() == Bounds{2, 2});
  CHECK(engine.agenda() == std::vector<Choice>{{EventKind::arrive, 2, 1, 0}});
  engine.go_on_from(begun);
  engine.take(0, {}, {1});
  CHECK(engine.asked() == Bounds{2});
  CHECK(engine.agenda() == std::vector<Choice>{{EventKind::arrive, 1, 1, 0}});
  engine.take(0);  // the last hop
  CHECK(engine.asked().empty());
  StepwiseEngine other = driven(two_hops("all"));
  other.begin({}, {0, 1});
  CHECK(other.agenda() == std::vector<Choice>{{EventKind::arrive, 2, 0, 0}});
}

TEST_CASE("a decision that is no answer is the driver's mistake, and can be taken back") {
  StepwiseEngine engine = driven(two_hops("all"));
  engine.begin();
  const RunState begun = engine.state().copy();
  CHECK_THROWS_AS(engine.take(0, {}, {0, 2}), std::out_of_range);
  engine.go_on_from(begun);
  engine.take(0, {}, {0, 1});
  CHECK(engine.agenda().size() == 1);
}

TEST_CASE("choices can be decided in a step in which their actor dies") {
  StepwiseEngine engine = driven(two_hops("all"));
  engine.begin({{0, 1}}, {0, 1});
  CHECK(engine.asked() == Bounds{2, 2});
  CHECK_FALSE(engine.state().actors[0].alive);
  CHECK(engine.agenda() == std::vector<Choice>{{EventKind::arrive, 2, 0, 0}});
}

TEST_CASE("seeded choices are not asked for, and their streams are part of the state") {
  const auto digests = [](const std::string& choices) {
    std::set<StateDigest> found;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      StepwiseEngine engine = driven(two_hops(choices), seed);
      engine.begin();
      if (choices == "seeded") CHECK(engine.asked().empty());
      found.insert(engine.digest());
    }
    return found.size();
  };
  CHECK(digests("seeded") == 19);
  CHECK(digests("all") == 1);  // no seed counts where the driver chooses
}

TEST_CASE("what led to a state is no part of it where the driver chooses") {
  // Two tokens make a hop each. In which order ranks choose shows in no stream.
  Job job(3);
  job.workload(
      "uniform-traffic",
      {{"tokens", std::int64_t{2}}, {"hops", std::int64_t{3}}, {"choices", std::string("all")}});
  StepwiseEngine engine = driven(job.spec);
  engine.begin();  // 0 and 1 send to each other
  const RunState begun = engine.state().copy();
  engine.take(0, {}, {1});
  engine.take(0, {}, {1});
  const StateDigest digest = engine.digest();
  engine.go_on_from(begun);
  engine.take(1, {}, {1});
  engine.take(0, {}, {1});
  CHECK(engine.digest() == digest);
}

TEST_CASE("an ordinary run draws the same numbers, whether choices are open or not") {
  for (const scenario::EngineKind engine : engines()) {
    const auto sent_s = [&](const std::string& choices) {
      Job job(5, quick_machine());
      job.workload("token-ring", {{"most_steps", std::int64_t{50}},
                                  {"stop_probability", 0.02},
                                  {"branch_probability", 0.3},
                                  {"choices", choices}});
      const Seen seen = job.detector("cda").run(engine, 7);
      CHECK(seen.violations().empty());
      return std::pair(seen.metric("termination_time_s"), seen.metric("token_moves"));
    };
    CHECK(sent_s("all") == sent_s("seeded"));
  }
}

}  // namespace faultline::engine
