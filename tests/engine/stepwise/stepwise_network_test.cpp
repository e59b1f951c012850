// SPDX-License-Identifier: Apache-2.0

// A driver lets a network lose messages, ranks stall, and messages wait before a NIC: all ways of
// small jobs, counted by hand.

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

StepwiseEngine driven(const Job& job) {
  return StepwiseEngine(run_job(without_costs(job.spec), 1, 0));
}

/// Rank 0 sends two messages of this family to rank 1.
void two_messages(Job& job, Family family) {
  job.script(family, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      for (int i = 0; self == 0 && i < 2; ++i) context.send(1, 0, 8);
    };
    return handlers;
  });
}

/// The number of ways in which a run can go on from here, by how many messages were lost.
void count_with_losses(StepwiseEngine& engine, std::size_t lost, std::vector<std::size_t>& ways) {
  const std::size_t choices = engine.agenda().size();
  if (choices == 0) {
    if (ways.size() <= lost) ways.resize(lost + 1);
    ++ways[lost];
    return;
  }
  const RunState here = engine.state().copy();
  for (std::size_t choice = 0; choice < choices; ++choice) {
    engine.go_on_from(here);
    REQUIRE(engine.can_lose(choice));
    engine.take(choice);
    count_with_losses(engine, lost, ways);
    engine.go_on_from(here);
    engine.lose(choice);
    count_with_losses(engine, lost + 1, ways);
  }
}

}  // namespace

// Each of two messages is handled or lost: 2 x 2 ways in the order of sending. In any order it is
// twice as many: the other one can be the first.
TEST_CASE("a network can lose any message of a failure detector between two nodes") {
  Job job(2);
  two_messages(job, Family::failure_detection);
  std::vector<std::size_t> ways;
  SECTION("in the order of sending") {
    StepwiseEngine engine = driven(job);
    engine.begin();
    count_with_losses(engine, 0, ways);
    CHECK(ways == std::vector<std::size_t>{1, 2, 1});
  }
  SECTION("in any order") {
    job.spec.platform.ordering = scenario::Ordering::unordered;
    StepwiseEngine engine = driven(job);
    engine.begin();
    count_with_losses(engine, 0, ways);
    CHECK(ways == std::vector<std::size_t>{2, 4, 2});
  }
}

TEST_CASE("a network loses no message of a workload, and none within a node") {
  Job job(2);
  SECTION("of a workload") { two_messages(job, Family::workload); }
  SECTION("within a node") {
    job.spec.platform.processes_per_node = 2;
    two_messages(job, Family::failure_detection);
  }
  StepwiseEngine engine = driven(job);
  engine.begin();
  REQUIRE_FALSE(engine.agenda().empty());
  CHECK_FALSE(engine.can_lose(0));
}

namespace {

/// The number of ways in which a run can go on from here, if that many ranks may still stall.
std::size_t ways_with_stalls(StepwiseEngine& engine, Rank ranks, int stalls) {
  const std::size_t choices = engine.agenda().size();
  if (choices == 0) return 1;
  const RunState here = engine.state().copy();
  std::size_t ways = 0;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    engine.go_on_from(here);
    engine.take(choice);
    ways += ways_with_stalls(engine, ranks, stalls);
  }
  for (Rank rank = 0; stalls > 0 && rank < ranks; ++rank) {
    engine.go_on_from(here);
    if (!engine.can_stall(rank)) continue;
    engine.stall(rank);
    ways += ways_with_stalls(engine, ranks, stalls - 1);
  }
  return ways;
}

}  // namespace

TEST_CASE("a rank that stalls does nothing until its stall ends") {
  Job job(2);
  two_messages(job, Family::workload);
  StepwiseEngine engine = driven(job);
  engine.begin();
  engine.stall(1);
  CHECK_FALSE(engine.can_stall(1));
  CHECK(engine.can_stall(0));
  CHECK(engine.agenda() == std::vector<Choice>{{EventKind::stall_end, 1, kNobody, 0}});
  engine.take(0);
  CHECK(engine.can_stall(1));
  CHECK(engine.agenda().size() == 1);
  CHECK(engine.agenda()[0].kind == EventKind::arrive);
  engine.kill(1);
  CHECK_FALSE(engine.can_stall(1));
}

