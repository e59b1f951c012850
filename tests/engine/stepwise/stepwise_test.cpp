// SPDX-License-Identifier: Apache-2.0

// A driver chooses what happens next in a run, lets actors die in the middle of a step, and goes on
// from copies: all orders of small jobs, counted by hand.

#include "sim/engine/stepwise/stepwise_engine.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr Rank kRing = 3;
constexpr Mark kOneMark{"one", "after a message"};
constexpr Mark kTwoMark{"two", "after that"};

StepwiseEngine driven(const Job& job) {
  return StepwiseEngine(run_job(without_costs(job.spec), 1, 0));
}

/// Passes a message on around the ring, which makes a number of hops from here.
void pass_on(ScriptContext& context, std::uint64_t hops) {
  context.send((context.self() + 1) % kRing, 0, 8).payload.put(hops);
}

/// Each rank that `starts` sends a message around the ring, which ends after a number of hops.
/// Ranks remember nothing, so the state of a run is what is under way.
void ring(Job& job, std::uint64_t hops, const std::set<Rank>& starts) {
  job.script(Family::workload, [hops, starts](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (starts.count(self) > 0) pass_on(context, hops);
    };
    handlers.message = [](ScriptContext& context, const Message& message) {
      const auto left = message.payload.get<std::uint64_t>();
      if (left > 1) pass_on(context, left - 1);
    };
    return handlers;
  });
}

/// The number of ways in which a run can go on from here.
std::uint64_t orders_from(StepwiseEngine& engine) {
  const std::size_t choices = engine.agenda().size();
  if (choices == 0) return 1;
  const RunState here = engine.state().copy();
  std::uint64_t orders = 0;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    engine.go_on_from(here);
    engine.take(choice);
    orders += orders_from(engine);
  }
  return orders;
}

struct Graph {
  std::set<StateDigest> states;
  std::size_t steps = 0;
};

/// All states that can be reached from here.
void explore(StepwiseEngine& engine, Graph& graph) {
  if (!graph.states.insert(engine.digest()).second) return;
  const std::size_t choices = engine.agenda().size();
  const RunState here = engine.state().copy();
  for (std::size_t choice = 0; choice < choices; ++choice) {
    engine.go_on_from(here);
    engine.take(choice);
    ++graph.steps;
    explore(engine, graph);
  }
}

struct Counts {
  std::uint64_t orders;
  std::size_t states;
  std::size_t steps;

  bool operator==(const Counts&) const = default;
};

Counts counted(const Job& job) {
  StepwiseEngine engine = driven(job);
  engine.begin();
  const RunState begun = engine.state().copy();
  const std::uint64_t orders = orders_from(engine);
  engine.go_on_from(begun);
  Graph graph;
  explore(engine, graph);
  return {orders, graph.states.size(), graph.steps};
}

}  // namespace

TEST_CASE("all orders of a ring of three processes are those counted by hand") {
  Job job(kRing);
  SECTION("one message each: 3! orders, and each message is there or not") {
    ring(job, 1, {0, 1, 2});
    CHECK(counted(job) == Counts{6, 8, 12});
  }
  // Each of three messages makes two hops in turn: 6! / (2! 2! 2!) orders. Each has made 0, 1 or 2
  // hops: 3^3 states. In 2 x 9 of these a given message can move.
  SECTION("two hops each, in any order") {
    ring(job, 2, {0, 1, 2});
    job.spec.platform.ordering = scenario::Ordering::unordered;
    CHECK(counted(job) == Counts{90, 27, 54});
  }
  // The second hop b of a message follows its first hop a, and overtakes no message that was sent
  // to the same rank before: b1 comes after a1 and a2, b2 after a2 and a3, b3 after a3 and a1. Say
  // that the first hops happen in the order a1, a2, a3, one of 3!. Then b1 comes between a2 and a3,
  // before b2 and b3 in either order (2 orders), or all three come last (3! orders): 6 x 8 orders.
  // States are sets of hops that have happened: with none of the first hops 1, with one 3, with two
  // 3 x 2, with all 2^3. Steps lead from them: 3, then 3 x 2, then 3 x (2 + 1) (either a b, or the
  // last a), then 3 x 2^2.
  SECTION("two hops each, in the order of sending") {
    ring(job, 2, {0, 1, 2});
    CHECK(counted(job) == Counts{48, 18, 30});
  }
}

