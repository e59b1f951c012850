// SPDX-License-Identifier: Apache-2.0

// Worker cores, and what handles messages while they compute.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 0 computes at time zero for each of the durations; notes what ends with its place.
void computes(Job& job, const std::vector<double>& durations_s) {
  job.script(Family::workload, [=, &job](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      for (std::size_t i = 0; i < durations_s.size() && self == 0; ++i)
        context.compute(durations_s[i], i);
    };
    handlers.compute_done = [&job](ScriptContext& context, std::uint64_t tag) {
      job.note(context, "done", static_cast<std::int64_t>(tag));
    };
    return handlers;
  });
}

/// Rank 1 computes 100 s from time zero. Rank 0 sends it empty messages that are handled at 12, 13,
/// ... if nothing stands in the way; rank 1 answers each with `answers` messages.
Seen messages_while_computing(scenario::EngineKind engine, scenario::Progress progress,
                              int messages, int answers, std::uint32_t cores = 1) {
  Job job(2);
  job.spec.platform.progress = progress;
  job.spec.platform.worker_cores = cores;
  job.script(Family::workload, [=, &job](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == 1) context.compute(100);
      for (int i = 0; i < messages && self == 0; ++i) context.send(1, 0, 0);
    };
    handlers.message = [=, &job](ScriptContext& context, const Message&) {
      job.note(context, "got");
      for (int i = 0; i < answers && self == 1; ++i) context.send(0, 0, 0);
    };
    handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
      job.note(context, "done");
    };
    return handlers;
  });
  return job.run(engine);
}

}  // namespace

TEST_CASE("computations share the worker cores in the order in which they were asked for") {
  struct Case {
    std::uint32_t cores;
    std::vector<double> ends_s;
    Values order;
  };
  const std::vector<double> durations{10, 4, 3, 5, 1};
  for (const scenario::EngineKind engine : engines())
    for (const Case& expected :
         {Case{1, {10, 14, 17, 22, 23}, {0, 1, 2, 3, 4}},
          Case{2, {4, 7, 10, 11, 12}, {1, 2, 0, 4, 3}}, Case{3, {3, 4, 5, 8, 10}, {2, 1, 4, 3, 0}},
          Case{5, {1, 3, 4, 5, 10}, {4, 2, 1, 3, 0}}}) {
      Job job(1);
      job.spec.platform.worker_cores = expected.cores;
      computes(job, durations);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", " << expected.cores << " cores");
      CHECK(close(seen.times_s(0, "done"), expected.ends_s, engine));
      CHECK(seen.values(0, "done") == expected.order);
    }
}

TEST_CASE("a computation of no length ends at once, after what is queued before it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    computes(job, {0, 3, 0});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "done"), {0, 3, 3}, engine));
    CHECK(seen.values(0, "done") == Values{0, 1, 2});
  }
}

TEST_CASE("a computation begins when the sends of its handler are out") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) return;
        context.compute(10);
        for (int i = 0; i < 3; ++i) context.send(1, 0, 0);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "done");
      };
      return handlers;
    });
    CHECK(close(job.run(engine).times_s(0, "done"), {13}, engine));
  }
}

TEST_CASE("a dedicated core handles messages as if nothing were computed") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = messages_while_computing(engine, scenario::Progress::dedicated, 2, 1);
    // The answer to the first keeps the communication core from 12 to 13; then o_r.
    CHECK(close(seen.times_s(1, "got"), {12, 14}, engine));
    CHECK(close(seen.times_s(1, "done"), {100}, engine));
    CHECK(close(seen.times_s(0, "got"), {24, 26}, engine));
  }
}

TEST_CASE("a shared core handles messages at once and computes that much longer") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = messages_while_computing(engine, scenario::Progress::shared, 2, 0);
    CHECK(close(seen.times_s(1, "got"), {12, 13}, engine));
    CHECK(close(seen.times_s(1, "done"), {102}, engine));
    const Seen answered = messages_while_computing(engine, scenario::Progress::shared, 2, 1);
    CHECK(close(answered.times_s(1, "got"), {12, 14}, engine));
    CHECK(close(answered.times_s(1, "done"), {104}, engine));
  }
}

TEST_CASE("a shared core that does not compute loses nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.progress = scenario::Progress::shared;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.send(1, 0, 0);
      };
      handlers.message = [](ScriptContext& context, const Message&) { context.compute(5); };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "done");
      };
      return handlers;
    });
    CHECK(close(job.run(engine).times_s(1, "done"), {17}, engine));
  }
}

TEST_CASE("between computations: messages wait until the computation ends") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = messages_while_computing(engine, scenario::Progress::between, 1, 1);
    CHECK(close(seen.times_s(1, "done"), {100}, engine));
    REQUIRE(seen.times_s(1, "got").size() == 1);
    CHECK(seen.times_s(1, "got").front() >= 100);
    CHECK(seen.times_s(1, "got").front() <= 101);
  }
}

TEST_CASE("between computations: a second worker core that is free handles messages") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = messages_while_computing(engine, scenario::Progress::between, 2, 0, 2);
    CHECK(close(seen.times_s(1, "got"), {12, 13}, engine));
  }
}

TEST_CASE("computing ranks are active and idle ones are not") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [](ActorId) {
      return Handlers{.start = [](ScriptContext& context) { context.compute(10); }};
    });
    job.script(Family::termination, [&job](ActorId) {
      Handlers handlers;
      handlers.idle = [&job](ScriptContext& context) { job.note(context, "idle"); };
      handlers.start = [](ScriptContext& context) { context.set_timer(1, 5); };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, context.active() ? "active" : "inactive");
        if (context.now_s() < 10) context.set_timer(1, 6);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "active"), {5}, engine));
    CHECK(close(seen.times_s(0, "idle"), {10}, engine));
    CHECK(close(seen.times_s(0, "inactive"), {11}, engine));
  }
}

TEST_CASE("declared work keeps a rank active until it is withdrawn") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.declare_work(2);
        context.set_timer(1, 5);
        context.set_timer(2, 9);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.declare_work(-1); };
      return handlers;
    });
    job.script(Family::termination, [&job](ActorId) {
      return Handlers{.idle = [&job](ScriptContext& context) {
        job.note(context, "idle");
        context.announce();
      }};
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "idle"), {9}, engine));
    CHECK(seen.result.outcome == Outcome::terminated);
    CHECK(seen.metric("termination_time_s") == Approx(9));
  }
}

TEST_CASE("abandoned computations never end, and their core is free at once") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.compute(10, 1);
        context.compute(4, 2);
        context.set_timer(0, 3);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        context.compute(7, 3);
        context.cancel_computations();
        job.note(context, context.busy() ? "busy" : "free");
        context.compute(2, 4);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t tag) {
        job.note(context, "done", static_cast<std::int64_t>(tag));
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "free"), {3}, engine));
    CHECK(close(seen.times_s(0, "done"), {5}, engine));
    CHECK(seen.values(0, "done") == Values{4});
  }
}

TEST_CASE("to abandon computations makes way for those of another component") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.compute(100);
        context.compute(100);
        context.set_timer(0, 3);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.cancel_computations(); };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "program");
      };
      return handlers;
    });
    job.script(Family::termination, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(0, 1); };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.compute(5); };
      handlers.idle = [&job](ScriptContext& context) { job.note(context, "idle"); };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "layer");
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.times_s(0, "program").empty());
    CHECK(close(seen.times_s(0, "idle"), {3}, engine));
    CHECK(close(seen.times_s(0, "layer"), {8}, engine));
  }
}

}  // namespace faultline::engine
