// SPDX-License-Identifier: Apache-2.0

// Nodes whose processors are slow for a time.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 0 sends `messages` to rank 1, which is on a node of its own and notes and answers each.
Seen ask(const std::vector<faults::SlowSpec>& slow, int messages, scenario::EngineKind engine) {
  Job job(8);
  job.spec.slow = slow;
  job.script(Family::workload, [&job, messages](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      for (int i = 0; self == 0 && i < messages; ++i) context.send(1, 0, 0);
    };
    handlers.message = [&job, self](ScriptContext& context, const Message&) {
      job.note(context, "got");
      if (self == 1) context.send(0, 1, 0);
    };
    return handlers;
  });
  return job.run(engine);
}

}  // namespace

TEST_CASE("a slow node takes longer to receive and to send") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = ask({{.nodes = {1}, .factor = 3}}, 1, engine);
    CHECK(close(seen.times_s(1, "got"), {1 + 10 + 3}, engine));
    CHECK(close(seen.times_s(0, "got"), {14 + 3 + 10 + 1}, engine));
  }
}

TEST_CASE("the factors of several entries multiply") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen =
        ask({{.nodes = {1}, .factor = 3}, {.nodes = {0, 1}, .factor = 2, .from_s = 5}}, 1, engine);
    CHECK(close(seen.times_s(1, "got"), {1 + 10 + 6}, engine));
    CHECK(close(seen.times_s(0, "got"), {17 + 6 + 10 + 2}, engine));
  }
}

TEST_CASE("what a node has begun while it was slow it ends at its usual pace") {
  for (const scenario::EngineKind engine : engines()) {
    // The message arrives at 11. In 1.5 s the slow processor does 0.75 s of the work.
    const Seen seen = ask({{.nodes = {1}, .factor = 2, .to_s = 12.5}}, 1, engine);
    CHECK(close(seen.times_s(1, "got"), {12.75}, engine));
    CHECK(close(seen.times_s(0, "got"), {12.75 + 12}, engine));
    // And the other way round: half of the work is done when the node becomes slow.
    const Seen later = ask({{.nodes = {1}, .factor = 2, .from_s = 11.5}}, 1, engine);
    CHECK(close(later.times_s(1, "got"), {12.5}, engine));
  }
}

TEST_CASE("messages do not overtake each other when a node is quick again") {
  for (const scenario::EngineKind engine : engines()) {
    // They arrive at 11, 12 and 13. Until 12 a tenth of the first is received.
    const Seen seen = ask({{.nodes = {1}, .factor = 10, .to_s = 12}}, 3, engine);
    CHECK(close(seen.times_s(1, "got"), {12.9, 14.9, 16.9}, engine));
  }
}

TEST_CASE("a slow node does not slow others, nor itself before and after") {
  for (const scenario::EngineKind engine : engines())
    for (const faults::SlowSpec& slow :
         {faults::SlowSpec{.nodes = {7}, .factor = 5},
          faults::SlowSpec{.nodes = {1}, .factor = 5, .from_s = 100},
          faults::SlowSpec{.nodes = {1}, .factor = 5, .from_s = 1, .to_s = 10}}) {
      const Seen seen = ask({slow}, 1, engine);
      CHECK(close(seen.times_s(1, "got"), {12}, engine));
      CHECK(close(seen.times_s(0, "got"), {24}, engine));
    }
}

TEST_CASE("what a protocol spends takes longer on a slow node, what a rank computes does not") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.slow = {{.nodes = {0}, .factor = 3}};
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.compute(40);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "computed");
      };
      return handlers;
    });
    job.script(Family::failure_detection,
               [&job](ActorId self) {
                 Handlers handlers;
                 handlers.start = [self](ScriptContext& context) {
                   if (self == 2) context.set_timer(1, 10);
                 };
                 handlers.timer = [](ScriptContext& context, std::uint64_t) {
                   context.spend(2);
                   context.send(3, 0, 0);
                 };
                 handlers.message = [&job](ScriptContext& context, const Message&) {
                   job.note(context, "got");
                 };
                 return handlers;
               },
               {.residence = Residence::daemons});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "computed"), {40}, engine));
    CHECK(close(seen.times_s(3, "got"), {10 + 6 + 3 + 10 + 1}, engine));
  }
}

TEST_CASE("a slow processor takes more time from the worker that it preempts") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.progress = scenario::Progress::shared;
    job.spec.slow = {{.nodes = {1}, .factor = 3}};
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.send(1, 0, 0);
        if (self == 1) context.compute(40);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "computed");
      };
      return handlers;
    });
    CHECK(close(job.run(engine).times_s(1, "computed"), {43}, engine));
  }
}

}  // namespace faultline::engine
