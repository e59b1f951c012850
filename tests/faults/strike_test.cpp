// SPDX-License-Identifier: Apache-2.0

// Deaths in whole runs: when they strike, whom they take, and what they leave.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::faults {

using namespace test;

namespace {

constexpr Mark kPlaceMark{"place", "a place in a handler, by number"};

/// Every rank ticks at 1, 2, 3, ... seconds.
void ticking(Job& job) {
  job.script(Family::workload, [&job](ActorId) {
    return Handlers{.start = [](ScriptContext& context) { context.set_timer(1, 1); },
                    .timer =
                        [&job](ScriptContext& context, std::uint64_t) {
                          job.note(context, "tick");
                          context.set_timer(1, 1);
                        }};
  });
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 10.5;
}

}  // namespace

TEST_CASE("a death at a stated time takes whom it names") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    ticking(job);
    job.kill(3.5, {1});
    job.kill(7.5, {0, 3});
    const Seen seen = job.run(engine);
    CHECK(seen.times_s(0, "tick").size() == 7);
    CHECK(seen.times_s(1, "tick").size() == 3);
    CHECK(seen.times_s(2, "tick").size() == 10);
    CHECK(seen.times_s(3, "tick").size() == 7);
    CHECK(seen.metric("failed_ranks") == 3);
  }
}

TEST_CASE("a death at time zero comes after the starts") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId) {
      return Handlers{.start =
                          [&job](ScriptContext& context) {
                            job.note(context, "start");
                            context.compute(1);
                          },
                      .compute_done = [&job](ScriptContext& context,
                                             std::uint64_t) { job.note(context, "done"); }};
    });
    job.kill(0, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.count("start") == 2);
    CHECK(seen.times_s(0, "done").size() == 1);
    CHECK(seen.times_s(1, "done").empty());
  }
}

TEST_CASE("dying twice is dying once") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    ticking(job);
    job.kill(3.5, {1});
    job.kill(5.5, {1, 1});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("failed_ranks") == 1);
    CHECK(seen.times_s(1, "tick").size() == 3);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a death by event number strikes after that event") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t event = 1; event <= 12; ++event) {
      Job job(3);
      ticking(job);
      FaultSpec fault;
      fault.event = event;
      fault.ranks = {1};
      job.spec.faults.push_back(fault);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", event " << event);
      // Events are the ticks of ranks 0, 1 and 2 in turn.
      CHECK(seen.times_s(1, "tick").size() == (event + 1) / 3);
      CHECK(seen.times_s(0, "tick").size() == 10);
    }
}

TEST_CASE("a death between two actions of one handler drops the later ones") {
  // The sends of a handler go first; then its actions are carried out one by one.
  for (const scenario::EngineKind engine : engines())
    for (std::int64_t place = 0; place <= 3; ++place) {
      Job job(2);
      job.script(Family::workload,
                 [&job](ActorId self) {
                   Handlers handlers;
                   handlers.start = [self](ScriptContext& context) {
                     if (self == 0) context.compute(5);
                   };
                   handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
                     context.mark(kPlaceMark, 0);
                     context.set_timer(1, 100);
                     context.mark(kPlaceMark, 1);
                     context.set_timer(2, 100);
                     context.mark(kPlaceMark, 2);
                     context.send(1, 0, 0);
                   };
                   handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
                     job.note(context, "timer", static_cast<std::int64_t>(key));
                   };
                   handlers.message = [&job](ScriptContext& context, const Message&) {
                     job.note(context, "got");
                   };
                   return handlers;
                 },
                 {.marks = {&kPlaceMark}});
      job.spec.faults.push_back(test::at_mark("place", place, {1}));
      const Seen other = job.run(engine);
      INFO(engine_word(engine) << ", place " << place);
      // Another rank's death drops nothing of this one.
      CHECK(other.values(0, "timer") == Values{1, 2});
      job.spec.faults = {test::at_mark("place", place, {0})};
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "timer") == (place == 3 ? Values{1, 2} : Values{}));
      CHECK(seen.metric("failed_ranks") == (place == 3 ? 0 : 1));
      // Its message had been handed over but not entered the network: it dies with its sender.
      CHECK(seen.count("got") == (place == 3 ? 1U : 0U));
    }
}

