// SPDX-License-Identifier: Apache-2.0

// The search over small jobs whose states, steps and orders are counted by hand.

#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "sim/core/invariant.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

constexpr Rank kRing = 3;

/// Each rank that `starts` sends a message around the ring, which ends after a number of hops.
/// Ranks remember nothing, so the state of a run is what is under way.
void ring(Job& job, std::uint64_t hops, const std::set<Rank>& starts) {
  const auto pass_on = [](ScriptContext& context, std::uint64_t left) {
    context.send((context.self() + 1) % kRing, 0, 8).payload.put(left);
  };
  job.script(Family::workload, [=](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (starts.count(self) > 0) pass_on(context, hops);
    };
    handlers.message = [=](ScriptContext& context, const Message& message) {
      const auto left = message.payload.get<std::uint64_t>();
      if (left > 1) pass_on(context, left - 1);
    };
    return handlers;
  });
}

ExplorationRequest request_of(const Job& job) { return {.spec = explored_spec(job.spec)}; }

}  // namespace

// The numbers are those of tests/engine/stepwise/stepwise_test.cpp.
TEST_CASE("a search by breadth or depth finds the states and steps that were counted by hand") {
  Job job(kRing);
  struct Counts {
    std::uint64_t states;
    std::uint64_t transitions;
    std::uint32_t depth;
  };
  Counts expected{};
  SECTION("one message each") {
    ring(job, 1, {0, 1, 2});
    expected = {8, 12, 3};
  }
  SECTION("two hops each, in any order") {
    ring(job, 2, {0, 1, 2});
    job.spec.platform.ordering = scenario::Ordering::unordered;
    expected = {27, 54, 6};
  }
  SECTION("two hops each, in the order of sending") {
    ring(job, 2, {0, 1, 2});
    expected = {18, 30, 6};
  }
  for (const SearchOrder order : {SearchOrder::breadth, SearchOrder::depth})
    for (const unsigned jobs : {1U, 3U}) {
      ExplorationRequest request = request_of(job);
      request.search = order;
      request.jobs = jobs;
      const ExplorationResult result = explore(request);
      CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
      CHECK(result.states == expected.states);
      CHECK(result.transitions == expected.transitions);
      CHECK(result.depth == expected.depth);
      CHECK(result.expanded == expected.states);
    }
}

// One message goes 0 -> 1 -> 2 -> 0, and one rank dies (tests/engine/stepwise/stepwise_test.cpp has
// the same job). States without a death are the 4 numbers of hops that have been made. With one:
// which ranks are dead, and which of its three hops the message is about to make, if it is not
// lost. Rank 0 dies before the first or second hop, or the message is lost; and so for the others:
// 3 x 3 states, of which the 3 with a lost message can end, and so can those in which it is yet to
// be lost.
TEST_CASE("a death between any two sends and steps leads to the states that were counted by hand") {
  Job job(kRing);
  ring(job, 3, {0});
  ExplorationRequest request = request_of(job);
  request.faults = 1;
  const ExplorationResult result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  CHECK(result.states == 4 + 9);
  request.crash = CrashPlaces::none;
  CHECK(explore(request).states == 4);
}

namespace {

/// A detector that takes the first acknowledgement for the end of all work: rank 0 sends a task to
/// each other rank, which acknowledges it at once.
void hasty(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 0) return;
      context.send(1, 0, 8);
      context.send(2, 0, 8);
    };
    return handlers;
  });
  job.script(Family::termination, [](ActorId) {
    Handlers handlers;
    handlers.receive = [](ScriptContext& context, Message& message) {
      context.send(message.from, 1, 8);
      return Passage::deliver;
    };
    handlers.message = [](ScriptContext& context, const Message&) { context.announce(); };
    return handlers;
  });
}

}  // namespace

// The shortest run: a rank has its task, rank 0 has the acknowledgement, and the other task is
// still on its way.
TEST_CASE("a wrong detector is refuted by the shortest run to its error") {
  Job job(kRing);
  hasty(job);
  std::optional<std::uint64_t> states;
  for (const unsigned jobs : {1U, 2U, 5U}) {
    ExplorationRequest request = request_of(job);
    request.jobs = jobs;
    const ExplorationResult result = explore(request);
    REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
    CHECK(result.refutation->violations.front().kind == "premature");
    CHECK(result.refutation->outcome == engine::Outcome::premature);
    CHECK(result.refutation->steps.size() == 3);
    if (!states) states = result.states;
    CHECK(result.states == *states);
    const ToldRun told = told_run(request, result.refutation->steps);
    CHECK(told.words ==
          Words{"all start", "rank 1 receives a from rank 0", "rank 0 receives b from rank 1"});
    scenario::RunSpec ordered = job.spec;
    ordered.order = told.order;
    const engine::RunResult again =
        engine::run_simulation(ordered, scenario::EngineKind::loggp, 1, 0);
    CHECK(again.outcome == engine::Outcome::premature);
    CHECK(again.violations.front().kind == "premature");
  }
}

