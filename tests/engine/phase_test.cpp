// SPDX-License-Identifier: Apache-2.0

// Numbered phases: a new detected phase can begin after an announcement.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Chains of messages in each of `phases` phases, begun by rank 0 (or by all ranks) in its first
/// computation; every rank goes on to the next phase when the last one is announced to it.
void chains(Job& job, std::uint32_t phases, std::uint32_t length, bool at_root) {
  job.script(
      Family::workload,
      [=, &job](ActorId self) {
        Handlers handlers;
        const auto begin = [=](ScriptContext& context) {
          if (self == 0 || !at_root) context.compute(1e-4);
        };
        handlers.start = begin;
        handlers.compute_done = [=](ScriptContext& context, std::uint64_t) {
          context.send((self * 5 + 1) % context.job().processes, 0, 50)
              .payload.put(std::uint64_t{length});
        };
        handlers.message = [=, &job](ScriptContext& context, const Message& message) {
          job.note(context, "got", message.phase);
          const auto left = message.payload.get<std::uint64_t>();
          if (left == 0) return;
          context.send((self * 3 + 2) % context.job().processes, 0, 50).payload.put(left - 1);
        };
        handlers.announced = [=, &job](ScriptContext& context, std::uint32_t phase) {
          job.note(context, "announced", phase);
          if (phase + 1 == phases) return;
          context.start_phase();
          begin(context);
        };
        return handlers;
      },
      {.traits = WorkloadTraits{.starts_at_root = at_root}});
}

}  // namespace

TEST_CASE("every detector detects phase after phase") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors())
      for (const bool at_root : {true, false})
        for (const std::uint32_t processes : {1U, 2U, 7U, 16U}) {
          Job job(processes, quick_machine());
          chains(job, 4, 20, at_root);
          job.detector(detector);
          const Seen seen = job.run(engine);
          INFO(engine_word(engine) << ' ' << detector << ", " << processes << " processes, "
                                   << (at_root ? "at the root" : "everywhere"));
          CHECK(seen.result.outcome == Outcome::terminated);
          CHECK(seen.violations().empty());
          CHECK(seen.count("announced") == std::size_t{4} * processes);
          for (Rank rank = 0; rank < processes; ++rank)
            CHECK(seen.values(rank, "announced") == Values{0, 1, 2, 3});
          CHECK(seen.metric("application_messages") == 4.0 * 21 * (at_root ? 1 : processes));
        }
}

TEST_CASE("messages belong to the phase in which they were sent, and are handled in it") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors()) {
      Job job(16, quick_machine());
      chains(job, 3, 40, false);
      job.detector(detector);
      const Seen seen = job.run(engine);
      for (Rank rank = 0; rank < 16; ++rank) {
        std::int64_t announced = -1;
        for (const Entry& entry : seen.log) {
          if (entry.actor != rank) continue;
          if (entry.what == "announced")
            announced = entry.value;
          else
            CHECK(entry.value == announced + 1);
        }
      }
    }
}

TEST_CASE("a message of the next phase waits for the announcement of this one") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    // Rank 7 hears of the announcement through ranks 1 and 3; rank 0 sends to it at once.
    job.script(Family::workload,
               [&job](ActorId self) {
                 Handlers handlers;
                 handlers.announced = [=, &job](ScriptContext& context, std::uint32_t phase) {
                   job.note(context, "announced", phase);
                   if (phase == 1) return;
                   context.start_phase();
                   if (self == 0) context.compute(0);
                 };
                 handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
                   context.send(7, 0, 0);
                 };
                 handlers.message = [&job](ScriptContext& context, const Message& message) {
                   job.note(context, "got", message.phase);
                 };
                 return handlers;
               },
               {.traits = WorkloadTraits{.starts_at_root = true}});
    job.detector("cda");
    const Seen seen = job.run(engine);
    const std::vector<double> root = seen.times_s(0, "announced");
    const std::vector<double> leaf = seen.times_s(7, "announced");
    const std::vector<double> got = seen.times_s(7, "got");
    REQUIRE(got.size() == 1);
    CHECK(leaf.front() >= root.front() + 3 * 12);
    CHECK(got.front() >= leaf.front());
    CHECK(seen.values(7, "got") == Values{1});
    CHECK(seen.result.outcome == Outcome::terminated);
    CHECK(seen.violations().empty());
  }
}