namespace {

/// Runs with one death, which strikes in the middle or at the end of a step, or between two steps.
class WithOneDeath {
 public:
  explicit WithOneDeath(const Job& job) : engine_(driven(job)) {
    engine_.begin();
    const std::vector<std::uint64_t> done = engine_.done();
    const RunState begun = engine_.state().copy();
    go_on_from(begun);
    for (Rank rank = 0; rank < kRing; ++rank)
      for (std::uint64_t after = 0; done[rank] > 0 && after <= done[rank]; ++after) {
        StepwiseEngine anew = driven(job);
        anew.begin({{rank, after}});
        ++in_step;
        to_the_end(anew);
      }
  }

  std::size_t in_step = 0;
  std::size_t between = 0;
  std::map<double, std::size_t> lost;  ///< runs, by the messages that were lost
  std::set<StateDigest> after_death;

 private:
  void go_on_from(const RunState& here) {
    engine_.go_on_from(here);
    const std::vector<Choice> agenda = engine_.agenda();
    if (agenda.empty()) return;
    for (Rank rank = 0; rank < kRing; ++rank) {
      engine_.go_on_from(here);
      engine_.kill(rank);
      ++between;
      to_the_end(engine_);
    }
    for (std::size_t choice = 0; choice < agenda.size(); ++choice) {
      engine_.go_on_from(here);
      engine_.take(choice);
      const std::uint64_t done = engine_.done()[agenda[choice].actor];
      go_on_from(engine_.state().copy());
      for (std::uint64_t after = 0; after <= done; ++after) {
        engine_.go_on_from(here);
        engine_.take(choice, {{agenda[choice].actor, after}});
        ++in_step;
        to_the_end(engine_);
      }
    }
  }

  /// Nothing else dies, and the ring leaves no choice.
  void to_the_end(StepwiseEngine& engine) {
    after_death.insert(engine.digest());
    while (!engine.agenda().empty()) engine.take(0);
    const RunResult result = engine.end();
    CHECK(result.violations.empty());
    ++lost[*result.metrics.values().at("application_messages_lost")];
  }

  StepwiseEngine engine_;
};

}  // namespace

// One message goes 0 -> 1 -> 2 -> 0. Each of four steps (the start, and the three arrivals) can be
// cut before and after the message that it sends; the last one sends none: 3 x 2 + 1 runs. Before
// each arrival any of the ranks can die: 3 x 3 runs.
//
// The message is lost if it is not sent, or if its receiver is dead. It is not if rank 1 or 2 dies
// behind it (rank 1 after its send: 1 run; before the next arrivals: 2; rank 2 after its send: 1;
// before the last arrival: 1), or rank 0 when it has arrived there (1 run).
//
// The state after a death is the dead actor and which of its three hops the message is about to
// make, if it is not lost. Rank 0 dies before the first or second hop, or the message is lost; and
// so for the others: 3 x 3 states.
TEST_CASE("an actor can die between any two sends, and between any two steps") {
  Job job(kRing);
  ring(job, 3, {0});
  const WithOneDeath runs(job);
  CHECK(runs.in_step == 7);
  CHECK(runs.between == 9);
  CHECK(runs.after_death.size() == 9);
  CHECK(runs.lost == std::map<double, std::size_t>{{0.0, 6}, {1.0, 10}});
}