TEST_CASE("a search by depth and random walks find a wrong detector, too") {
  Job job(kRing);
  hasty(job);
  for (const SearchOrder order : {SearchOrder::depth, SearchOrder::random}) {
    ExplorationRequest request = request_of(job);
    request.search = order;
    const ExplorationResult result = explore(request);
    REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
    CHECK(result.refutation->violations.front().kind == "premature");
  }
}

TEST_CASE("random walks choose for the workload, too, and come to every state of a small job") {
  Job job(kRing);
  job.workload("random-tree", {{"most_messages", 2}, {"choices", std::string("all")}});
  job.detector("dijkstra-scholten");
  ExplorationRequest request = request_of(job);
  const ExplorationResult all = explore(request);
  REQUIRE(all.verdict == ExplorationResult::Verdict::exhausted);
  request.search = SearchOrder::random;
  request.walks = 20000;
  const ExplorationResult walks = explore(request);
  CHECK(walks.verdict == ExplorationResult::Verdict::bounded);
  CHECK(walks.states == all.states);
  CHECK(walks.depth >= all.depth);  // all are found by breadth, so by the shortest way
}

TEST_CASE("a random walk that breaks a promise can be repeated with what the workload has chosen") {
  Job job(kRing);
  job.workload("random-tree", {{"most_messages", 2}, {"choices", std::string("all")}});
  job.script(Family::termination, [](ActorId self) {
    Handlers handlers;
    handlers.receive = [self](ScriptContext& context, Message&) {
      if (self == 2) context.announce();
      return Passage::deliver;
    };
    return handlers;
  });
  ExplorationRequest request = request_of(job);
  request.search = SearchOrder::random;
  const ExplorationResult result = explore(request);
  REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
  const ToldRun told = told_run(request, result.refutation->steps);
  scenario::RunSpec ordered = job.spec;
  ordered.order = told.order;
  const engine::RunResult again =
      engine::run_simulation(ordered, scenario::EngineKind::loggp, 1, 0);
  CHECK(again.violations.front().kind == result.refutation->violations.front().kind);
}

TEST_CASE("a search that comes to a limit is bounded, and says which limit it was") {
  Job job(kRing);
  ring(job, 2, {0, 1, 2});
  ExplorationRequest request = request_of(job);
  request.depth = 2;
  ExplorationResult result = explore(request);
  CHECK(result.verdict == ExplorationResult::Verdict::bounded);
  CHECK(result.limit == SearchLimit::depth);
  CHECK(result.depth == 2);
  // One of three messages has made its first hop, or two have. A second hop comes later: at its
  // receiver it waits for the first hop of the message that was sent there before.
  CHECK(result.states == 1 + 3 + 3);
  CHECK(result.expanded == 1 + 3);
  request.depth = 6;
  CHECK(explore(request).verdict == ExplorationResult::Verdict::exhausted);
  for (const unsigned jobs : {1U, 2U}) {
    request.states = 7;
    request.jobs = jobs;
    result = explore(request);
    CHECK(result.limit == SearchLimit::states);
    CHECK(result.states == 7);
  }
  request = request_of(job);
  result = explore(request, [](const ExplorationProgress&) { return false; });
  CHECK(result.limit == SearchLimit::interrupt);
  CHECK(result.verdict == ExplorationResult::Verdict::bounded);
  request.memory_B = 1;
  CHECK(explore(request).limit == SearchLimit::memory);
}

TEST_CASE("an interrupt ends a search while it looks for runs that have no end") {
  Job job(kRing);
  ring(job, 16, {0, 1, 2});
  job.spec.platform.ordering = scenario::Ordering::unordered;
  constexpr std::uint64_t kAll = 17ULL * 17 * 17;  // each message has made 0 to 16 hops
  int asked = 0;                                   // since all states are known
  const ExplorationResult result = explore(request_of(job), [&](const ExplorationProgress& so_far) {
    return so_far.states < kAll || so_far.waiting > 0 || ++asked < 2;
  });
  CHECK(result.states == kAll);
  CHECK(result.limit == SearchLimit::interrupt);
  CHECK(result.verdict == ExplorationResult::Verdict::bounded);
  CHECK(!result.progress_checked);
  CHECK(explore(request_of(job)).progress_checked);
}

