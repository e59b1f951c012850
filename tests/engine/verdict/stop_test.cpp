// SPDX-License-Identifier: Apache-2.0

// When a run ends, and what it is then called.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Ranks that compute rank + 1 seconds and then have done all that they will do.
void finishing(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) { context.compute(self + 1.0); };
    handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
      context.finish();
      context.set_timer(1, 1000);
    };
    return handlers;
  });
}

/// A rank whose timer comes every second, for ever.
void ticking(Job& job) {
  job.script(Family::workload, [&job](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) {
      context.declare_work(1);
      context.set_timer(1, 1);
    };
    handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
      job.note(context, "tick");
      context.set_timer(1, 1);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("stop when finished: the run ends when the last live rank has finished") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    finishing(job);
    job.spec.stop.when = scenario::StopWhen::finished;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("end_time_s") == Approx(4));
    job.kill(2.5, {3});
    const Seen shorter = job.run(engine);
    CHECK(shorter.result.outcome == Outcome::finished);
    CHECK(shorter.metric("end_time_s") == Approx(3));
  }
}

TEST_CASE("stop when finished: whoever never finishes is a deadlock") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId self) {
      return Handlers{.start =
                          [self](ScriptContext& context) {
                            if (self == 0) context.finish();
                          },
                      .waiting_for = self == 1 ? "a letter" : ""};
    });
    job.spec.stop.when = scenario::StopWhen::finished;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::deadlock);
    REQUIRE(seen.violations() == Words{"deadlock"});
    CHECK(seen.result.violations.front().detail.find("1 waits for a letter") != std::string::npos);
    CHECK(seen.result.violations.front().detail.find("0 waits") == std::string::npos);
  }
}

TEST_CASE("stop at a time: the run ends there, and everything before it has happened") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    ticking(job);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 10.5;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.count("tick") == 10);
    CHECK(seen.metric("end_time_s") == Approx(10.5));
  }
}

TEST_CASE("the time limit of another stop is a limit") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::StopWhen when :
         {scenario::StopWhen::announced, scenario::StopWhen::finished,
          scenario::StopWhen::all_reported}) {
      Job job(1);
      ticking(job);
      job.spec.stop.when = when;
      job.spec.stop.time_s = 10.5;
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::limit);
      CHECK(seen.count("tick") == 10);
    }
}

TEST_CASE("nobody dies after the event that ends a run") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    finishing(job);
    job.spec.stop.when = scenario::StopWhen::finished;
    faults::FaultSpec fault;
    fault.event = job.run(engine).result.events;
    fault.ranks = {0};
    job.spec.faults = {fault};
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("the limit on events ends a run after that many") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    ticking(job);
    job.spec.stop.events = 25;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::limit);
    CHECK(seen.result.events == 25);
    CHECK(seen.count("tick") == 25);
  }
}

TEST_CASE("stop when announced: the run ends when the last live rank knows") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.script(Family::termination, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) { context.set_timer(1, 5.0 * (self + 1)); };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::terminated);
    CHECK(seen.result.terminated == true);
    CHECK(seen.metric("announce_time_s") == Approx(20));
    CHECK(seen.metric("termination_time_s") == Approx(0).margin(1e-12));
    CHECK(seen.metric("detection_latency_s") == Approx(20));
    job.kill(16, {3});  // the last one to know
    const Seen without = job.run(engine);
    CHECK(without.result.outcome == Outcome::terminated);
    CHECK(without.metric("announce_time_s") == Approx(15));
    CHECK(without.metric("end_time_s") == Approx(16));
  }
}

TEST_CASE("without a detector, terminated is null and the run ends with its work") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    finishing(job);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK_FALSE(seen.result.terminated);
    CHECK(seen.metric("end_time_s") == Approx(1004));  // its timers run out
    CHECK(seen.metric("termination_time_s") == Approx(4));
    CHECK(seen.result.metrics.values().at("announce_time_s") == std::nullopt);
  }
}

