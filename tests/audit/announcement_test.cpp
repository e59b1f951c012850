// SPDX-License-Identifier: Apache-2.0

// What the auditor finds in whole runs where termination is announced too early, or not at all.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/audit/misbehaviour.hpp"
#include "tests/support/job.hpp"

namespace faultline::audit {

using namespace test;

TEST_CASE("premature: announced with a message in flight, or with a rank that computes") {
  for (const scenario::EngineKind engine : engines())
    for (const double time_s : {0.5, 5.0, 11.5, 13.0, 31.5, 33.0}) {
      Job job(2);
      one_message(job);
      announce_at(job, time_s);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", announced at " << time_s);
      if (time_s > 32) {
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("termination_time_s") == Approx(32).epsilon(time_tolerance(engine)));
        continue;
      }
      CHECK(seen.result.outcome == engine::Outcome::premature);
      REQUIRE(seen.violations() == Words{"premature"});
      CHECK(seen.result.violations.front().time_s == Approx(time_s));
      CHECK(first_detail(seen).find(time_s < 12 ? "0 active ranks and 1 app"
                                                : "1 active ranks and 0") != std::string::npos);
    }
}

TEST_CASE("premature: a message that a layer holds back is in flight") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    one_message(job);
    first_message(job, [](ScriptContext&, Message&) {});
    announce_at(job, 50);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::premature);
    CHECK(first_detail(seen).find("1 application messages in flight") != std::string::npos);
  }
}

TEST_CASE("hung: the work is over and nobody announces within the grace time") {
  for (const scenario::EngineKind engine : engines())
    for (const bool keeps_busy : {false, true}) {
      Job job(2);
      one_message(job);
      job.spec.stop.grace_s = 100;
      // One that only waits is found when nothing is left to happen, a busy one by the grace time.
      job.script(Family::termination, [keeps_busy](ActorId self) {
        Handlers handlers;
        handlers.waiting_for = self == 1 ? "inspiration" : "";
        if (!keeps_busy) return handlers;
        handlers.start = [](ScriptContext& context) { context.set_timer(1, 7); };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.set_timer(1, 7); };
        return handlers;
      });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << (keeps_busy ? " busy" : " waiting"));
      CHECK(seen.result.outcome == engine::Outcome::hung);
      CHECK(seen.result.terminated == false);
      REQUIRE(seen.violations() == Words{"hung"});
      CHECK(first_detail(seen).find("1 waits for inspiration") != std::string::npos);
      CHECK(seen.metric("end_time_s") == Approx(keeps_busy ? 132 : 32));
    }
}

TEST_CASE("hung: announcing to some ranks only is not enough") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    one_message(job);
    job.script(Family::termination, [](ActorId self) {
      return Handlers{.start =
                          [self](ScriptContext& context) {
                            if (self != 2) context.set_timer(1, 40);
                          },
                      .timer = [](ScriptContext& context, std::uint64_t) { context.announce(); }};
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::hung);
    CHECK(seen.result.metrics.values().at("announce_time_s") == std::nullopt);
  }
}

TEST_CASE("deadlock: work is left and nothing can happen, and the message names all that wait") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId self) {
      return Handlers{.start =
                          [self](ScriptContext& context) {
                            if (self == 0) context.declare_work(1);
                          },
                      .waiting_for = self == 0 ? "Godot" : ""};
    });
    job.detector("cda");
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::deadlock);
    REQUIRE(seen.violations() == Words{"deadlock"});
    CHECK(first_detail(seen).find("1 active ranks") != std::string::npos);
    CHECK(first_detail(seen).find("0 waits for Godot") != std::string::npos);
    CHECK(first_detail(seen).find("0 waits for 4294967296 credit") != std::string::npos);
  }
}

