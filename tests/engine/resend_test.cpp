// SPDX-License-Identifier: Apache-2.0

// What layers do with messages apart from passing them on: they send them again, discard them, and
// relay them to where an object has moved. And those of message logging go first.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"

namespace faultline::engine {

using namespace test;

namespace {

using Log = std::shared_ptr<std::vector<Message>>;

/// Logs the messages of the workload, and forwards them.
std::function<void(ScriptContext&, std::span<Message* const>, bool)> logging(const Log& log) {
  return [log](ScriptContext& context, std::span<Message* const> batch, bool) {
    for (Message* message : batch) {
      log->push_back(*message);
      context.forward(*message);
    }
  };
}

/// Messages that message logging sends: of the kinds 0, 1, ..., all at one time.
struct ControlMessages {
  ActorId from;
  ActorId to;
  double time_s;
  std::uint16_t count;
};

/// Has message logging send these, and note the kinds of those that come.
void control(Job& job, const ControlMessages& sent) {
  job.script(Family::message_logging, [=, &job](ActorId self) {
    Handlers handlers{.message = noted_kinds(job, "control")};
    if (self == sent.from)
      handlers.start = [sent](ScriptContext& context) { context.set_timer(1, sent.time_s); };
    handlers.timer = [sent](ScriptContext& context, std::uint64_t) {
      for (std::uint16_t kind = 0; kind < sent.count; ++kind) context.send(sent.to, kind, 0);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("what is discarded, on its way down or up, is in flight no more") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    at_start(job, {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}});
    job.script(Family::message_logging, [](ActorId self) {
      Handlers handlers;
      const auto kept = std::make_shared<std::vector<Message>>();
      handlers.sends = [](ScriptContext& context, std::span<Message* const> batch, bool) {
        for (Message* message : batch) {
          if (message->kind == 0)
            context.discard(*message);
          else
            context.forward(*message);
        }
      };
      handlers.receive = [kept](ScriptContext& context, Message& message) {
        if (message.kind == 1)
          context.discard(message);
        else
          kept->push_back(message);
        return Passage::hold;
      };
      handlers.start = [self](ScriptContext& context) {
        if (self == 1) context.set_timer(1, 50);
      };
      handlers.timer = [kept](ScriptContext& context, std::uint64_t) {
        context.discard(kept->front());
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.count("got") == 0);
    CHECK(seen.metric("application_messages") == 3);
    CHECK(seen.metric("application_messages_discarded") == 3);
    CHECK(seen.metric("application_messages_resent") == 0);
    CHECK(seen.metric("termination_time_s") == Approx(50));
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("a layer can discard a message to oneself at either end") {
  for (const scenario::EngineKind engine : engines())
    for (const bool at_receiver : {false, true}) {
      Job job(1);
      job.script(Family::workload, [](ActorId) {
        return Handlers{.start = [](ScriptContext& context) { context.send(0, 0, 0); }};
      });
      job.script(Family::message_logging, [=](ActorId) {
        Handlers handlers;
        const auto kept = std::make_shared<std::vector<Message>>();
        handlers.start = [](ScriptContext& context) { context.set_timer(1, 50); };
        if (!at_receiver)
          handlers.sends = [kept](ScriptContext&, std::span<Message* const> batch, bool) {
            kept->push_back(*batch.front());
          };
        handlers.receive = [kept](ScriptContext&, Message& message) {
          kept->push_back(message);
          return Passage::hold;
        };
        handlers.timer = [kept](ScriptContext& context, std::uint64_t) {
          context.discard(kept->front());
        };
        return handlers;
      });
      const Seen seen = job.run(engine);
      CHECK(seen.metric("application_messages_discarded") == 1);
      CHECK(seen.metric("termination_time_s") == Approx(50));
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("a logged message can be sent again and again, and duplicates be discarded") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    at_start(job, {{0, 1, 0}});
    job.script(Family::message_logging, [](ActorId self) {
      Handlers handlers;
      const Log log = std::make_shared<std::vector<Message>>();
      const auto received = std::make_shared<int>(0);
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.set_timer(1, 100);
      };
      handlers.sends = logging(log);
      handlers.timer = [log](ScriptContext& context, std::uint64_t) {
        context.resend(log->front());
        context.resend(log->front());
      };
      handlers.receive = [received](ScriptContext& context, Message& message) {
        if (++*received != 2) return Passage::deliver;
        context.discard(message);
        return Passage::hold;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "got"), {12, 113}, engine));
    CHECK(seen.metric("application_messages") == 1);
    CHECK(seen.metric("application_messages_resent") == 2);
    CHECK(seen.metric("application_messages_discarded") == 1);
    CHECK(seen.metric("application_messages_rolled_back") == 0);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("a message that is sent again goes to the new incarnation, changed as the layer likes") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      if (self == 0)
        handlers.start = [](ScriptContext& context) {
          Message& message = context.send(1, 1, 0);
          message.flags |= kNotifySent;
          message.payload.put(std::uint64_t{17});
        };
      handlers.sent = [&job](ScriptContext& context, ActorId, std::uint16_t) {
        job.note(context, "sent");
      };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        job.note(context, "got", static_cast<std::int64_t>(message.payload.get<std::uint64_t>()));
      };
      return handlers;
    });
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers = starting_afresh();
      const Log log = std::make_shared<std::vector<Message>>();
      handlers.sends = logging(log);
      handlers.peer_failed = [](ScriptContext& context, Incarnation dead) {
        context.restart(dead, RestartOn::same_node);
      };
      handlers.peer_restarted = [log](ScriptContext& context, Incarnation) {
        context.resend(log->front()).logging.put(std::uint64_t{5});
      };
      handlers.receive = [&job](ScriptContext& context, Message& message) {
        job.note(context, "up", static_cast<std::int64_t>(message.logging.get<std::uint64_t>()));
        return Passage::deliver;
      };
      return handlers;
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(20, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "got") == Values{17, 17});
    CHECK(seen.values(1, "up") == Values{0, 5});
    CHECK(close(seen.times_s(1, "got"), {12, 33}, engine));
    CHECK(seen.values(0, "sent").size() == 1);
    CHECK(seen.metric("application_messages_lost") == 0);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a layer relays a message to where its object is, at the cost of a message") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      if (self == 0)
        handlers.start = [](ScriptContext& context) {
          for (const std::uint32_t object : {7U, 8U}) {
            Message& message = context.send(1, 0, 0);
            message.from_object = 3;
            message.to_object = object;
          }
        };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        job.note(context, "got", 100 * message.from_object + message.to_object);
        job.note(context, "from", message.from);
      };
      return handlers;
    });
    job.script(Family::message_logging, [](ActorId self) {
      return Handlers{.receive = [self](ScriptContext& context, Message& message) {
        if (self != 1 || message.to_object != 7) return Passage::deliver;
        context.relay(message, 2);
        return Passage::hold;
      }};
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "got") == Values{308});
    CHECK(seen.values(2, "got") == Values{307});
    CHECK(seen.values(2, "from") == Values{1});
    CHECK(close(seen.times_s(2, "got"), {24}, engine));
    CHECK(close(seen.times_s(1, "got"), {14}, engine));  // 12 to 13: it relays; then o_r
    CHECK(seen.metric("application_messages") == 2);
    CHECK(seen.metric("application_messages_resent") == 0);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("a message between two objects of one rank passes the layers, at local cost") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1);
    job.script(Family::workload, [&job](ActorId) {
      Handlers handlers;
      handlers.start = [](ScriptContext& context) {
        Message& message = context.send(0, 0, 1000);
        message.from_object = 1;
        message.to_object = 2;
      };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        job.note(context, "got", 10 * message.from_object + message.to_object);
      };
      return handlers;
    });
    job.script(Family::message_logging, [&job](ActorId) {
      Handlers handlers;
      const Log held = std::make_shared<std::vector<Message>>();
      handlers.sends = [held, &job](ScriptContext& context, std::span<Message* const> batch, bool) {
        job.note(context, "down", batch.front()->to_object);
        held->push_back(*batch.front());
        context.set_timer(1, 50);
      };
      handlers.timer = [held](ScriptContext& context, std::uint64_t key) {
        if (key == 1)
          context.release(held->front());
        else
          context.deliver(held->back());
      };
      handlers.receive = [held, &job](ScriptContext& context, Message& message) {
        job.note(context, "up", message.to_object);
        held->push_back(message);
        context.set_timer(2, 50);
        return Passage::hold;
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "down") == Values{2});
    CHECK(close(seen.times_s(0, "up"), {55}, engine));  // 4 and 1000 bytes at 1000 B/s
    CHECK(seen.values(0, "got") == Values{12});
    CHECK(close(seen.times_s(0, "got"), {105}, engine));
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("at a busy receiver, messages of message logging come first, in their order") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = first_sends(job, self, {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}});
      if (self == 1) handlers.start = [](ScriptContext& context) { context.spend(50); };
      return handlers;
    });
    control(job, {.from = 2, .to = 1, .time_s = 10, .count = 2});
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "control") == Values{0, 1});
    CHECK(close(seen.times_s(1, "control"), {51, 52}, engine));
    CHECK(seen.values(1, "got") == Values{0, 1, 2});
    CHECK(close(seen.times_s(1, "got"), {53, 54, 55}, engine));
  }
}

