// What the auditor finds in whole runs: protocols that break one promise each.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// A detector that announces at that time at every rank, whatever the ranks do.
void announce_at(Job& job, double time_s) {
  job.script(Family::termination, [time_s](ActorId) {
    return Handlers{.start = [time_s](Context& context) { context.set_timer(1, time_s); },
                    .timer = [](Context& context, std::uint64_t) { context.announce(); }};
  });
}

/// Rank 0 sends one message, handled at 12, upon which rank 1 computes until 32.
void one_message(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    return Handlers{.start =
                        [self](Context& context) {
                          if (self == 0) context.send(1, 0, 0);
                        },
                    .message = [](Context& context, const Message&) { context.compute(20); }};
  });
}

/// A layer that does with the first application message of rank 0 what `treat` does.
void first_message(Job& job, const std::function<void(Context&, Message&)>& treat) {
  job.script(Family::message_logging, [treat](ActorId) {
    return Handlers{.sends = [treat](Context& context, std::span<Message* const> batch, bool) {
      for (Message* message : batch) {
        if (message->channel == Family::workload)
          treat(context, *message);
        else
          context.forward(*message);
      }
    }};
  });
}

const std::string& first_detail(const Seen& seen) { return seen.result.violations.at(0).detail; }

}  // namespace

TEST_CASE("premature: announced with a message in flight, or with a rank that computes") {
  for (const EngineKind engine : engines())
    for (const double time_s : {0.5, 5.0, 11.5, 13.0, 31.5, 33.0}) {
      Job job(2);
      one_message(job);
      announce_at(job, time_s);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", announced at " << time_s);
      if (time_s > 32) {
        CHECK(seen.result.outcome == Outcome::terminated);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("termination_time_s") == Approx(32).epsilon(time_tolerance(engine)));
        continue;
      }
      CHECK(seen.result.outcome == Outcome::premature);
      REQUIRE(seen.violations() == Words{"premature"});
      CHECK(seen.result.violations.front().time_s == Approx(time_s));
      CHECK(first_detail(seen).find(time_s < 12 ? "0 active ranks and 1 app"
                                                : "1 active ranks and 0") != std::string::npos);
    }
}

TEST_CASE("premature: a message that a layer holds back is in flight") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    one_message(job);
    first_message(job, [](Context&, Message&) {});
    announce_at(job, 50);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::premature);
    CHECK(first_detail(seen).find("1 application messages in flight") != std::string::npos);
  }
}

TEST_CASE("hung: the work is over and nobody announces within the grace time") {
  for (const EngineKind engine : engines())
    for (const bool keeps_busy : {false, true}) {
      Job job(2);
      one_message(job);
      job.spec.stop.grace_s = 100;
      // One that only waits is found when nothing is left to happen, a busy one by the grace time.
      job.script(Family::termination, [keeps_busy](ActorId self) {
        Handlers handlers;
        handlers.waiting_for = self == 1 ? "inspiration" : "";
        if (!keeps_busy) return handlers;
        handlers.start = [](Context& context) { context.set_timer(1, 7); };
        handlers.timer = [](Context& context, std::uint64_t) { context.set_timer(1, 7); };
        return handlers;
      });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << (keeps_busy ? " busy" : " waiting"));
      CHECK(seen.result.outcome == Outcome::hung);
      CHECK(seen.result.terminated == false);
      REQUIRE(seen.violations() == Words{"hung"});
      CHECK(first_detail(seen).find("1 waits for inspiration") != std::string::npos);
      CHECK(seen.metric("end_time_s") == Approx(keeps_busy ? 132 : 32));
    }
}

TEST_CASE("hung: announcing to some ranks only is not enough") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    one_message(job);
    job.script(Family::termination, [](ActorId self) {
      return Handlers{.start =
                          [self](Context& context) {
                            if (self != 2) context.set_timer(1, 40);
                          },
                      .timer = [](Context& context, std::uint64_t) { context.announce(); }};
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::hung);
    CHECK(seen.result.metrics.values().at("announce_time_s") == std::nullopt);
  }
}