TEST_CASE("without a memory of steps, states are rebuilt from their paths to the same result") {
  Job job(kRing);
  ring(job, 3, {0, 1, 2});
  ExplorationRequest request = request_of(job);
  const ExplorationResult recalled = explore(request);
  request.recall = StepRecall::nothing;
  const ExplorationResult rebuilt = explore(request);
  CHECK(recalled.verdict == ExplorationResult::Verdict::exhausted);
  CHECK(rebuilt.verdict == ExplorationResult::Verdict::exhausted);
  CHECK(recalled.states == rebuilt.states);
  CHECK(recalled.transitions == rebuilt.transitions);
}

// Two ranks wake each other for ever; nothing is left that an auditor of one state could find.
TEST_CASE("hung: a circle of states from which no end can be reached") {
  Job job(2);
  job.script(Family::workload, [](ActorId) { return Handlers{}; });
  job.script(Family::termination, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.send(1, 0, 8);
    };
    handlers.message = [](ScriptContext& context, const Message& message) {
      context.send(message.from, 0, 8);
    };
    return handlers;
  });
  const ExplorationResult result = explore(request_of(job));
  REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
  CHECK(result.refutation->violations.front().kind == "hung");
  CHECK(result.states == 2);
}

TEST_CASE("a broken invariant is a broken promise") {
  Job job(2);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.send(1, 0, 8);
    };
    handlers.message = [](ScriptContext&, const Message&) { invariant(false, "never a message"); };
    return handlers;
  });
  const ExplorationResult result = explore(request_of(job));
  REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
  CHECK(result.refutation->violations.front().kind == "broken-invariant");
  CHECK(result.refutation->violations.front().detail.find("never a message") != std::string::npos);
  CHECK(result.refutation->steps.size() == 2);
}

namespace {

/// Ranks 0 and 2 each have a token that goes to rank 1 and back. Rank 1 announces when it gets one
/// of them twice in a row, or, if it is told to, with the computation of rank 0.
class AlternatingPairs final : public TerminationDetector {
 public:
  AlternatingPairs(Rank self, bool waits) : self_(self), waits_(waits) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<AlternatingPairs>(*this);
  }

  void start(TerminationContext& context) override {
    if (self_ != 1) context.send(1, kToken, 8);
  }
  void on_idle(TerminationContext& context) override {
    if (waits_ && self_ == 0) context.send(1, kOver, 8);
  }
  void on_message(TerminationContext& context, const Message& message) override {
    if (over_) return;
    over_ = message.kind == kOver || (!waits_ && self_ == 1 && message.from == last_);
    last_ = message.from;
    if (!over_) return static_cast<void>(context.send(message.from, kToken, 8));
    if (self_ == 1)
      for (const Rank other : {0, 2}) context.send(other, kOver, 8);
    context.announce();
  }

 private:
  enum Kind : std::uint16_t { kToken, kOver };
  void digest_state(Digest& into) const override { into.add(over_, last_); }

  Rank self_;
  bool waits_;
  bool over_ = false;
  Rank last_ = kNobody;
};

ExplorationResult explored_alternating(bool waits) {
  Job job(3);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.compute(1);
    };
    return handlers;
  });
  job.own(Family::termination,
          [waits](ActorId self) { return std::make_unique<AlternatingPairs>(self, waits); },
          {.traits = TerminationTraits{.announces = true}});
  ExplorationRequest request = request_of(job);
  request.goal = Goal{.name = "hung"};
  return explore(request);
}

}  // namespace

// The tokens can come in turn for ever, each time round, and every message arrives.
TEST_CASE("hung: a circle in which a fair run can stay, although it can also leave it") {
  const ExplorationResult result = explored_alternating(false);
  REQUIRE(result.verdict == ExplorationResult::Verdict::reached);
  CHECK(result.reached->violations.front().kind == "hung");
  CHECK(result.reached->violations.front().detail.find("lead back to the same state") !=
        std::string::npos);
}

// The computation can end in every state of the circle, so that no fair run stays there.
TEST_CASE("a circle that something leaves which can happen all the time is not fair") {
  const ExplorationResult result = explored_alternating(true);
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  CHECK(result.progress_checked);
  CHECK(result.fairness_checked);
}

}  // namespace faultline::exploration