TEST_CASE("between computations, message logging waits for a worker too, and then comes first") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.platform.progress = scenario::Progress::between;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = first_sends(job, self, {{0, 1, 0}});
      if (self == 1) handlers.start = [](ScriptContext& context) { context.compute(50); };
      return handlers;
    });
    control(job, {.from = 2, .to = 1, .time_s = 10, .count = 1});
    const Seen seen = job.run(engine);
    REQUIRE(seen.times_s(1, "control").size() == 1);
    REQUIRE(seen.times_s(1, "got").size() == 1);
    CHECK(seen.times_s(1, "control").front() >= 50);
    CHECK(seen.times_s(1, "control").front() <= 51);
    CHECK(seen.times_s(1, "got").front() == Approx(seen.times_s(1, "control").front() + 1));
  }
}

TEST_CASE("before a shared NIC, messages of message logging come first") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    at_start(job, {{0, 2, 1000}, {0, 2, 1000}, {0, 2, 1000}});
    control(job, {.from = 1, .to = 3, .time_s = 4, .count = 2});
    const Seen seen = job.run(engine);
    // The NIC is busy with the first message from 1 to 11. The second enters the network then.
    REQUIRE(seen.values(3, "control") == Values{0, 1});
    CHECK(seen.times_s(3, "control").front() == Approx(22).epsilon(0.01));
    CHECK(seen.times_s(3, "control").back() == Approx(23).epsilon(0.01));
    REQUIRE(seen.values(2, "got") == Values{0, 1, 2});
    CHECK(seen.times_s(2, "got").back() == Approx(42).epsilon(0.01));
  }
}

TEST_CASE("credit is conserved while message logging holds what carries it") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(20, engine); ++seed) {
      Job job(4, quick_machine());
      job.workload("uniform-traffic", {{"tokens", 6}, {"hops", 30}});
      job.detector("cda");
      job.script(Family::message_logging,
                 [seed](ActorId self) { return holding_at_random(seed, self); });
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(seen.result.outcome == Outcome::terminated);
      CHECK(seen.violations().empty());
    }
}

}  // namespace faultline::engine
