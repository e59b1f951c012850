// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// One rank whose start handler is given; notes the timers that fire.
void one_rank(Job& job, const std::function<void(ScriptContext&)>& start,
              const std::function<void(ScriptContext&, std::uint64_t)>& then = {}) {
  job.script(Family::workload, [=, &job](ActorId) {
    return Handlers{.start = start, .timer = [=, &job](ScriptContext& context, std::uint64_t key) {
                      job.note(context, "timer", static_cast<std::int64_t>(key));
                      if (then) then(context, key);
                    }};
  });
}

}  // namespace

TEST_CASE("a timer fires once, after its delay, with its key") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](ScriptContext& context) {
      context.set_timer(7, 4);
      context.set_timer(9, 2);
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "timer") == Values{9, 7});
    CHECK(close(seen.times_s(0, "timer"), {2, 4}, engine));
  }
}

TEST_CASE("a timer with the same key is replaced, whether it was to come earlier or later") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](ScriptContext& context) {
      context.set_timer(1, 3);
      context.set_timer(1, 8);
      context.set_timer(2, 9);
      context.set_timer(2, 4);
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "timer") == Values{2, 1});
    CHECK(close(seen.times_s(0, "timer"), {4, 8}, engine));
  }
}

TEST_CASE("a cancelled timer never fires, and cancelling nothing does nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(
        job,
        [](ScriptContext& context) {
          context.set_timer(1, 3);
          context.set_timer(2, 5);
          context.set_timer(3, 4);
          context.cancel_timer(1);
          context.cancel_timer(99);
        },
        [](ScriptContext& context, std::uint64_t key) {
          if (key == 3) context.cancel_timer(2);
        });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "timer") == Values{3});
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("cancelled, then set again: only the new one fires") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](ScriptContext& context) {
      context.set_timer(1, 3);
      context.cancel_timer(1);
      context.set_timer(1, 6);
    });
    CHECK(close(job.run(engine).times_s(0, "timer"), {6}, engine));
  }
}

TEST_CASE("components of one actor have keys of their own") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](ScriptContext& context) { context.set_timer(1, 3); });
    job.script(Family::termination, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.set_timer(1, 5);
        context.set_timer(2, 6);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
        job.note(context, "layer", static_cast<std::int64_t>(key));
        context.cancel_timer(2);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "timer"), {3}, engine));
    CHECK(close(seen.times_s(0, "layer"), {5}, engine));
  }
}

TEST_CASE("periodic background timers never keep a run alive") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(
        job,
        [](ScriptContext& context) {
          context.set_timer(1, 1, true);
          context.set_timer(2, 5.5);
        },
        [](ScriptContext& context, std::uint64_t key) {
          if (key == 1) context.set_timer(1, 1, true);
        });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "timer"), {1, 2, 3, 4, 5, 5.5}, engine));
    CHECK(seen.metric("end_time_s") == Approx(5.5));
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("replacing a background timer by another kind changes what keeps the run alive") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](ScriptContext& context) {
      context.set_timer(1, 2, true);
      context.set_timer(1, 3, false);
      context.set_timer(2, 4, false);
      context.set_timer(2, 5, true);
    });
    CHECK(close(job.run(engine).times_s(0, "timer"), {3}, engine));
  }
}

TEST_CASE("a timer that its own handler sets again goes on") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(
        job, [](ScriptContext& context) { context.set_timer(1, 2); },
        [](ScriptContext& context, std::uint64_t) {
          if (context.now_s() < 9) context.set_timer(1, 2);
        });
    CHECK(close(job.run(engine).times_s(0, "timer"), {2, 4, 6, 8, 10}, engine));
  }
}