TEST_CASE("an actor can die between two actions of a handler, and the rest is dropped") {
  Job job(2);
  job.script(Family::workload,
             [](ActorId self) {
               Handlers handlers;
               handlers.start = [self](ScriptContext& context) {
                 if (self != 0) return;
                 context.send(1, 0, 8);
                 context.mark(kOneMark, 1);
                 context.mark(kTwoMark, 2);
               };
               return handlers;
             },
             {.marks = {&kOneMark, &kTwoMark}});
  job.spec.faults.push_back(at_mark("two", 2, {1}));
  for (const std::uint64_t after : {0, 1, 2, 3}) {
    StepwiseEngine engine = driven(job);
    engine.begin({{0, after}});
    CAPTURE(after);
    CHECK(engine.done()[0] == after);
    CHECK_FALSE(engine.state().actors[0].alive);
    CHECK(engine.state().actors[1].alive == (after < 3));
    CHECK(engine.agenda().size() == (after == 1 || after == 2 ? 1 : 0));
  }
}

TEST_CASE("timers, computations and notices may come in any order, whatever their delays") {
  Job job(2);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1000.0}});
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 0) return;
      context.set_timer(7, 50);
      context.compute(3, 8);
      context.send(1, 2, 8);
    };
    return handlers;
  });
  StepwiseEngine engine = driven(job);
  engine.begin();
  engine.kill(1);
  const std::vector<Choice> expected = {{EventKind::timer, 0, kNobody, 7},
                                        {EventKind::compute_done, 0, kNobody, 8},
                                        {EventKind::exit_notice, 0, 1, 0}};
  CHECK(engine.agenda() == expected);  // the message to the dead is gone
  const RunState here = engine.state().copy();
  CHECK(orders_from(engine) == 6);
  engine.go_on_from(here);
  for (int left = 3; left > 0; --left) engine.take(static_cast<std::size_t>(left) - 1);
  CHECK(engine.agenda().empty());
  CHECK(engine.end().violations.empty());
}

TEST_CASE("an abandoned computation is nothing that can happen next, and leaves no trace") {
  const auto until_abandoned = [](bool computes) {
    Job job(1);
    job.script(Family::workload, [computes](ActorId) {
      Handlers handlers;
      handlers.start = [computes](ScriptContext& context) {
        if (computes) context.compute(3, 8);
        context.set_timer(7, 50);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
        context.cancel_computations();
        context.set_timer(9, 50);
      };
      return handlers;
    });
    StepwiseEngine engine = driven(job);
    engine.begin();
    engine.take(engine.agenda().size() - 1);
    CHECK(engine.agenda() == std::vector<Choice>{{EventKind::timer, 0, kNobody, 9}});
    return engine.digest();
  };
  CHECK(until_abandoned(true) == until_abandoned(false));
}

TEST_CASE("a timer that is cancelled while it waits for the processor cannot happen any more") {
  Job job(1);
  job.spec.platform.progress = scenario::Progress::between;
  job.script(Family::workload, [](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) {
      context.set_timer(7, 1);
      context.compute(3, 8);
    };
    handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
      context.cancel_timer(7);
      context.set_timer(9, 50);
      context.spend(2);  // the processor is not free when the timer would be handled
    };
    return handlers;
  });
  StepwiseEngine engine = driven(job);
  engine.begin();
  engine.take(0);  // the timer runs out, and waits until the computation has ended
  REQUIRE(engine.agenda() == std::vector<Choice>{{EventKind::compute_done, 0, kNobody, 8}});
  engine.take(0);
  CHECK(engine.agenda() == std::vector<Choice>{{EventKind::timer, 0, kNobody, 9}});
}

namespace {

using Successor = std::tuple<EventKind, ActorId, ActorId, std::uint64_t, StateDigest>;

/// What can come next, and where it leads to.
std::vector<Successor> successors(StepwiseEngine& engine) {
  const RunState here = engine.state().copy();
  const std::vector<Choice> agenda = engine.agenda();
  std::vector<Successor> successors;
  for (std::size_t choice = 0; choice < agenda.size(); ++choice) {
    engine.go_on_from(here);
    engine.take(choice);
    const Choice& taken = agenda[choice];
    successors.emplace_back(taken.kind, taken.actor, taken.peer, taken.detail, engine.digest());
  }
  for (Rank rank = 0; rank < here.actors.size(); ++rank) {
    engine.go_on_from(here);
    if (here.actors[rank].alive) engine.kill(rank);
    successors.emplace_back(EventKind::fault, rank, kNobody, 0, engine.digest());
  }
  engine.go_on_from(here);
  std::sort(successors.begin(), successors.end());
  return successors;
}

/// Random walks through the runs of a job, with up to `deaths` deaths. Wherever a state comes again
/// on another path, the same can come next and lead to the same states.
class Walks {
 public:
  Walks(const Job& job, std::size_t deaths) : job_(job), deaths_(deaths) {}