TEST_CASE("a death drops what the same handler asks for after it, and keeps what it asked before") {
  for (const scenario::EngineKind engine : engines())
    for (std::int64_t place = 1; place <= 4; ++place) {
      Job job(2);
      job.script(Family::workload,
                 [](ActorId self) {
                   return Handlers{.start = [self](ScriptContext& context) {
                     if (self == 1) return;
                     context.mark(kPlaceMark, 1);
                     context.finish();
                     context.mark(kPlaceMark, 2);
                   }};
                 },
                 {.marks = {&kPlaceMark}});
      job.spec.stop.when = scenario::StopWhen::finished;
      job.spec.faults.push_back(test::at_mark("place", place, {1}));
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", place " << place);
      // Rank 0 has finished: the run ends where rank 1, which never does, has died.
      CHECK(seen.result.outcome ==
            (place <= 2 ? engine::Outcome::finished : engine::Outcome::deadlock));
      job.spec.faults = {test::at_mark("place", place, {0})};
      CHECK(job.run(engine).result.outcome == engine::Outcome::deadlock);
    }
}

TEST_CASE("workloads publish the points at which faults can strike") {
  for (const scenario::EngineKind engine : engines()) {
    Job ring(4, quick_machine());
    ring.workload("token-ring", {{"walk_length", 30}});
    ring.spec.faults.push_back(test::at_mark("step", 10, {0, 1, 2, 3}));
    const Seen walked = ring.run(engine);
    CHECK(walked.metric("failed_ranks") == 4);
    CHECK(walked.metric("token_moves") + walked.metric("token_stays") == 10);

    Job grid(4, quick_machine());
    grid.workload("stencil", {{"iterations", 20}});
    grid.spec.faults.push_back(test::at_mark("iteration", 5, {2}));
    grid.spec.stop.when = scenario::StopWhen::finished;
    const Seen stuck = grid.run(engine);
    CHECK(stuck.result.outcome == engine::Outcome::deadlock);
    CHECK(stuck.metric("failed_ranks") == 1);

    Job pair(2, quick_machine());
    pair.workload("ping-pong", {{"repetitions", 20}});
    pair.spec.faults.push_back(test::at_mark("round-trip", 7, {0}));
    pair.spec.stop.when = scenario::StopWhen::finished;
    // The handler that publishes the mark sends the next message too: that one dies with it.
    const Seen played = pair.run(engine);
    CHECK(played.metric("application_messages") == 15);
    CHECK(played.metric("application_messages_lost") == 1);
  }
}

TEST_CASE("a node's death takes its ranks, under every mapping") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::Mapping mapping :
         {scenario::Mapping::block, scenario::Mapping::round_robin, scenario::Mapping::random}) {
      Job job(6);
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.mapping = mapping;
      ticking(job);
      job.kill(4.5, {}, {1});
      const Seen seen = job.run(engine);
      std::vector<Rank> dead;
      for (Rank rank = 0; rank < 6; ++rank)
        if (seen.times_s(rank, "tick").size() == 4) dead.push_back(rank);
      CHECK(seen.metric("failed_ranks") == 2);
      REQUIRE(dead.size() == 2);
      if (mapping == scenario::Mapping::block) CHECK(dead == std::vector<Rank>{2, 3});
      if (mapping == scenario::Mapping::round_robin) CHECK(dead == std::vector<Rank>{1, 4});
    }
}

TEST_CASE("a daemon's death takes the ranks of its node, a rank's death no other") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    ticking(job);
    job.kill(2.5, {}, {}, {2});
    job.kill(6.5, {1});
    const Seen seen = job.run(engine);
    for (const Rank rank : {4U, 5U}) CHECK(seen.times_s(rank, "tick").size() == 2);
    for (const Rank rank : {0U, 2U, 3U}) CHECK(seen.times_s(rank, "tick").size() == 10);
    CHECK(seen.times_s(1, "tick").size() == 6);
    CHECK(seen.metric("failed_ranks") == 3);
  }
}

}  // namespace faultline::faults
