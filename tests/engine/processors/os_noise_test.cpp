// SPDX-License-Identifier: Apache-2.0

// Processors that the operating system takes away now and then.

#include <catch2/catch.hpp>

#include "sim/core/random.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr double kInterval_s = 100;
constexpr double kLength_s = 30;

/// When a node is interrupted first, with the seed that Job uses.
double first_s(NodeId node) {
  return kInterval_s * Stream(1, 0, Purpose::os_noise, node).uniform();
}

/// Two ranks on two nodes, of which node 1 is interrupted. Rank 0 sends, and rank 1 does `work`, at
/// the given times after the node's first interruption has begun. Rank 1 answers messages.
Seen interrupted(const Times& sends_s, const Times& works_s,
                 const std::function<void(ScriptContext&)>& work, scenario::EngineKind engine,
                 const std::function<void(Job&)>& prepare = {}) {
  Job job(2);
  job.spec.platform.os_noise = scenario::OsNoise{kInterval_s, kLength_s, {1}};
  if (prepare) prepare(job);
  job.script(Family::workload, [&](ActorId self) {
    Handlers handlers;
    const Times times_s = self == 0 ? sends_s : works_s;
    handlers.start = [times_s](ScriptContext& context) {
      for (std::size_t i = 0; i < times_s.size(); ++i)
        context.set_timer(i, first_s(1) + times_s[i]);
    };
    handlers.timer = [&job, self, work](ScriptContext& context, std::uint64_t) {
      job.note(context, "timer");
      if (self == 1) work(context);
      if (self == 0) context.send(1, 0, 0);
    };
    handlers.message = [&job, self](ScriptContext& context, const Message&) {
      job.note(context, "got");
      if (self == 1) context.send(0, 1, 0);
    };
    handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
      job.note(context, "computed");
    };
    return handlers;
  });
  return job.run(engine);
}

Times after_first(Times times_s) {
  for (double& time_s : times_s) time_s += first_s(1);
  return times_s;
}

}  // namespace

TEST_CASE("messages wait while the processor of their receiver is away") {
  for (const scenario::EngineKind engine : engines()) {
    // They arrive at 110, in the interruption from 100 to 130, at 199.5, and at 260.
    const Seen seen = interrupted({99, 188.5, 249}, {}, {}, engine);
    CHECK(close(seen.times_s(1, "got"), after_first({131, 230.5, 261}), engine));
    CHECK(close(seen.times_s(0, "got"), after_first({143, 242.5, 273}), engine));
  }
}

TEST_CASE("timers, sends and computations wait for the processor, too") {
  for (const scenario::EngineKind engine : engines()) {
    const auto work = [](ScriptContext& context) {
      context.send(0, 0, 0);
      context.compute(150);
    };
    const Seen seen = interrupted({}, {310}, work, engine);
    CHECK(close(seen.times_s(1, "timer"), after_first({330}), engine));
    CHECK(close(seen.times_s(0, "got"), after_first({342}), engine));
    // From 331 to 400, from 430 to 500, and 11 s more.
    CHECK(close(seen.times_s(1, "computed"), after_first({541}), engine));
  }
}

TEST_CASE("a send that an interruption cuts in two goes on after it") {
  for (const scenario::EngineKind engine : engines()) {
    const auto work = [](ScriptContext& context) { context.send(0, 0, 0); };
    const Seen seen = interrupted({}, {99.75}, work, engine);
    CHECK(close(seen.times_s(0, "got"), after_first({130.75 + 11}), engine));
  }
}

TEST_CASE("a slow node is interrupted as others are") {
  for (const scenario::EngineKind engine : engines()) {
    // The message arrives at 499. A second of the two that the slow processor takes has passed when
    // it is interrupted. At 530.5 a quarter of the work is left, and the node is quick again.
    const Seen seen = interrupted({488}, {}, {}, engine, [](Job& job) {
      job.spec.slow = {{.nodes = {1}, .factor = 2, .to_s = first_s(1) + 530.5}};
    });
    CHECK(close(seen.times_s(1, "got"), after_first({530.75}), engine));
  }
}

TEST_CASE("what is taken from a worker can be interrupted") {
  for (const scenario::EngineKind engine : engines()) {
    const auto work = [](ScriptContext& context) { context.compute(39.5); };
    const Seen seen = interrupted({70}, {60}, work, engine, [](Job& job) {
      job.spec.platform.progress = scenario::Progress::shared;
    });
    // Until 99.5, and 2 s more: one to receive the message and one to answer it.
    CHECK(close(seen.times_s(1, "computed"), after_first({131.5}), engine));
  }
}

TEST_CASE("each node is interrupted from a moment of its own on") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.os_noise = scenario::OsNoise{kInterval_s, kLength_s, {}};
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        for (std::uint64_t key = 1; key <= 300; ++key)
          context.set_timer(key, static_cast<double>(key));
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
        job.note(context, "timer", static_cast<std::int64_t>(key));
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(first_s(0) != first_s(1));
    for (const Rank rank : {0U, 1U, 2U, 3U}) {
      Times expected_s;
      for (int due_s = 1; due_s <= 300; ++due_s) {
        double end_s = due_s;
        for (double begin_s = first_s(rank / 2) - kInterval_s; begin_s < 300;
             begin_s += kInterval_s)
          if (begin_s <= due_s && due_s < begin_s + kLength_s) end_s = begin_s + kLength_s;
        expected_s.push_back(end_s);
      }
      CHECK(close(seen.times_s(rank, "timer"), expected_s, engine));
    }
  }
}

}  // namespace faultline::engine
