#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// One rank whose start handler is given; notes the timers that fire.
void one_rank(Job& job, const std::function<void(Context&)>& start,
              const std::function<void(Context&, std::uint64_t)>& then = {}) {
  job.script(Family::workload, [=, &job](ActorId) {
    return Handlers{.start = start, .timer = [=, &job](Context& context, std::uint64_t key) {
                      job.note(context, "timer", static_cast<std::int64_t>(key));
                      if (then) then(context, key);
                    }};
  });
}

}  // namespace

TEST_CASE("a timer fires once, after its delay, with its key") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](Context& context) {
      context.set_timer(7, 4);
      context.set_timer(9, 2);
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "timer") == Values{9, 7});
    CHECK(close(seen.times_s(0, "timer"), {2, 4}, engine));
  }
}

TEST_CASE("a timer with the same key is replaced, whether it was to come earlier or later") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](Context& context) {
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
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(
        job,
        [](Context& context) {
          context.set_timer(1, 3);
          context.set_timer(2, 5);
          context.set_timer(3, 4);
          context.cancel_timer(1);
          context.cancel_timer(99);
        },
        [](Context& context, std::uint64_t key) {
          if (key == 3) context.cancel_timer(2);
        });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "timer") == Values{3});
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("cancelled, then set again: only the new one fires") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](Context& context) {
      context.set_timer(1, 3);
      context.cancel_timer(1);
      context.set_timer(1, 6);
    });
    CHECK(close(job.run(engine).times_s(0, "timer"), {6}, engine));
  }
}

TEST_CASE("components of one actor have keys of their own") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](Context& context) { context.set_timer(1, 3); });
    job.script(Family::termination, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](Context& context) {
        context.set_timer(1, 5);
        context.set_timer(2, 6);
      };
      handlers.timer = [&job](Context& context, std::uint64_t key) {
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
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(
        job,
        [](Context& context) {
          context.set_timer(1, 1, true);
          context.set_timer(2, 5.5);
        },
        [](Context& context, std::uint64_t key) {
          if (key == 1) context.set_timer(1, 1, true);
        });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "timer"), {1, 2, 3, 4, 5, 5.5}, engine));
    CHECK(seen.metric("end_time_s") == Approx(5.5));
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("replacing a background timer by another kind changes what keeps the run alive") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](Context& context) {
      context.set_timer(1, 2, true);
      context.set_timer(1, 3, false);
      context.set_timer(2, 4, false);
      context.set_timer(2, 5, true);
    });
    CHECK(close(job.run(engine).times_s(0, "timer"), {3}, engine));
  }
}

TEST_CASE("a timer that its own handler sets again goes on") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(
        job, [](Context& context) { context.set_timer(1, 2); },
        [](Context& context, std::uint64_t) {
          if (context.now_s() < 9) context.set_timer(1, 2);
        });
    CHECK(close(job.run(engine).times_s(0, "timer"), {2, 4, 6, 8, 10}, engine));
  }
}

TEST_CASE("equal timers fire in the order in which they were set") {
  for (const EngineKind engine : engines()) {
    Job job(1);
    one_rank(job, [](Context& context) {
      for (const std::uint64_t key : {5U, 3U, 8U, 1U}) context.set_timer(key, 2);
    });
    CHECK(job.run(engine).values(0, "timer") == Values{5, 3, 8, 1});
  }
}
