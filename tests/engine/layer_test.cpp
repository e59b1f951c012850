// SPDX-License-Identifier: Apache-2.0

// The stack of a rank: workload, termination, message logging, network.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Notes every batch that a layer is offered as 10 x messages + still_active, and forwards it.
std::function<void(ScriptContext&, std::span<Message* const>, bool)> noted_batches(Job& job) {
  return [&job](ScriptContext& context, std::span<Message* const> batch, bool still_active) {
    job.note(
        context, "batch",
        10 * static_cast<std::int64_t>(batch.size()) + static_cast<std::int64_t>(still_active));
    for (Message* message : batch) context.forward(*message);
  };
}

/// Rank 0 sends two empty messages to rank 1 at time zero; receivers note them.
void two_messages(Job& job) { at_start(job, {{0, 1, 0}, {0, 1, 0}}); }

}  // namespace

TEST_CASE("all sends of one handler come down as one batch, with the rank's state after it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self != 0) return;
        for (int i = 0; i < 3; ++i) context.send(1, 0, 0);
        context.compute(100);
      };
      handlers.compute_done = [](ScriptContext& context, std::uint64_t) {
        context.send(1, 0, 0);
        context.declare_work(1);
        context.set_timer(1, 50);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
        context.send(1, 0, 0);
        context.send(1, 0, 0);
        context.declare_work(-1);
      };
      handlers.message = [self](ScriptContext& context, const Message&) {
        if (self == 1 && context.now_s() < 13) context.send(1, 0, 0);
      };
      return handlers;
    });
    job.script(Family::termination,
               [&job](ActorId) { return Handlers{.sends = noted_batches(job)}; });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "batch") == Values{31, 11, 20});
    CHECK(seen.values(1, "batch") == Values{10});
  }
}

TEST_CASE("a message that a layer holds back is in flight until it is released and handled") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    two_messages(job);
    job.script(Family::termination, [&job](ActorId self) {
      Handlers handlers;
      const auto held = std::make_shared<std::vector<Message>>();
      handlers.sends = [=](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (const Message* message : batch) held->push_back(*message);
        context.set_timer(1, 100);
      };
      handlers.timer = [=](ScriptContext& context, std::uint64_t) {
        for (const Message& message : *held) context.release(message);
      };
      handlers.idle = [=, &job](ScriptContext& context) {
        job.note(context, "idle");
        if (self == 1 && context.now_s() > 0) context.announce();
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "got"), {112, 113}, engine));
    CHECK(seen.values(1, "got") == Values{0, 1});
    // Rank 0 goes idle although its messages wait.
    CHECK(close(seen.times_s(0, "idle"), {0}, engine));
    // The announcement at 112 is premature: one message is still on its way.
    CHECK(seen.violations() == Words{"premature", "hung"});
    CHECK(seen.metric("application_messages") == 2);
  }
}

TEST_CASE("a message that a layer holds at its receiver is handled when it is delivered") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    two_messages(job);
    job.script(Family::termination, [](ActorId self) {
      Handlers handlers;
      const auto held = std::make_shared<std::vector<Message>>();
      handlers.receive = [=](ScriptContext& context, Message& message) {
        if (message.kind != 0) return Passage::deliver;
        held->push_back(message);
        context.set_timer(1, 100);
        return Passage::hold;
      };
      handlers.timer = [=](ScriptContext& context, std::uint64_t) {
        context.deliver(held->front());
      };
      handlers.idle = [=](ScriptContext& context) {
        if (self == 1 && context.now_s() > 100) context.announce();
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "got") == Values{1, 0});
    CHECK(close(seen.times_s(1, "got"), {13, 112}, engine));
    CHECK(seen.metric("termination_time_s") == Approx(112));
    CHECK(seen.violations() == Words{"hung"});  // rank 0 never announces
  }
}

TEST_CASE("messages that layers hold count as in flight to the very end") {
  for (const bool at_receiver : {false, true}) {
    Job job(2);
    two_messages(job);
    job.script(Family::termination, [at_receiver](ActorId) {
      Handlers handlers;
      if (at_receiver)
        handlers.receive = [](ScriptContext&, Message&) { return Passage::hold; };
      else
        handlers.sends = [](ScriptContext&, std::span<Message* const>, bool) {};
      handlers.waiting_for = "ever";
      return handlers;
    });
    const Seen seen = job.run();
    CHECK(seen.result.outcome == Outcome::deadlock);
    CHECK(seen.violations() == Words{"deadlock"});
    CHECK(seen.result.violations.front().detail.find("2 application messages in flight") !=
          std::string::npos);
  }
}