// The first message comes at 13 and waits. Rank 1 is busy from 20 to 25, when it announces the
// phase; the second message has come at 22.
TEST_CASE("what waits for a phase is handled before what has come meanwhile") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.worker_cores = 2;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.announced = [self](ScriptContext& context, std::uint32_t) {
        context.start_phase();
        if (self != 0) return;
        context.compute(1, 1);
        context.compute(9, 2);
      };
      handlers.compute_done = [](ScriptContext& context, std::uint64_t tag) {
        context.send(1, static_cast<std::uint16_t>(tag), 0);
      };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        job.note(context, "got", message.kind);
      };
      return handlers;
    });
    job.script(Family::termination, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (context.phase() > 0) return;
        context.set_timer(0, self == 0 ? 0 : 20);
        if (self == 1) context.set_timer(1, 21);
      };
      handlers.timer = [self](ScriptContext& context, std::uint64_t key) {
        if (self == 1 && key == 0) return context.spend(5);
        context.announce();
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CAPTURE(engine_word(engine));
    CHECK(seen.values(1, "got") == Values{1, 2});
    CHECK(seen.times_s(1, "got").front() >= 25);
  }
}

TEST_CASE("a message of the next phase begins that phase where this one was announced") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload,
               [&job](ActorId self) {
                 Handlers handlers;
                 handlers.announced = [=, &job](ScriptContext& context, std::uint32_t phase) {
                   job.note(context, "announced", phase);
                   if (phase == 1 || self == 1) return;  // rank 1 does not go on by itself
                   context.start_phase();
                   context.compute(100);
                 };
                 handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
                   context.send(1, 0, 0);
                 };
                 handlers.message = [&job](ScriptContext& context, const Message& message) {
                   job.note(context, "got", message.phase);
                   CHECK(context.phase() == 1);
                 };
                 return handlers;
               },
               {.traits = WorkloadTraits{.starts_at_root = true}});
    job.detector("dijkstra-scholten");
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "announced") == Values{0, 1});
    CHECK(seen.values(1, "got") == Values{1});
    CHECK(seen.values(1, "announced") == Values{0, 1});
    CHECK(seen.result.outcome == Outcome::terminated);
  }
}

TEST_CASE("control messages of a phase count for the run, and each phase has its own detector") {
  for (const scenario::EngineKind engine : engines()) {
    const auto controls = [engine](std::uint32_t phases) {
      Job job(8, quick_machine());
      chains(job, phases, 10, true);
      job.detector("dijkstra-scholten");
      return job.run(engine).metric("control_messages");
    };
    // Per phase: one acknowledgement a message and the announcement to seven ranks.
    for (const std::uint32_t phases : {1U, 2U, 5U}) CHECK(controls(phases) == phases * (11 + 7));
  }
}

namespace {

/// Rank 0 announces phase 0 at `announce_s` and goes on to phase 1; its detector notes what it
/// hears.
void one_phase_more(Job& job, double announce_s) {
  job.script(Family::workload, [&job](ActorId) {
    Handlers handlers;
    handlers.announced = [](ScriptContext& context, std::uint32_t phase) {
      if (phase == 0) context.start_phase();
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.flush(1); };
    handlers.flushed = [&job](ScriptContext& context, Incarnation) {
      job.note(context, "flushed");
    };
    handlers.start = [](ScriptContext& context) {
      if (context.self() == 0) context.set_timer(1, 5);
    };
    return handlers;
  });
  job.script(Family::termination, [&job, announce_s](ActorId self) {
    Handlers handlers;
    handlers.start = [=, &job](ScriptContext& context) {
      job.note(context, "start", context.phase());
      if (self == 0 && context.phase() == 0) context.set_timer(1, announce_s);
      if (self == 1 && context.phase() == 0) context.send(0, 0, 0);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
    handlers.peer_failed = [&job](ScriptContext& context, Incarnation) {
      job.note(context, "failed", context.phase());
    };
    handlers.message = [&job](ScriptContext& context, const Message&) { job.note(context, "got"); };
    return handlers;
  });
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 100;
}

}  // namespace

TEST_CASE("the detector of a new phase hears first of the deaths that its rank knows of") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    one_phase_more(job, 50);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(20, {1});
    job.kill(70, {2});
    const Seen seen = job.run(engine);
    Words heard;
    for (const Entry& entry : seen.log)
      if (entry.actor == 0 && (entry.what == "start" || entry.what == "failed"))
        heard.push_back(entry.what + ' ' + std::to_string(entry.value));
    CHECK(heard == Words{"start 0", "failed 0", "failed 1", "start 1", "failed 1"});
  }
}

TEST_CASE("a flush is answered when the last message turns out to be stale") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    one_phase_more(job, 2);
    const Seen seen = job.run(engine);
    // The message of phase 0 comes at 12 and is dropped: rank 0 is in phase 1.
    CHECK(seen.count("got") == 0);
    CHECK(close(seen.times_s(0, "flushed"), {12}, engine));
  }
}

}  // namespace faultline::engine
