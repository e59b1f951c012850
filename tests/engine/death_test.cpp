// SPDX-License-Identifier: Apache-2.0

// What a death takes with it, and what it leaves: injected bytes, send fences, flushes.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 0 sends `count` messages of `bytes` to rank 1 at time zero, one send overhead apart.
void burst(Job& job, std::size_t count, std::uint32_t bytes, std::uint8_t flags = 0) {
  job.script(Family::workload, [=, &job](ActorId self) {
    Handlers handlers = first_sends(job, self, std::vector<FirstSend>(count, {0, 1, bytes, flags}));
    handlers.sent = [&job](ScriptContext& context, ActorId to, std::uint16_t kind) {
      job.note(context, "sent", 100 * std::int64_t{to} + kind);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("a death between two sends of one handler drops the later ones and no other") {
  for (const scenario::EngineKind engine : engines())
    for (int injected = 0; injected <= 5; ++injected) {
      Job job(2);
      burst(job, 5, 0);
      job.kill(injected + 0.5, {0});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", death after " << injected << " of 5 sends");
      CHECK(seen.count("got") == static_cast<std::size_t>(injected));
      CHECK(seen.metric("application_messages_lost") == 5 - injected);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("bytes that wait in the sender's NIC die with it, bytes that have left do not") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    burst(job, 4, 200);  // enter the network at 1, 3, 5 and 7
    job.kill(5.5, {0});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "got"), {14, 16, 18}, engine));
    CHECK(seen.metric("application_messages_lost") == 1);
  }
}

TEST_CASE("messages on their way to the dead are lost, and the ground truth knows") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    burst(job, 5, 0);
    job.kill(13.5, {1});  // two of the five have been handled
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "got") == Values{0, 1});
    CHECK(seen.metric("application_messages_lost") == 3);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("messages to an actor that is dead already are lost") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.compute(50);
      };
      handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
        for (const Rank to : {1U, 2U}) context.send(to, 0, 0);
      };
      handlers.message = [&job](ScriptContext& context, const Message&) {
        job.note(context, "got");
      };
      return handlers;
    });
    job.kill(20, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.times_s(1, "got").empty());
    CHECK(close(seen.times_s(2, "got"), {63}, engine));
    CHECK(seen.metric("application_messages_lost") == 1);
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("timers and computations of the dead never come") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.set_timer(1, 10);
        context.compute(20);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "timer");
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "computed");
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "timer"), {10}, engine));
    CHECK(close(seen.times_s(0, "computed"), {20}, engine));
    CHECK(seen.log.size() == 2);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("failed_ranks") == 1);
  }
}

TEST_CASE("the send fence tells when a message has left for good") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    burst(job, 2, 200, kNotifySent);  // enter the network at 1 and 3, have left at 3 and 5
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "sent"), {3, 5}, engine));
    CHECK(seen.values(0, "sent") == Values{100, 101});
    CHECK(seen.times_s(1, "sent").empty());
  }
}

TEST_CASE("a fenced message arrives whatever happens to its sender") {
  for (const scenario::EngineKind engine : engines())
    for (const double death_s : {0.5, 1.5, 2.5, 3.5, 4.5, 5.5}) {
      Job job(2);
      burst(job, 2, 200, kNotifySent);
      job.kill(death_s, {0});
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", death at " << death_s);
      CHECK(seen.count("got") >= seen.count("sent"));
      CHECK(seen.count("sent") == (death_s > 5 ? 2U : death_s > 3 ? 1U : 0U));
      CHECK(seen.count("got") == (death_s > 3 ? 2U : death_s > 1 ? 1U : 0U));
    }
}

TEST_CASE("a message without the flag has no fence") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    burst(job, 3, 10);
    CHECK(job.run(engine).count("sent") == 0);
  }
}

TEST_CASE("the death of the receiver does not take the sender's fence away") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    burst(job, 1, 500, kNotifySent);
    job.kill(2, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "sent"), {6}, engine));
    CHECK(seen.count("got") == 0);
  }
}

TEST_CASE(
    "what waits for the network can be overtaken within the node, unless a fence forbids it") {
  for (const scenario::EngineKind engine : engines())
    for (const bool fence : {false, true})
      for (const double death_s : {0.5, 2.5, 3.5, 5.5, 6.5, 9.5}) {
        Job job(4);
        job.spec.platform.processes_per_node = 2;
        job.script(Family::workload, [&job, fence](ActorId self) {
          Handlers handlers;
          handlers.start = [=](ScriptContext& context) {
            if (self != 0) return;
            context.send(2, 0, 500);  // enters the network at 1, keeps the NIC until 6
            context.send(2, 1, 0);
            Message& local = context.send(1, 2, 0);
            if (fence) local.flags |= kFence;
          };
          handlers.message = noted_kinds(job);
          return handlers;
        });
        job.kill(death_s, {0});
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", fence " << fence << ", death at " << death_s);
        const std::size_t left = death_s > 6 ? 2 : death_s > 1 ? 1 : 0;
        CHECK(seen.times_s(2, "got").size() == left);
        // Its own send overhead comes after the fence: it enters the network at 7, or at 3.
        CHECK(seen.times_s(1, "got").size() == (death_s > (fence ? 7 : 3) ? 1U : 0U));
      }
}

}  // namespace faultline::engine