TEST_CASE("deadlock: work is left and nothing can happen, with who waits for what") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId self) {
      return Handlers{.start =
                          [self](Context& context) {
                            if (self == 0) context.declare_work(1);
                          },
                      .waiting_for = self == 0 ? "Godot" : ""};
    });
    job.detector("cda");
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::deadlock);
    REQUIRE(seen.violations() == Words{"deadlock"});
    CHECK(first_detail(seen).find("1 active ranks") != std::string::npos);
    CHECK(first_detail(seen).find("0 waits for Godot") != std::string::npos);
    CHECK(first_detail(seen).find("0 waits for 4294967296 credit") != std::string::npos);
  }
}

TEST_CASE("deadlock: a message that a layer holds and never releases") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    one_message(job);
    first_message(job, [](Context&, Message&) {});
    job.detector("four-counter");
    job.spec.stop.time_s = 10000;
    const Seen seen = job.run(engine);
    // Waves go on for ever, so that only the limit ends the run; nothing was announced.
    CHECK(seen.result.outcome == Outcome::limit);
    CHECK(seen.result.terminated == false);
    CHECK(seen.metric("application_messages") == 1);
    Job bare(2);
    one_message(bare);
    first_message(bare, [](Context&, Message&) {});
    const Seen stuck = bare.run(engine);
    CHECK(stuck.result.outcome == Outcome::deadlock);
    CHECK(first_detail(stuck).find("1 application messages in flight") != std::string::npos);
  }
}

TEST_CASE("message conservation: a layer that makes two messages of one") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    one_message(job);
    first_message(job, [](Context& context, Message& message) {
      context.release(message);
      context.forward(message);
    });
    const Seen seen = job.run(engine);
    const auto found = seen.violations();
    CHECK(std::count(found.begin(), found.end(), "message-conservation") == 1);
    CHECK(seen.result.outcome != Outcome::finished);
  }
}

TEST_CASE("credit: a detector that loses some is found at once, one that loses none is not") {
  for (const EngineKind engine : engines())
    for (const std::int64_t lost : {0, 1}) {
      Job job(2);
      one_message(job);
      job.script(Family::termination, [lost](ActorId self) {
        const auto credit = std::make_shared<std::int64_t>(self == 0 ? 10 : 0);
        Handlers handlers;
        handlers.sends = [=](Context& context, std::span<Message* const> batch, bool) {
          for (Message* message : batch) {
            message->termination.put(std::int64_t{4});
            *credit -= 4;
            context.forward(*message);
          }
        };
        handlers.receive = [=](Context&, Message& message) {
          *credit += message.termination.get<std::int64_t>() - lost;
          return Passage::deliver;
        };
        handlers.conserved = [=] { return Conserved{*credit, self == 0 ? 10 : 0}; };
        handlers.conserved_in = [](const Message& message) {
          return message.termination.get<std::int64_t>();
        };
        handlers.start = [](Context& context) { context.set_timer(1, 40); };
        handlers.timer = [](Context& context, std::uint64_t) { context.announce(); };
        return handlers;
      });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", lost " << lost);
      CHECK(seen.violations() == (lost > 0 ? Words{"credit"} : Words{}));
      CHECK(seen.result.outcome == (lost > 0 ? Outcome::violated : Outcome::terminated));
      if (lost == 0) continue;
      CHECK(seen.result.violations.front().actor == 1U);
      CHECK(seen.result.violations.front().time_s == Approx(12));
    }
}