TEST_CASE(
    "timers that run out while the processor sends wait for it, in the order of their times") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) return;
        for (int i = 0; i < 5; ++i) context.send(1, 0, 0);
        // Set in another order than that of their times. The last is due when the second is free.
        context.set_timer(4, 7);
        context.set_timer(2, 3);
        context.set_timer(3, 4);
        context.set_timer(1, 2);
        context.set_timer(5, 4.5);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
        job.note(context, "timer", static_cast<std::int64_t>(key));
        if (key == 1) context.spend(2);
        if (key == 1) context.cancel_timer(5);
        if (key == 3) context.send(1, 1, 0);
      };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        job.note(context, "got", message.kind);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    // The sends take the processor until 5, what the first handler spends until 7, and the send of
    // the third until 8.
    CHECK(seen.values(0, "timer") == Values{1, 2, 3, 4});
    CHECK(close(seen.times_s(0, "timer"), {5, 7, 7, 8}, engine));
    CHECK(close(seen.times_s(1, "got"), {12, 13, 14, 15, 16, 19}, engine));
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE(
    "between computations: timers wait until the computation ends, and come before messages") {
  for (const scenario::EngineKind engine : engines())
    for (const bool spends : {false, true}) {
      Job job(2);
      job.spec.platform.progress = scenario::Progress::between;
      job.script(Family::workload, [&job, spends](ActorId self) {
        Handlers handlers;
        handlers.start = [self](ScriptContext& context) {
          if (self == 0) context.send(1, 0, 0);
          if (self == 0) return;
          context.compute(100);
          for (const std::uint64_t key : {30U, 10U, 20U})
            context.set_timer(key, static_cast<double>(key));
        };
        handlers.timer = [&job, spends](ScriptContext& context, std::uint64_t key) {
          job.note(context, "timer", static_cast<std::int64_t>(key));
          if (spends && key == 10) context.spend(3);
        };
        handlers.message = [&job](ScriptContext& context, const Message&) {
          job.note(context, "message");
        };
        handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
          job.note(context, "done");
        };
        return handlers;
      });
      const Seen seen = job.run(engine);
      Words order;
      for (const Entry& entry : seen.log) order.push_back(entry.what);
      CHECK(order == Words{"done", "timer", "timer", "timer", "message"});
      CHECK(seen.values(1, "timer") == Values{10, 20, 30});
      const double later_s = spends ? 103 : 100;
      CHECK(close(seen.times_s(1, "timer"), {100, later_s, later_s}, engine));
    }
}

TEST_CASE("a timer waits behind a send fence") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) return;
        context.send(2, 0, 500);  // enters the network at 1, keeps the NIC until 6
        context.send(2, 1, 0);
        ScriptContext::fence(context.send(1, 2, 0));  // takes the processor from 6 to 7
        context.set_timer(1, 3);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "timer");
      };
      return handlers;
    });
    CHECK(close(job.run(engine).times_s(0, "timer"), {7}, engine));
  }
}

TEST_CASE("a timer that waits for the processor dies with its actor") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        for (int i = 0; i < 5 && self == 0; ++i) context.send(1, 0, 0);
        if (self == 0) context.set_timer(1, 2);
        if (self == 1) context.set_timer(2, 6);
      };
      handlers.timer = [&job, self](ScriptContext& context, std::uint64_t) {
        job.note(context, "timer");
        if (self == 1) context.restart(context.known(0), RestartOn::same_node);
      };
      return handlers;
    });
    job.kill(4, {0});
    const Seen seen = job.run(engine);
    // The second life sends and waits as the first did.
    CHECK(close(seen.times_s(0, "timer"), {11}, engine));
    CHECK(seen.violations().empty());
  }
}

// The message of rank 0 is received from 11 to 12.
TEST_CASE("a timer that comes due while a message is received interrupts that") {
  for (const scenario::EngineKind engine : engines())
    for (const bool sends : {false, true}) {
      Job job(2);
      job.script(Family::workload, [&job, sends](ActorId self) {
        Handlers handlers;
        handlers.start = [self](ScriptContext& context) {
          if (self == 0) context.send(1, 0, 0);
          if (self == 1) context.set_timer(1, 11.5);
        };
        handlers.timer = [&job, sends](ScriptContext& context, std::uint64_t) {
          job.note(context, "timer");
          if (sends) context.send(0, 0, 0);
        };
        handlers.message = [&job](ScriptContext& context, const Message&) {
          job.note(context, "got");
        };
        return handlers;
      });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << (sends ? ", the timer's handler sends" : ""));
      CHECK(close(seen.times_s(1, "timer"), {11.5}, engine));
      // The send takes until 12.5.
      CHECK(close(seen.times_s(1, "got"), {sends ? 13.5 : 12.0}, engine));
    }
}

TEST_CASE("equal timers fire in the order in which they were set") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](ScriptContext& context) {
      for (const std::uint64_t key : {5U, 3U, 8U, 1U}) context.set_timer(key, 2);
    });
    CHECK(job.run(engine).values(0, "timer") == Values{5, 3, 8, 1});
  }
}

}  // namespace faultline::engine
