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

TEST_CASE("hung: who announces to some ranks only has not announced") {
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
            message->termination.first = 4;
            *credit -= 4;
            context.forward(*message);
          }
        };
        handlers.receive = [=](Context&, Message& message) {
          *credit += static_cast<std::int64_t>(message.termination.first) - lost;
          return Passage::deliver;
        };
        handlers.conserved = [=] { return Conserved{*credit, self == 0 ? 10 : 0}; };
        handlers.conserved_in = [](const Message& message) {
          return static_cast<std::int64_t>(message.termination.first);
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

TEST_CASE("false report: a detector that declares a live rank dead") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [](ActorId) {
      return Handlers{.start = [](Context& context) { context.compute(20); }};
    });
    job.script(Family::failure_detection, [](ActorId self) {
      return Handlers{.start =
                          [self](Context& context) {
                            if (self == 1) context.set_timer(1, 5);
                          },
                      .timer = [](Context& context, std::uint64_t) { context.report_failed(2); }};
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::violated);
    REQUIRE(seen.violations() == Words{"false-report"});
    CHECK(seen.result.violations.front().actor == 1U);
    CHECK(seen.result.violations.front().time_s == Approx(5));
    CHECK(first_detail(seen).find("live actor 2") != std::string::npos);
  }
}