// Without a stall there is one way, as the two messages come in order. With one:
// - Rank 1 can stall before either message. Nothing else happens until the stall ends: 2 ways.
// - Rank 0 can stall before either of them. The end of the stall comes before all that is left,
//   between the two if there are two, or behind all, when the run is over and nothing comes any
//   more. Before the first: 2 places in front of a message. Before the second: 1. And the run may
//   end without it: 2 ways more.
TEST_CASE("a rank can stall before any step, and others go on meanwhile") {
  Job job(2);
  two_messages(job, Family::workload);
  StepwiseEngine engine = driven(job);
  engine.begin();
  const RunState begun = engine.state().copy();
  CHECK(ways_with_stalls(engine, 2, 0) == 1);
  engine.go_on_from(begun);
  CHECK(ways_with_stalls(engine, 2, 1) == 1 + 2 + 3 + 2);
}

namespace {

/// Ranks 0 and 1 share a node; rank 0 sends two messages to rank 2, on another one.
std::unique_ptr<StepwiseEngine> two_before_a_nic(bool wait,
                                                 const std::vector<std::uint64_t>& decisions) {
  Job job(3);
  job.spec.platform.processes_per_node = 2;
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      for (int i = 0; self == 0 && i < 2; ++i) context.send(2, 0, 8);
    };
    return handlers;
  });
  auto engine = std::make_unique<StepwiseEngine>(run_job(without_costs(job.spec), 1, 0));
  engine->let_departures_wait(wait);
  engine->begin({}, decisions);
  return engine;
}

std::vector<EventKind> agenda_of(StepwiseEngine& engine) {
  std::vector<EventKind> kinds;
  for (const Choice& choice : engine.agenda()) kinds.push_back(choice.kind);
  return kinds;
}

}  // namespace

TEST_CASE("a message departs at once unless departures may wait") {
  const auto made = two_before_a_nic(false, {});
  StepwiseEngine& engine = *made;
  CHECK(engine.asked().empty());
  CHECK(agenda_of(engine) == std::vector<EventKind>{EventKind::arrive});
}

// The driver is asked of the first message. If that waits, so does the second, and nobody asks. If
// it departs, the second is asked of.
TEST_CASE("what waits before a NIC departs in order, and is lost with its sender") {
  SECTION("the first waits") {
    const auto made = two_before_a_nic(true, {0});
    StepwiseEngine& engine = *made;
    CHECK(engine.asked() == std::vector<std::uint64_t>{2});
    CHECK(agenda_of(engine) == std::vector<EventKind>{EventKind::nic_ready});
    const RunState waiting = engine.state().copy();
    engine.kill(0);
    CHECK(engine.agenda().empty());
    engine.go_on_from(waiting);
    engine.take(0);  // the second has waited for longer than the first has been on its way
    CHECK(agenda_of(engine) == std::vector<EventKind>{EventKind::nic_ready, EventKind::arrive});
    engine.kill(0);
    CHECK(agenda_of(engine) == std::vector<EventKind>{EventKind::arrive});
  }
  SECTION("only the second waits") {
    const auto made = two_before_a_nic(true, {1, 0});
    StepwiseEngine& engine = *made;
    CHECK(engine.asked() == std::vector<std::uint64_t>{2, 2});
    CHECK(agenda_of(engine) == std::vector<EventKind>{EventKind::arrive, EventKind::nic_ready});
  }
  SECTION("both depart") {
    const auto made = two_before_a_nic(true, {1, 1});
    StepwiseEngine& engine = *made;
    CHECK(agenda_of(engine) == std::vector<EventKind>{EventKind::arrive});
  }
}

}  // namespace faultline::engine
