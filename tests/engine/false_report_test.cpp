// SPDX-License-Identifier: Apache-2.0

// A detector that errs: it declares live processes dead.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 0 declares rank 2 dead at 5 s; rank 1 tells rank 2 of it by a message that it sends at 20
/// s. Rank 2 sends to rank 0 every second from 1 to 60, and so does rank 1.
void one_errs(Job& job) {
  job.script(Family::workload, [&job](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == 2) context.declare_work(1);  // it goes on for as long as it has timers
      for (std::uint64_t second = 1; second <= 60 && self == 2; ++second)
        context.set_timer(second, static_cast<double>(second));
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t second) {
      context.send(0, 0, 0);
      if (second == 60) context.declare_work(-1);
    };
    handlers.message = [&job](ScriptContext& context, const Message& message) {
      job.note(context, "got", message.from);
    };
    handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
      context.flush(peer);
    };
    handlers.flushed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "flushed", peer.actor);
    };
    return handlers;
  });
  job.script(Family::failure_detection, [](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == 0) context.set_timer(1, 5);
      if (self == 1) context.set_timer(1, 20);
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t) {
      if (self == 0)
        context.report_failed(2);
      else
        context.send(2, 0, 0);
    };
    handlers.message = [](ScriptContext& context, const Message&) {
      context.report_failed(context.self());
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE(
    "a process that is declared dead is refused from then on, and stops when it hears of it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    one_errs(job);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 100;
    const Seen seen = job.run(engine);
    const Values got = seen.values(0, "got");
    // Rank 2 has sent at 1, 2, 3 and 4 when it is declared dead: these are in the network, and the
    // flush waits for them. A message enters it 1 s after its send began.
    CHECK(std::count(got.begin(), got.end(), 2) == 4);
    CHECK(close(seen.times_s(0, "failed"), {5}, engine));
    CHECK(close(seen.times_s(0, "flushed"), {16}, engine));
    CHECK(seen.values(2, "failed").empty());  // it is not its own dead peer
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("failed_ranks") == 1);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.violations().empty());
  }
}

// Rank 2 sends to rank 0 every second from 1 to 60. Rank 0 declares it dead at 5 s, and hears from
// the detector of rank 2 what that one sends at 15 s.
TEST_CASE(
    "a process whose report is taken back is heard again, but not what was refused till then") {
  const auto takes_back = DetectorTraits{.takes_back = [](const OptionValues&) { return true; }};
  for (const scenario::EngineKind engine : engines())
    for (const bool again : {false, true}) {
      Job job(3);
      one_errs(job);
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 100;
      job.script(Family::failure_detection,
                 [&job, again](ActorId self) {
                   Handlers handlers;
                   handlers.start = [=](ScriptContext& context) {
                     if (self == 0) context.set_timer(1, 5);
                     if (self == 0 && again) context.set_timer(2, 50);
                     if (self == 2) context.set_timer(1, 15);
                   };
                   handlers.timer = [=](ScriptContext& context, std::uint64_t) {
                     if (self == 0)
                       context.report_failed(2);
                     else
                       context.send(0, 0, 0);
                   };
                   handlers.message = [&job](ScriptContext& context, const Message& message) {
                     job.note(context, "denied", message.from);
                     context.take_back({message.from, 0});
                   };
                   return handlers;
                 },
                 {.traits = takes_back});
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "denied") == Values{2});
      CHECK(seen.times_s(0, "failed").size() == (again ? 2 : 1));
      const Values got = seen.values(0, "got");
      const auto heard = std::count(got.begin(), got.end(), 2);
      const double lost = seen.metric("application_messages_lost");
      CHECK(static_cast<double>(heard) + lost == 60);
      // Messages take 12 s. Those that were sent from 5 s on, and have come by some 28 s, are lost.
      const double refused_again = again ? 11 : 0;
      CHECK(lost >= 10 + refused_again);
      CHECK(lost <= 14 + refused_again);
      CHECK(seen.metric("false_reports") == 1);
      CHECK(seen.metric("failed_ranks") == 0);
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("a false report of an accurate detector is a violation") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    one_errs(job);
    const Seen erring = job.run(engine);
    CHECK(erring.violations().empty());
    job.script(Family::failure_detection,
               [](ActorId self) {
                 Handlers handlers;
                 handlers.start = [=](ScriptContext& context) {
                   if (self == 0) context.report_failed(2);
                 };
                 return handlers;
               },
               {.traits = DetectorTraits{.accurate = true}});
    CHECK(job.run(engine).violations() == faultline::test::Words{"false-report"});
  }
}

TEST_CASE("a run that goes wrong after a false report blames the detector") {
  for (const scenario::EngineKind engine : engines())
    for (const bool lies : {false, true}) {
      Job job(3);
      one_errs(job);
      job.spec.stop.when = scenario::StopWhen::announced;
      if (!lies) job.spec.components[index_of(Family::failure_detection)] = {};
      // Announces as soon as it is told of a death, or at 6 s: both are too early.
      job.script(Family::termination, [](ActorId self) {
        Handlers handlers;
        handlers.start = [=](ScriptContext& context) {
          if (self == 0) context.set_timer(1, 6);
        };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
        return handlers;
      });
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == (lies ? Outcome::unsafe_detector : Outcome::premature));
    }
}

TEST_CASE("a daemon that hears of its own death takes the ranks of its node along") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) { context.set_timer(1, 50); };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "alive");
      };
      return handlers;
    });
    job.script(Family::failure_detection,
               [](ActorId self) {
                 Handlers handlers;
                 handlers.start = [=](ScriptContext& context) {
                   if (self == 4) context.send(5, 0, 0);
                 };
                 handlers.message = [](ScriptContext& context, const Message&) {
                   context.report_failed(context.self());
                 };
                 return handlers;
               },
               {.residence = Residence::daemons});
    const Seen seen = job.run(engine);
    CHECK(seen.count("alive") == 2);
    CHECK(seen.times_s(2, "alive").empty());
    CHECK(seen.times_s(3, "alive").empty());
  }
}

TEST_CASE("to declare a daemon dead is to declare the ranks of its node dead") {
  for (const scenario::EngineKind engine : engines())
    for (const bool dies : {false, true}) {
      Job job(4);
      job.spec.platform.processes_per_node = 2;
      job.script(Family::workload, [&job](ActorId) {
        Handlers handlers;
        handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
          job.note(context, "failed", peer.actor);
        };
        return handlers;
      });
      job.script(Family::failure_detection,
                 [](ActorId self) {
                   Handlers handlers;
                   handlers.start = [=](ScriptContext& context) {
                     if (self == 0) context.set_timer(1, 9);
                   };
                   handlers.timer = [](ScriptContext& context, std::uint64_t) {
                     context.report_failed(context.placement().daemon_of(1));
                   };
                   return handlers;
                 },
                 {.residence = Residence::ranks_and_daemons});
      if (dies) job.kill(5, {}, {1});
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "failed") == Values{5, 2, 3});
      CHECK(seen.metric("false_reports") == (dies ? 0 : 2));
    }
}

}  // namespace faultline::engine