TEST_CASE("stop when all is reported: the run ends when every live rank knows of every death") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 7}});
    job.kill(10, {1});
    job.kill(30, {2, 3});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("end_time_s") == Approx(37));
  }
}

TEST_CASE("stop when all is reported: a run without a death ends when nothing is left to happen") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 7}});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    CHECK(job.run(engine).result.outcome == Outcome::finished);
  }
}

TEST_CASE("stop when all is reported: a death that nobody reports is a deadlock") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.kill(10, {1});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    CHECK(job.run(engine).result.outcome == Outcome::deadlock);
  }
}

TEST_CASE("stop when all is reported: a death at a mark or an event that does not come is none") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 7}});
    job.kill(10, {1});
    faults::FaultSpec at_mark;
    at_mark.mark = faults::MarkSpec{"nobody-sets-it", 3};
    at_mark.ranks = {2};
    faults::FaultSpec late;
    late.event = 1000000;
    late.ranks = {2};
    job.spec.faults.push_back(at_mark);
    job.spec.faults.push_back(late);
    job.spec.stop.when = scenario::StopWhen::all_reported;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("end_time_s") == Approx(17));
  }
}

TEST_CASE("a fatal error that the protocol reports ends the run with its own words") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    ticking(job);
    job.script(Family::termination, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 1) context.set_timer(1, 3.5);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.fatal("no way out"); };
      return handlers;
    });
    const Seen seen = job.kill(1.5, {0}).run(engine);
    CHECK(seen.result.outcome == Outcome::fatal_reported);
    CHECK(seen.result.fatal_reason == "no way out");
    CHECK(seen.result.terminated == false);
    CHECK(seen.metric("end_time_s") == Approx(3.5));
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("the death of every rank ends the run, and is not its good end") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    ticking(job);
    job.kill(4.5, {0, 1, 2});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::all_failed);
    CHECK(seen.result.terminated == std::nullopt);
    CHECK(seen.violations().empty());
    CHECK(seen.count("tick") == 12);
    CHECK(seen.metric("failed_ranks") == 3);
  }
}

TEST_CASE("all are dead, whatever a run waits for, and also if all had known of the end before") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::StopWhen when :
         {scenario::StopWhen::announced, scenario::StopWhen::all_reported,
          scenario::StopWhen::finished, scenario::StopWhen::time})
      for (const double limit_s : {1e9, 30.0}) {
        Job job(2);
        finishing(job);
        job.detector("four-counter").use(Family::failure_detection, "oracle", {{"delay_s", 50.0}});
        job.kill(0.5, {1}).kill(when == scenario::StopWhen::time ? 20 : 1.5, {0});
        job.spec.stop.when = when;
        job.spec.stop.time_s = limit_s;
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", when " << static_cast<int>(when) << ", limit " << limit_s);
        // Rank 0 has finished at 1 s, the only one that is left; what it announces nobody learns.
        if (when == scenario::StopWhen::finished) {
          CHECK(seen.result.outcome == Outcome::finished);
          continue;
        }
        CHECK(seen.result.outcome == Outcome::all_failed);
        CHECK(seen.result.terminated == false);
        CHECK(seen.result.metrics.values().at("announce_time_s") == std::nullopt);
      }
}

TEST_CASE("every outcome has a word of its own") {
  std::set<std::string> words;
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::unsafe_detector); ++outcome)
    words.insert(outcome_word(static_cast<Outcome>(outcome)));
  CHECK(words.size() == 13);
  CHECK(words.count("") == 0);
}

TEST_CASE("a missed death explains that a run waits, and hides no other broken promise") {
  const audit::Violation missed{"missed-death", 1, ActorId{0}, ""};
  for (const Outcome waits : {Outcome::finished, Outcome::terminated, Outcome::fatal_reported,
                              Outcome::hung, Outcome::deadlock, Outcome::limit})
    CHECK(with_violation(waits, missed) == Outcome::missed_death);
  for (const Outcome worse :
       {Outcome::premature, Outcome::wrong_state, Outcome::inconsistent, Outcome::violated})
    CHECK(with_violation(worse, missed) == worse);
  CHECK(with_violation(Outcome::missed_death, {"premature", 1, ActorId{0}, ""}) ==
        Outcome::premature);
}