namespace {

/// A detector that distributes 10 of a credit, of which rank 0 holds 7 and rank 2 holds 3 at the
/// start of each phase; every message takes one with it. Its receiver loses it where `loses` says.
Scripts credit(const std::function<bool(const Context&)>& loses, double announce_s) {
  return [=](ActorId self) {
    const auto held = std::make_shared<std::int64_t>(self == 0 ? 7 : self == 2 ? 3 : 0);
    Handlers handlers;
    handlers.sends = [=](Context& context, std::span<Message* const> batch, bool) {
      for (Message* message : batch) {
        message->termination.put(std::int64_t{1});
        --*held;
        context.forward(*message);
      }
    };
    handlers.receive = [=](Context& context, Message& message) {
      if (!loses(context)) *held += message.termination.get<std::int64_t>();
      return Passage::deliver;
    };
    handlers.conserved = [=] { return Conserved{*held, self == 0 ? 10 : 0}; };
    handlers.conserved_in = [](const Message& message) {
      return message.termination.get<std::int64_t>();
    };
    handlers.start = [=](Context& context) { context.set_timer(1, announce_s); };
    handlers.timer = [](Context& context, std::uint64_t) { context.announce(); };
    return handlers;
  };
}

/// Rank 0 sends a message to each of the others at 1 s and at 30 s.
void two_rounds(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    const auto send = [](Context& context) {
      for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, 0, 0);
    };
    Handlers handlers;
    handlers.start = [self](Context& context) {
      if (self != 0) return;
      context.compute(1, 1);
      context.set_timer(1, 30);
      context.declare_work(1);
    };
    handlers.compute_done = [send](Context& context, std::uint64_t) { send(context); };
    handlers.timer = [send](Context& context, std::uint64_t) {
      send(context);
      context.declare_work(-1);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("credit: what the dead hold and what is sent to them is lost and accounted for") {
  for (const EngineKind engine : engines())
    for (const bool loses : {false, true}) {
      Job job(4);
      two_rounds(job);
      // Rank 2 dies with its own credit before the first message reaches it.
      const auto late = [loses](const Context& context) { return loses && context.now_s() > 30; };
      job.script(Family::termination, credit(late, 100)).kill(5, {2});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << (loses ? ", loses" : ""));
      REQUIRE(seen.violations() == (loses ? Words{"credit"} : Words{}));
      CHECK(seen.result.outcome == (loses ? Outcome::violated : Outcome::terminated));
      if (!loses) continue;
      // At 31 s rank 0 has sent the second message to rank 1.
      CHECK(seen.result.violations.front().actor == 1U);
      CHECK(seen.result.violations.front().time_s == Approx(42));
      CHECK(first_detail(seen) == "credit is not conserved: -1 lost");
    }
}

TEST_CASE("credit: it is audited in every phase") {
  for (const EngineKind engine : engines())
    for (const std::uint32_t lost_in : {0U, 1U, 2U, 3U}) {
      Job job(3);
      job.script(Family::workload, [](ActorId self) {
        Handlers handlers;
        const auto begin = [self](Context& context) {
          if (self == 0) context.compute(1);
        };
        handlers.start = begin;
        handlers.compute_done = [](Context& context, std::uint64_t) { context.send(1, 0, 0); };
        handlers.announced = [begin](Context& context, std::uint32_t phase) {
          if (phase == 2) return;
          context.start_phase();
          begin(context);
        };
        return handlers;
      });
      // A rank that is still in the phase before must not disturb the sum.
      const auto loses = [lost_in](const Context& context) { return context.phase() == lost_in; };
      job.script(Family::termination,
                 [loses](ActorId self) { return credit(loses, self == 2 ? 40 : 30)(self); });
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", lost in " << lost_in);
      REQUIRE(seen.violations() == (lost_in < 3 ? Words{"credit"} : Words{}));
      if (lost_in == 3) continue;
      CHECK(seen.result.violations.front().actor == 1U);
      CHECK(seen.result.violations.front().time_s == Approx(13 + 30.0 * lost_in));
    }
}

