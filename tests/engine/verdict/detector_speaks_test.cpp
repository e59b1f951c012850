// SPDX-License-Identifier: Apache-2.0

// Nobody concludes while a failure detector may still speak, and what goes wrong after a false
// report is blamed on that.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Ranks that wait until they hear of a death, and detectors of which that of rank 0 declares rank
/// 1 dead at that time, or never.
void waiting(Job& job, double report_s = kNever) {
  job.script(Family::workload, [&job](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) { context.declare_work(1); };
    handlers.peer_failed = [&job](ScriptContext& context, Incarnation) {
      job.note(context, "failed");
      context.declare_work(-1);
      context.finish();
    };
    return handlers;
  });
  job.script(Family::failure_detection, [report_s](ActorId self) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) { context.set_timer(1, 10, true); };
    handlers.timer = [=](ScriptContext& context, std::uint64_t) {
      if (self == 0 && context.now_s() >= report_s) context.report_failed(1);
      context.set_timer(1, 10, true);
    };
    return handlers;
  });
  job.spec.platform.fencing = {.by = scenario::FencedBy::resource_manager, .delay_s = 1};
  job.spec.stop.when = scenario::StopWhen::finished;
  job.spec.stop.time_s = 200;
}

/// What can make a detector err until 50 s, each in its own way.
struct Hindrance {
  std::string name;
  std::function<void(Job&)> add;
};

std::vector<Hindrance> hindrances() {
  return {
      {"a cut",
       [](Job& job) {
         job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 20, .to_s = 50}};
       }},
      {"a slow node",
       [](Job& job) { job.spec.slow = {{.nodes = {1}, .factor = 2, .from_s = 20, .to_s = 50}}; }},
      {"a stall",
       [](Job& job) {
         faults::FaultSpec stall;
         stall.time_s = 20;
         stall.ranks = {1};
         stall.stall_s = 30;
         job.spec.faults = {stall};
       }},
      {"a launcher", [](Job& job) { job.spec.platform.start_delay_s = 50; }}};
}

}  // namespace

TEST_CASE("a run in which all wait goes on while something can make the detector err, or will") {
  for (const scenario::EngineKind engine : engines())
    for (const Hindrance& hindrance : hindrances()) {
      CAPTURE(engine_word(engine), hindrance.name);
      Job job(2);
      waiting(job, 40);
      hindrance.add(job);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(close(seen.times_s(0, "failed"), {40}, engine));
      CHECK(seen.metric("fenced_alive") == 1);
    }
}

TEST_CASE("when it is over, and the detector has said nothing, all wait for ever") {
  for (const scenario::EngineKind engine : engines())
    for (const Hindrance& hindrance : hindrances()) {
      CAPTURE(engine_word(engine), hindrance.name);
      Job job(2);
      waiting(job);
      hindrance.add(job);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::deadlock);
      CHECK(seen.metric("end_time_s") >= 50);
      CHECK(seen.metric("end_time_s") <= 61);
    }
}

TEST_CASE("without a disturbance a run in which all wait is over at once") {
  for (const scenario::EngineKind engine : engines())
    for (const bool is_accurate : {false, true}) {
      Job job(2);
      waiting(job);
      if (is_accurate) {  // then no cut makes a difference
        job.use(Family::failure_detection, "oracle");
        hindrances()[0].add(job);
      }
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::deadlock);
      CHECK(seen.metric("end_time_s") == 0);
    }
}

TEST_CASE("a cut that does not heal keeps a run going to its limit, where it is stuck") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    waiting(job);
    job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 20}};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::deadlock);
    CHECK(seen.metric("end_time_s") == 200);
  }
}

TEST_CASE("whatever promise breaks after a false report, the detector is blamed, and not before") {
  for (const scenario::EngineKind engine : engines())
    for (const bool is_later : {false, true}) {
      CAPTURE(engine_word(engine), is_later);
      Job job(3);
      RecoveryTraits never;
      never.may_give_up = [](const OptionValues&, const JobShape&, const std::vector<ActorId>&) {
        return false;
      };
      job.script(Family::workload, [](ActorId) { return Handlers{}; });
      job.script(
          Family::transactions,
          [is_later](ActorId self) {
            Handlers handlers;
            handlers.start = [=](ScriptContext& context) {
              if (self == 0) context.set_timer(1, is_later ? 20 : 5);
            };
            handlers.timer = [](ScriptContext& context, std::uint64_t) {
              context.fatal("for no reason");
            };
            return handlers;
          },
          Traits(never));
      job.script(Family::failure_detection, [](ActorId self) {
        Handlers handlers;
        handlers.start = [=](ScriptContext& context) {
          if (self == 0) context.set_timer(1, 10);
        };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.report_failed(2); };
        return handlers;
      });
      const Seen seen = job.run(engine);
      CHECK(seen.violations() == Words{"needless-fatal"});
      CHECK(seen.result.outcome == (is_later ? Outcome::unsafe_detector : Outcome::violated));
    }
}

TEST_CASE("a protocol that asks for what cannot be after a false report ends its run, judged") {
  for (const bool lies : {false, true}) {
    Job job(3);
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 1) context.set_timer(1, 20);
      };
      handlers.timer = [](ScriptContext&, std::uint64_t) {
        throw std::out_of_range("there is no rank 8");
      };
      return handlers;
    });
    job.script(Family::failure_detection, [lies](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (self == 0 && lies) context.report_failed(2);
      };
      return handlers;
    });
    if (!lies) {
      CHECK_THROWS_AS(job.run(), std::out_of_range);
      continue;
    }
    const Seen seen = job.run();
    CHECK(seen.violations() == Words{"exception"});
    CHECK(seen.result.violations[0].detail == "there is no rank 8");
    CHECK(seen.result.outcome == Outcome::unsafe_detector);
  }
}

TEST_CASE("giving up because of a report counts those who were falsely declared dead") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    RecoveryTraits of_two;
    of_two.may_give_up = [](const OptionValues&, const JobShape&,
                            const std::vector<ActorId>& dead) {
      return std::find(dead.begin(), dead.end(), 2U) != dead.end();
    };
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.script(
        Family::transactions,
        [](ActorId) {
          Handlers handlers;
          handlers.peer_failed = [](ScriptContext& context, Incarnation) {
            context.fatal("rank 2 is dead");
          };
          return handlers;
        },
        Traits(of_two));
    job.script(Family::failure_detection, [](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (self == 0) context.report_failed(2);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::fatal_reported);
    CHECK(seen.violations().empty());
  }
}

}  // namespace faultline::engine