TEST_CASE("under stop time, background timers go on until then") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.script(Family::failure_detection, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(1, 10, true); };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "beat");
        context.set_timer(1, 10, true);
      };
      return handlers;
    });
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 45;
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "beat"), {10, 20, 30, 40}, engine));
    CHECK(seen.metric("end_time_s") == 45);
    CHECK(seen.result.outcome == Outcome::finished);
    // Under any other end they keep nothing alive, once all have heard of all deaths.
    job.spec.stop.when = scenario::StopWhen::finished;
    CHECK(job.run(engine).count("beat") == 0);
  }
}

TEST_CASE("under stop time, a run in which nothing is left to happen ends then, too") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [](ActorId) {
      return Handlers{.start = [](ScriptContext& context) { context.compute(2); }};
    });
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 45;
    const Seen seen = job.run(engine);
    CHECK(seen.metric("end_time_s") == 45);
    CHECK(seen.metric("termination_time_s") == Approx(2));
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("background timers keep a run alive while a live rank has not heard of a death") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.peer_failed = [&job](ScriptContext& context, Incarnation) {
        job.note(context, "failed");
        context.finish();
      };
      return handlers;
    });
    job.script(Family::failure_detection, [](ActorId self) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(1, 10, true); };
      handlers.timer = [self](ScriptContext& context, std::uint64_t) {
        if (context.now_s() > 40 + self) context.report_failed(1);
        context.set_timer(1, 10, true);
      };
      return handlers;
    });
    job.kill(5, {1});
    job.spec.stop.when = scenario::StopWhen::finished;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(close(seen.times_s(0, "failed"), {50}, engine));
    CHECK(close(seen.times_s(2, "failed"), {50}, engine));
    CHECK(seen.violations().empty());
  }
}

namespace {

/// Rank 0 computes for 10 s when it starts, rank 1 for 30 s; then they have finished.
void finishing_apart(Job& job) {
  job.script(Family::workload, [&job](ActorId self) {
    Handlers handlers;
    handlers.start = [=, &job](ScriptContext& context) {
      job.note(context, "start");
      context.compute(self == 0 ? 10 : 30);
    };
    handlers.compute_done = [](ScriptContext& context, std::uint64_t) { context.finish(); };
    return handlers;
  });
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("a run does not finish while a layer recovers somebody") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    finishing_apart(job);
    job.script(Family::message_logging, [](ActorId self) {
      Handlers handlers = starting_afresh();
      if (self == 0) handlers.start = [](ScriptContext& context) { context.set_timer(1, 50); };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
        context.restart(context.known(1), RestartOn::same_node);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "start"), {0, 50}, engine));
    CHECK(seen.metric("end_time_s") == Approx(80));
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("a run does not finish during the delay of a restart with which a layer recovers") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.restart_delay_s = 20;
    finishing_apart(job);
    job.script(Family::message_logging, [](ActorId) {
      Handlers handlers = starting_afresh();
      handlers.peer_failed = [](ScriptContext& context, Incarnation dead) {
        context.restart(dead, RestartOn::same_node);
      };
      return handlers;
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(12, {1});  // rank 0 has finished
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("end_time_s") == Approx(12 + 1 + 20 + 30));
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("heartbeats that are always under way keep no run alive") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.script(Family::failure_detection, [](ActorId self) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(1, 5, true); };
      handlers.timer = [self](ScriptContext& context, std::uint64_t) {
        ScriptContext::background(context.send((self + 1) % 4, 0, 0));
        context.set_timer(1, 4, true);  // a message takes 12 s
      };
      return handlers;
    });
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.send(1, 0, 0);
      };
      return handlers;
    });
    job.spec.stop.when = scenario::StopWhen::finished;  // which no rank declares
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::deadlock);
    CHECK(seen.metric("end_time_s") == Approx(12));
  }
}

}  // namespace faultline::engine