TEST_CASE("deadlock: a message that a layer holds and never releases") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    one_message(job);
    first_message(job, [](ScriptContext&, Message&) {});
    job.detector("four-counter");
    job.spec.stop.time_s = 10000;
    const Seen seen = job.run(engine);
    // Waves go on for ever, so that only the limit ends the run; nothing was announced.
    CHECK(seen.result.outcome == engine::Outcome::limit);
    CHECK(seen.result.terminated == false);
    CHECK(seen.metric("application_messages") == 1);
    Job bare(2);
    one_message(bare);
    first_message(bare, [](ScriptContext&, Message&) {});
    const Seen stuck = bare.run(engine);
    CHECK(stuck.result.outcome == engine::Outcome::deadlock);
    CHECK(first_detail(stuck).find("1 application messages in flight") != std::string::npos);
  }
}

namespace {

/// How a detector behaves of which the tests below make one each.
struct Reaction {
  double told_s = kNever;       ///< each rank hears of a death so long after it from outside
  double reports_s = kNever;    ///< when the failure detector reports by itself
  double announces_s = kNever;  ///< each rank announces so long after its notice
};

/// Rank 2 dies at 5 s; the others are done at 32 s. The detector keeps the run alive for ever.
Seen late_notice(const Reaction& reaction, scenario::EngineKind engine) {
  Job job(3);
  one_message(job);
  job.spec.stop.grace_s = 100;
  OwnTerms terms;
  if (reaction.told_s < kNever) terms.exit_notice = ExitNotice{.delay_s = reaction.told_s};
  job.script(
      Family::failure_detection,
      [=](ActorId) {
        Handlers handlers;
        handlers.exit_notice = [](ScriptContext& context, Incarnation dead) {
          context.report_failed(dead);
        };
        if (reaction.reports_s < kNever)
          handlers.start = [=](ScriptContext& context) {
            context.set_timer(1, reaction.reports_s);
          };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.report_failed(2); };
        return handlers;
      },
      terms);
  job.script(Family::termination, [=](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) { context.set_timer(1, 7); };
    handlers.peer_failed = [=](ScriptContext& context, Incarnation) {
      if (reaction.announces_s < kNever) context.set_timer(2, reaction.announces_s);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t key) {
      if (key == 1)
        context.set_timer(1, 7);
      else
        context.announce();
    };
    return handlers;
  });
  return job.kill(5, {2}).run(engine);
}

}  // namespace

TEST_CASE("hung: the grace time begins when the last notice of a death has come") {
  for (const scenario::EngineKind engine : engines())
    for (const double delay_s : {10.0, 90.0, 500.0}) {
      const double known_s = std::max(32.0, 5 + delay_s);
      INFO(engine_word(engine) << ", delay " << delay_s);
      const Seen good = late_notice({delay_s, kNever, known_s + 99 - 5 - delay_s}, engine);
      CHECK(good.result.outcome == engine::Outcome::terminated);
      CHECK(good.violations().empty());
      CHECK(good.metric("announce_time_s") == Approx(known_s + 99));
      for (const double announces_s : {known_s + 101 - 5 - delay_s, kNever}) {
        const Seen slow = late_notice({delay_s, kNever, announces_s}, engine);
        CHECK(slow.result.outcome == engine::Outcome::hung);
        CHECK(slow.metric("end_time_s") == Approx(known_s + 100));
      }
    }
}

TEST_CASE("hung: a failure detector that reports late, or never, puts nothing off for ever") {
  for (const scenario::EngineKind engine : engines()) {
    INFO(engine_word(engine));
    const Seen never = late_notice({}, engine);
    CHECK(never.result.outcome == engine::Outcome::hung);
    CHECK(never.metric("end_time_s") == Approx(132));
    const Seen late = late_notice({kNever, 120, kNever}, engine);
    CHECK(late.result.outcome == engine::Outcome::hung);
    CHECK(late.metric("end_time_s") == Approx(220));
    CHECK(late_notice({kNever, 120, 99}, engine).result.outcome == engine::Outcome::terminated);
  }
}

}  // namespace faultline::audit
