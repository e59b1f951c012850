// SPDX-License-Identifier: Apache-2.0

// Each process hears of a death alone, at its own time.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr Mark kHeardMark{"heard", "a rank hears of a death: which rank"};

/// Ranks that note which deaths they hear of, under an oracle.
void listening(Job& job, double delay_s, double spread_s) {
  job.script(Family::workload,
             [&job](ActorId) {
               Handlers handlers;
               handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
                 job.note(context, "failed", peer.actor);
                 context.mark(kHeardMark, context.self());
               };
               return handlers;
             },
             {.marks = {&kHeardMark}});
  job.use(Family::failure_detection, "oracle", {{"delay_s", delay_s}, {"spread_s", spread_s}});
}

/// Three ranks of which rank 0 computes until 100 s, and handles nothing meanwhile. Each rank notes
/// deaths; a notice takes a second.
void computing(Job& job) {
  job.spec.platform.progress = scenario::Progress::between;
  job.script(Family::workload, [&job](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.compute(100);
    };
    handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
    };
    return handlers;
  });
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1.0}});
}

std::vector<double> first_times(const Seen& seen, Rank ranks) {
  std::vector<double> times;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (!seen.times_s(rank, "failed").empty()) times.push_back(seen.times_s(rank, "failed")[0]);
  return times;
}

}  // namespace

TEST_CASE("notices come apart by spread_s, uniformly") {
  for (const scenario::EngineKind engine : engines()) {
    const Rank ranks = engine == scenario::EngineKind::loggp ? 2000 : 200;
    Job job(ranks, quick_machine());
    listening(job, 4, 6);
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    std::vector<double> times = first_times(seen, ranks);
    REQUIRE(times.size() == ranks - 1);
    std::sort(times.begin(), times.end());
    CHECK(times.front() >= 9);
    CHECK(times.back() <= 15);
    double worst = 0;  // Kolmogorov's distance from the uniform distribution
    for (std::size_t i = 0; i < times.size(); ++i)
      worst = std::max(worst, std::abs((times[i] - 9) / 6 - (static_cast<double>(i) + 0.5) /
                                                                static_cast<double>(ranks)));
    CHECK(worst < 1.63 / std::sqrt(ranks));  // 1 %
    CHECK(seen.metric("failure_reports") == ranks - 1);
  }
}

TEST_CASE("without a spread all hear at once, and the draws of one death change no other") {
  for (const scenario::EngineKind engine : engines()) {
    Job together(6);
    listening(together, 4, 0);
    together.kill(5, {1});
    CHECK(close(first_times(together.run(engine), 6), {9, 9, 9, 9, 9}, engine));

    Job one(6);
    listening(one, 4, 6);
    one.kill(5, {1});
    Job two(6);
    listening(two, 4, 6);
    two.kill(5, {1}).kill(30, {2});
    CHECK(close(first_times(one.run(engine), 6), first_times(two.run(engine), 6), engine));
  }
}

TEST_CASE("between two notices of one death, a listener can act and another can die") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    listening(job, 4, 0);
    job.kill(5, {1});
    job.spec.faults.push_back(at_mark("heard", 2, {3}));
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "failed") == Values{1, 3});
    CHECK(seen.values(2, "failed") == Values{1, 3});
    CHECK(seen.values(3, "failed").empty());
  }
}

TEST_CASE("the grace of a run begins when the last notice has come") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    listening(job, 2, 500);
    job.workload("flood", {{"fanout", 3}});
    job.detector("indep");
    job.spec.stop.grace_s = 100;
    job.kill(0.5, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.violations() == Words{});
  }
}

TEST_CASE(
    "a notice waits for a busy processor, in the order in which timers and notices were due") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) return;
        for (int i = 0; i < 5; ++i) context.send(1, 0, 0);  // a second of the processor for each
        context.set_timer(1, 3);
        context.set_timer(2, 1.5);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
        job.note(context, "timer", static_cast<std::int64_t>(key));
      };
      handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", peer.actor);
      };
      return handlers;
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1.0}});
    job.kill(1, {2});
    const Seen seen = job.run(engine);
    Words order;
    for (const Entry& entry : seen.log)
      if (entry.actor == 0) order.push_back(entry.what + std::to_string(entry.value));
    CHECK(order == Words{"timer2", "failed2", "timer1"});
    CHECK(close(seen.times_s(0, "failed"), {5}, engine));
  }
}

TEST_CASE("between computations, a notice waits until the computation ends") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    computing(job);
    job.kill(1, {2});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "failed"), {100}, engine));
    CHECK(close(seen.times_s(1, "failed"), {2}, engine));
    CHECK(seen.violations() == Words{});
  }
}

TEST_CASE("a notice that waits for the processor dies with its listener") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    computing(job);
    job.kill(1, {2}).kill(50, {0});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "failed").empty());
    CHECK(seen.values(1, "failed") == Values{2, 0});
    CHECK(seen.violations() == Words{});
  }
}

}  // namespace faultline::engine
