// SPDX-License-Identifier: Apache-2.0

// flush(peer) is answered by on_flushed when nothing from that peer to me is in flight.

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Rank 1 sends `count` empty messages to rank 0 at time zero; rank 0 flushes it at `flush_s`.
void flushed_burst(Job& job, int count, double flush_s) {
  job.script(Family::workload, [=, &job](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      if (self == 0) context.set_timer(1, flush_s);
      for (int i = 0; i < count && self == 1; ++i) context.send(0, 0, 0);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.flush(1); };
    handlers.message = [&job](ScriptContext& context, const Message&) { job.note(context, "got"); };
    handlers.flushed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "flushed", peer.actor);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("a flush is answered at once where nothing is in flight") {
  for (const scenario::EngineKind engine : engines()) {
    Job none(2);
    flushed_burst(none, 0, 5);
    CHECK(close(none.run(engine).times_s(0, "flushed"), {5}, engine));
    Job over(2);
    flushed_burst(over, 3, 20);  // handled at 12, 13 and 14
    const Seen seen = over.run(engine);
    CHECK(close(seen.times_s(0, "flushed"), {20}, engine));
    CHECK(seen.values(0, "flushed") == Values{1});
  }
}

TEST_CASE("a flush waits for the last message that is in flight, and no longer") {
  for (const scenario::EngineKind engine : engines())
    for (const double flush_s : {0.5, 5.0, 12.5, 13.5}) {
      Job job(2);
      flushed_burst(job, 3, flush_s);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", flush at " << flush_s);
      CHECK(close(seen.times_s(0, "flushed"), {14}, engine));
      CHECK(seen.log.back().what == "flushed");
    }
}

// Rank 1 sends a word every 0.5 s, which is less than rank 0 takes to receive one.
TEST_CASE("words of failure detectors do not hold a flush up") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    flushed_burst(job, 3, 12.5);
    job.script(Family::failure_detection, [](ActorId self) {
      Handlers handlers;
      const auto beat = [self](ScriptContext& context) {
        if (self == 0) return;
        ScriptContext::background(context.send(0, 0, 0));
        context.set_timer(0, 0.5, true);
      };
      handlers.start = beat;
      handlers.timer = [beat](ScriptContext& context, std::uint64_t) { beat(context); };
      return handlers;
    });
    job.spec.stop.time_s = 60;
    const Seen seen = job.run(engine);
    CAPTURE(engine_word(engine));
    CHECK(seen.times_s(0, "flushed") == Times{seen.times_s(0, "got").back()});
  }
}

TEST_CASE("messages of others do not hold a flush up") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.flush(1);
        if (self == 2) context.send(0, 0, 0);
        if (self == 0) context.send(1, 0, 0);
      };
      handlers.flushed = [&job](ScriptContext& context, Incarnation) {
        job.note(context, "flushed");
      };
      return handlers;
    });
    CHECK(close(job.run(engine).times_s(0, "flushed"), {0}, engine));
  }
}

TEST_CASE("a flush of a dead peer waits for what the peer has injected") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    flushed_burst(job, 5, 8);
    job.kill(3.5, {1});  // three have left, two never will
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "got"), {12, 13, 14}, engine));
    CHECK(close(seen.times_s(0, "flushed"), {14}, engine));
  }
}

TEST_CASE("a flush asked before the peer's death is answered too") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    flushed_burst(job, 5, 2);
    job.kill(3.5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "flushed"), {14}, engine));
  }
}

TEST_CASE("two flushes of one peer get two answers") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 1) context.send(0, 0, 0);
        if (self == 0) context.flush(1);
        if (self == 0) context.set_timer(1, 3);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.flush(1); };
      handlers.flushed = [&job](ScriptContext& context, Incarnation) {
        job.note(context, "flushed");
      };
      return handlers;
    });
    // All ranks have started before the first flush is carried out, so it sees the message.
    CHECK(close(job.run(engine).times_s(0, "flushed"), {12, 12}, engine));
  }
}

TEST_CASE("a flush holds without order too: everything sent before is handled first") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(10, engine); ++seed) {
      Job job(2);
      job.spec.platform.ordering = scenario::Ordering::unordered;
      job.spec.platform.unordered_delay_s = 20;
      flushed_burst(job, 30, 31);
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(seen.count("got") == 30);
      REQUIRE(seen.count("flushed") == 1);
      CHECK(seen.log.back().what == "flushed");
      CHECK(seen.log.back().time_s == seen.log[29].time_s);
    }
}

TEST_CASE("the layer below the workload sees its flushes answered as well") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId) { return Handlers{}; });
    job.script(Family::termination, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 1) context.send(0, 0, 0);
        if (self == 0) context.set_timer(1, 5);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.flush(1); };
      handlers.message = [&job](ScriptContext& context, const Message&) {
        job.note(context, "got");
      };
      handlers.flushed = [&job](ScriptContext& context, Incarnation) {
        job.note(context, "flushed");
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "got"), {12}, engine));
    CHECK(close(seen.times_s(0, "flushed"), {12}, engine));
  }
}

// The dead one's messages are looked up by their receivers, and others take their places.
TEST_CASE("all ranks flush a dead one, while other messages come and go") {
  for (const scenario::EngineKind engine : engines()) {
    constexpr std::uint32_t kRanks = 9;
    Job job(kRanks);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        for (Rank to = 1; to < kRanks && self == 0; ++to) {
          context.send(to, 0, 0);
          context.send(to, 0, std::uint64_t{100} * to);
        }
        if (self == 0) return;
        context.set_timer(1, 14 + self);
        context.send(1 + (self + 3) % (kRanks - 1), 1, 0);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t) {
        job.note(context, "asked");
        context.flush(0);
      };
      handlers.message = [&job](ScriptContext& context, const Message& message) {
        if (message.from == 0)
          job.note(context, "got");
        else if (context.now_s() < 100)
          context.send(message.from, 1, 0);
      };
      handlers.flushed = [&job](ScriptContext& context, Incarnation) {
        job.note(context, "flushed");
      };
      return handlers;
    });
    job.kill(13.5, {0});  // some have left, and the others never will
    const Seen seen = job.run(engine);
    CHECK(seen.count("got") < 16);
    CHECK(seen.count("got") > 4);
    for (Rank rank = 1; rank < kRanks; ++rank) {
      const std::vector<double> got_s = seen.times_s(rank, "got");
      const double asked_s = seen.times_s(rank, "asked").at(0);
      const double expected_s = got_s.empty() ? asked_s : std::max(asked_s, got_s.back());
      CAPTURE(engine_word(engine), rank);
      CHECK(close(seen.times_s(rank, "flushed"), {expected_s}, engine));
    }
  }
}

}  // namespace faultline::engine
