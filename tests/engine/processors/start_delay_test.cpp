// SPDX-License-Identifier: Apache-2.0

// Daemons that launch processes before they do anything else.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Two nodes of one rank each. Daemons are the actors 2 and 3.
Handlers busy_from_the_start(Job& job, ActorId self) {
  Handlers handlers;
  handlers.start = [self](ScriptContext& context) {
    context.set_timer(10, 10);
    context.set_timer(5, 5);
    context.set_timer(40, 40);
    context.set_timer(6, 6);
    context.cancel_timer(6);
    if (self != 3) context.send(3, 0, 0);
  };
  handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
    job.note(context, "timer", static_cast<std::int64_t>(key));
    if (key == 5) context.set_timer(7, 7);
  };
  handlers.message = [&job](ScriptContext& context, const Message& message) {
    job.note(context, "got", message.from);
  };
  handlers.local_exit = [&job](ScriptContext& context, Incarnation rank) {
    job.note(context, "local exit", rank.actor);
  };
  return handlers;
}

}  // namespace

TEST_CASE("until its processes are launched, a daemon neither sends nor handles anything") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.start_delay_s = 30;
    job.spec.platform.local_exit_delay_s = 2;
    job.kill(8, {1});
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.script(Family::failure_detection,
               [&job](ActorId self) { return busy_from_the_start(job, self); },
               {.residence = Residence::ranks_and_daemons});
    const Seen seen = job.run(engine);
    for (const ActorId daemon : {2U, 3U}) {
      // Timers come in the order in which they are due. Daemon 2 sends until 31 first.
      const double free_s = daemon == 2 ? 31 : 30;
      const Times expected_s{free_s, free_s, free_s + 7, 40};
      CHECK(close(seen.times_s(daemon, "timer"), expected_s, engine));
      CHECK(seen.values(daemon, "timer") == Values{5, 10, 7, 40});
    }
    CHECK(close(seen.times_s(3, "local exit"), {30}, engine));
    // From rank 1 of its node at 3, from rank 0 at 11, and from daemon 2, which sends at 30.
    CHECK(seen.values(3, "got") == Values{1, 0, 2});
    CHECK(close(seen.times_s(3, "got"), {31, 32, 42}, engine));
    // Ranks are not delayed.
    CHECK(close(seen.times_s(0, "timer"), {5, 10, 12, 40}, engine));
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a start delay means nothing to a job without daemons") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.workload("token-ring", {{"stop_probability", 0.05}}).detector("four-counter");
    const Seen plain = job.run(engine, 3);
    job.spec.platform.start_delay_s = 30;
    CHECK(to_text(job.run(engine, 3)) == to_text(plain));
  }
}

}  // namespace faultline::engine