TEST_CASE("control messages keep their place among the messages of the workload") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    two_messages(job);
    job.script(Family::termination, [&job](ActorId) {
      Handlers handlers;
      handlers.sends = [](ScriptContext& context, std::span<Message* const> batch, bool) {
        context.send(1, 10, 0);
        context.forward(*batch[0]);
        context.send(1, 11, 0);
        context.forward(*batch[1]);
        context.send(1, 12, 0);
      };
      handlers.message = noted_kinds(job);
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "got") == Values{10, 0, 11, 1, 12});
    CHECK(close(seen.times_s(1, "got"), {12, 13, 14, 15, 16}, engine));
    CHECK(seen.metric("control_messages") == 3);
  }
}

TEST_CASE("on_idle comes after the last sends have gone down, and not while the rank computes") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        context.send(0, 0, 0);
        context.compute(2);
      };
      handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "done");
        context.send(0, 0, 0);
      };
      return handlers;
    });
    job.script(Family::termination, [&job](ActorId) {
      return Handlers{.sends = noted_batches(job),
                      .idle = [&job](ScriptContext& context) { job.note(context, "idle"); }};
    });
    const Seen seen = job.run(engine);
    Words order;
    for (const Entry& entry : seen.log) order.push_back(entry.what);
    // The first message is handled while nothing computes any more: o_s 1 and 3 s within a node.
    CHECK(order == Words{"batch", "done", "batch", "idle", "idle", "idle"});
    CHECK(seen.values(0, "batch") == Values{11, 10});
    CHECK(seen.metric("idle_transitions") == 3);
  }
}

TEST_CASE("message logging sees what the detector sends, in the same batch") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    two_messages(job);
    job.script(Family::termination, [](ActorId) {
      return Handlers{.sends = [](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) context.forward(*message);
        context.send(1, 7, 0);
      }};
    });
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      handlers.sends = [&job](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) {
          job.note(context, "down", 10 * static_cast<int>(message->channel) + message->kind);
          message->logging.put(std::uint64_t{500U} + message->kind);
          context.forward(*message);
        }
      };
      handlers.receive = [&job](ScriptContext& context, Message& message) {
        job.note(context, "up", static_cast<std::int64_t>(message.logging.get<std::uint64_t>()));
        return Passage::deliver;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "down") == Values{0, 1, 27});
    CHECK(seen.values(1, "up") == Values{500, 501, 507});
    CHECK(seen.values(1, "got") == Values{0, 1});
  }
}

TEST_CASE("messages climb through message logging, then the detector, to their component") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    two_messages(job);
    for (const Family family : {Family::termination, Family::message_logging})
      job.script(family, [&job, family](ActorId) {
        return Handlers{.receive = [&job, family](ScriptContext& context, Message&) {
          job.note(context, family == Family::termination ? "detector" : "logging");
          return Passage::deliver;
        }};
      });
    const Seen seen = job.run(engine);
    Words order;
    for (const Entry& entry : seen.log) order.push_back(entry.what);
    CHECK(order == Words{"logging", "detector", "got", "logging", "detector", "got"});
  }
}

TEST_CASE("layers above never learn of deaths that message logging recovers") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    const auto noted = [&job](const char* who) {
      return [&job, who](ScriptContext& context, Incarnation peer) {
        job.note(context, who, peer.actor);
      };
    };
    job.script(Family::workload,
               [=](ActorId) { return Handlers{.peer_failed = noted("workload")}; });
    job.script(Family::termination,
               [=](ActorId) { return Handlers{.peer_failed = noted("detector")}; });
    job.script(Family::message_logging, [=](ActorId) {
      return Handlers{.peer_failed = noted("logging"),
                      .recovers = [](ActorId peer) { return peer == 2; }};
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(5, {2});
    job.kill(9, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "logging") == Values{2, 3});
    CHECK(seen.values(0, "detector") == Values{3});
    CHECK(seen.values(0, "workload") == Values{3});
  }
}

TEST_CASE("layers work under random holding: everything arrives exactly once") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
      Job job(4, quick_machine());
      job.workload("uniform-traffic", {{"tokens", 6}, {"hops", 30}});
      job.script(Family::message_logging,
                 [seed](ActorId self) { return holding_at_random(seed, self); });
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(seen.metric("application_messages") == 6 * 30);
      CHECK(seen.violations().empty());
    }
}

}  // namespace faultline::engine