  void walk(std::uint64_t seed) {
    Stream random(seed, 0, Purpose::workload, 0);
    StepwiseEngine engine = driven(job_);
    engine.begin();
    std::size_t deaths = 0;
    while (!engine.agenda().empty()) {
      compare(engine);
      if (deaths < deaths_ && random.chance(0.1)) {
        engine.kill(static_cast<Rank>(random.below(engine.state().actors.size())));
        ++deaths;
        continue;
      }
      engine.take(random.below(engine.agenda().size()));
    }
    for (const audit::Violation& violation : engine.end().violations)
      FAIL(violation.kind << ": " << violation.detail);
  }

  std::size_t again = 0;

 private:
  void compare(StepwiseEngine& engine) {
    const auto known = known_.find(engine.digest());
    std::vector<Successor> next = successors(engine);
    if (known == known_.end()) {
      known_.emplace(engine.digest(), std::move(next));
      return;
    }
    ++again;
    CHECK(known->second == next);
  }

  const Job& job_;
  std::size_t deaths_;
  std::map<StateDigest, std::vector<Successor>> known_;
};

/// Whether the detector goes on when a rank has died.
bool survives(const std::string& detector) {
  return detector == "indep" || detector == "rel-lazy" || detector == "rel-eager";
}

}  // namespace

TEST_CASE("states with the same digest have the same future, whatever led to them") {
  for (const std::string& detector : detectors())
    for (const scenario::Ordering ordering :
         {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
      if (ordering == scenario::Ordering::unordered && detector == "edod") continue;  // needs fifo
      CAPTURE(detector);
      Job job(kRing);
      ring(job, 3, {0, 1});
      job.detector(detector);
      if (survives(detector)) job.use(Family::failure_detection, "oracle");
      job.spec.platform.ordering = ordering;
      Walks walks(job, survives(detector) ? 1 : 0);
      for (std::uint64_t seed = 0; seed < 30; ++seed) walks.walk(seed);
      CHECK(walks.again > 100);
    }
}

// Rank 0 declares rank 2 dead, takes that back whenever rank 2 denies it, which it does up to
// twice, and then declares it dead again.
TEST_CASE("states in which a report was taken back have the same future, whatever led to them") {
  Job job(kRing);
  ring(job, 3, {1, 2});
  job.script(Family::failure_detection,
             [](ActorId self) {
               Handlers handlers;
               handlers.start = [self](ScriptContext& context) {
                 if (self != 1) context.set_timer(1, 5);
                 if (self == 2) context.set_timer(2, 5);
               };
               handlers.timer = [self](ScriptContext& context, std::uint64_t) {
                 if (self == 0)
                   context.report_failed(2);
                 else
                   context.send(0, 0, 8);
               };
               handlers.message = [](ScriptContext& context, const Message& message) {
                 context.take_back({message.from, 0});
                 context.set_timer(1, 5);
               };
               return handlers;
             },
             {.traits = DetectorTraits{.takes_back = [](const OptionValues&) { return true; }}});
  Walks walks(job, 1);
  for (std::uint64_t seed = 0; seed < 30; ++seed) walks.walk(seed);
  CHECK(walks.again > 100);
}

TEST_CASE("states in which several have declared a live rank dead have the same future") {
  Job job(kRing);
  ring(job, 3, {1, 2});
  job.script(Family::failure_detection, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 2) context.set_timer(1, 5);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.report_failed(2); };
    return handlers;
  });
  Walks walks(job, 1);
  for (std::uint64_t seed = 0; seed < 60; ++seed) walks.walk(seed);
  CHECK(walks.again > 100);
}

}  // namespace faultline::engine