TEST_CASE("credit: whoever dies and whenever, the detectors lose none but what is lost with them") {
  for (const EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < sample_of(200, engine); ++seed)
      for (const auto& [detector, options] : std::vector<std::pair<std::string, OptionValues>>{
               {"cda", {{"initial_credit", std::int64_t{4}}}},
               {"hcda", {{"credit", std::string("mattern")}}},
               {"hcda", {{"credit", std::string("own-currency")}}},
               {"hcda", {}}}) {
        Stream draw(seed, 0, Purpose::faults, 0);
        Job job(8, quick_machine());
        job.workload("uniform-traffic", {{"hops", std::int64_t{20}}, {"compute_s", 2e-6}});
        job.detector(detector, options);
        for (std::uint64_t deaths = 1 + draw.below(3); deaths > 0; --deaths)
          job.kill(draw.uniform() * 2e-4, {static_cast<Rank>(draw.below(8))});
        job.spec.stop.grace_s = 1;
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << ", seed " << seed << ", " << detector);
        const auto found = seen.violations();
        CHECK(std::count(found.begin(), found.end(), "credit") == 0);
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
Seen late_notice(const Reaction& reaction, EngineKind engine) {
  Job job(3);
  one_message(job);
  job.spec.stop.grace_s = 100;
  ScriptTerms terms;
  if (reaction.told_s < kNever) terms.exit_notice = ExitNotice{.delay_s = reaction.told_s};
  job.script(
      Family::failure_detection,
      [=](ActorId) {
        Handlers handlers;
        handlers.exit_notice = [](Context& context, Incarnation dead) {
          context.report_failed(dead);
        };
        if (reaction.reports_s < kNever)
          handlers.start = [=](Context& context) { context.set_timer(1, reaction.reports_s); };
        handlers.timer = [](Context& context, std::uint64_t) { context.report_failed(2); };
        return handlers;
      },
      terms);
  job.script(Family::termination, [=](ActorId) {
    Handlers handlers;
    handlers.start = [](Context& context) { context.set_timer(1, 7); };
    handlers.peer_failed = [=](Context& context, Incarnation) {
      if (reaction.announces_s < kNever) context.set_timer(2, reaction.announces_s);
    };
    handlers.timer = [](Context& context, std::uint64_t key) {
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
  for (const EngineKind engine : engines())
    for (const double delay_s : {10.0, 90.0, 500.0}) {
      const double known_s = std::max(32.0, 5 + delay_s);
      INFO(engine_word(engine) << ", delay " << delay_s);
      const Seen good = late_notice({delay_s, kNever, known_s + 99 - 5 - delay_s}, engine);
      CHECK(good.result.outcome == Outcome::terminated);
      CHECK(good.violations().empty());
      CHECK(good.metric("announce_time_s") == Approx(known_s + 99));
      for (const double announces_s : {known_s + 101 - 5 - delay_s, kNever}) {
        const Seen slow = late_notice({delay_s, kNever, announces_s}, engine);
        CHECK(slow.result.outcome == Outcome::hung);
        CHECK(slow.metric("end_time_s") == Approx(known_s + 100));
      }
    }
}

TEST_CASE("hung: a failure detector that reports late, or never, puts nothing off for ever") {
  for (const EngineKind engine : engines()) {
    INFO(engine_word(engine));
    const Seen never = late_notice({}, engine);
    CHECK(never.result.outcome == Outcome::hung);
    CHECK(never.metric("end_time_s") == Approx(132));
    const Seen late = late_notice({kNever, 120, kNever}, engine);
    CHECK(late.result.outcome == Outcome::hung);
    CHECK(late.metric("end_time_s") == Approx(220));
    CHECK(late_notice({kNever, 120, 99}, engine).result.outcome == Outcome::terminated);
  }
}

namespace {

constexpr MetricSpec kLeft{"left", Merge::last, ""};
constexpr MetricSpec kUnreported{"unreported", Merge::last, ""};

/// A workload that counts its own work: each rank computes 10 s, and `missing` is left undone.
void counting(Job& job, Registration& counts, double missing) {
  job.script(Family::workload, [missing](ActorId) {
    Handlers handlers;
    handlers.start = [](Context& context) { context.compute(10); };
    handlers.compute_done = [](Context& context, std::uint64_t) { context.finish(); };
    handlers.report = [missing](MetricTotals& totals) { totals.put(kLeft, missing); };
    return handlers;
  });
  ComponentChoice& workload = job.spec.components[static_cast<std::size_t>(Family::workload)];
  counts = *workload.registration;
  counts.metrics = {&kLeft, &kUnreported};
  counts.end_checks = {{&kUnreported, "other"}, {&kLeft, "lost-work"}};
  workload.registration = &counts;
}

}  // namespace

TEST_CASE("lost work: a run that comes to its end must have done what its workload counts") {
  for (const EngineKind engine : engines())
    for (const double missing : {0.0, 3.0})
      for (const bool announces : {false, true}) {
        Job job(2);
        Registration counts;
        counting(job, counts, missing);
        if (announces) announce_at(job, 20);
        if (!announces) job.spec.stop.when = StopWhen::finished;
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", missing " << missing << (announces ? ", announces" : ""));
        REQUIRE(seen.violations() == (missing > 0 ? Words{"lost-work"} : Words{}));
        CHECK((seen.result.outcome == Outcome::violated) == (missing > 0));
        if (missing > 0)
          CHECK(first_detail(seen) == "the run has come to its end with left 3 instead of 0");
      }
}

TEST_CASE("lost work: what a run has not come to is not lost") {
  for (const EngineKind engine : engines()) {
    INFO(engine_word(engine));
    for (const StopWhen when : {StopWhen::time, StopWhen::announced}) {
      Job job(2);
      Registration counts;
      counting(job, counts, 3);
      job.spec.stop.when = when;
      job.spec.stop.time_s = 5;
      CHECK(job.run(engine).violations().empty());
    }
    Job dead(2);
    Registration counts;
    counting(dead, counts, 3);
    const Seen seen = dead.kill(5, {0, 1}).run(engine);
    CHECK(seen.result.outcome == Outcome::all_failed);
    CHECK(seen.violations().empty());
  }
}

namespace {

/// Rank 1 gives up at 20 s, in the words of a component that declares when it may.
Seen gives_up(Family family, const MayGiveUp& rule, bool told, EngineKind engine) {
  Job job(3);
  if (family != Family::workload) one_message(job);
  job.script(family, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](Context& context) {
      if (self == 1) context.set_timer(1, 20);
    };
    handlers.timer = [](Context& context, std::uint64_t) { context.fatal("enough"); };
    return handlers;
  });
  ComponentChoice& choice = job.spec.components[static_cast<std::size_t>(family)];
  Registration declared = *choice.registration;
  declared.may_give_up = rule;
  choice.registration = &declared;
  if (told) job.use(Family::failure_detection, "oracle", {{"delay_s", 1.0}}).kill(5, {2});
  return job.run(engine);
}

}  // namespace

TEST_CASE("needless fatal: giving up needs a death, and the one that its declaration names") {
  const auto of_rank = [](ActorId rank) -> MayGiveUp {
    return [rank](const OptionValues&, const JobShape&, const std::vector<ActorId>& dead) {
      return std::count(dead.begin(), dead.end(), rank) > 0;
    };
  };
  for (const EngineKind engine : engines())
    for (const Family family : {Family::workload, Family::termination}) {
      INFO(engine_word(engine) << ", family " << static_cast<int>(family));
      const auto check_needless = [](const Seen& seen, const std::string& words) {
        CHECK(seen.result.outcome == Outcome::violated);
        REQUIRE(seen.violations() == Words{"needless-fatal"});
        CHECK(seen.result.violations.front().actor == 1U);
        CHECK(seen.result.violations.front().time_s == Approx(20));
        CHECK(first_detail(seen).find(words) != std::string::npos);
      };
      check_needless(gives_up(family, {}, false, engine), "nobody has died: enough");
      check_needless(gives_up(family, of_rank(2), false, engine), "nobody has died: enough");
      check_needless(gives_up(family, of_rank(0), true, engine), "none of the deaths");
      for (const MayGiveUp& rule : {MayGiveUp(), of_rank(2)}) {
        const Seen seen = gives_up(family, rule, true, engine);
        CHECK(seen.result.outcome == Outcome::fatal_reported);
        CHECK(seen.violations().empty());
      }
    }
}

TEST_CASE("false report: a detector that promises accuracy declares a live rank dead") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId) {
      return Handlers{.start = [](Context& context) { context.compute(20); }};
    });
    job.script(
        Family::failure_detection,
        [](ActorId self) {
          return Handlers{
              .start =
                  [self](Context& context) {
                    if (self == 1) context.set_timer(1, 5);
                  },
              .timer = [](Context& context, std::uint64_t) { context.report_failed(2); }};
        },
        Traits{.accurate = true});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::violated);
    REQUIRE(seen.violations() == Words{"false-report"});
    CHECK(seen.result.violations.front().actor == 1U);
    CHECK(seen.result.violations.front().time_s == Approx(5));
    CHECK(first_detail(seen).find("live actor 2") != std::string::npos);
  }
}
