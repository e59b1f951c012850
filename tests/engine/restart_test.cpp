// SPDX-License-Identifier: Apache-2.0

// An actor may restart on a stated node under a new incarnation; what was its own before is void.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/restarter.hpp"
#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Notes the first number that it draws.
class Drawing final : public Workload {
 public:
  explicit Drawing(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Drawing>(*this);
  }
  void start(WorkloadContext& context) override { job_.note(context, "draw", first_of(random)); }
  static std::int64_t first_of(Stream stream) {
    return static_cast<std::int64_t>(stream.next() >> 1U);
  }

 private:
  void digest_state(Digest&) const override {}
  Job& job_;
};

}  // namespace

TEST_CASE("a restarted actor starts afresh, without its earlier timers and computations") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      const auto start = handlers.start;
      handlers.start = [=](ScriptContext& context) {
        start(context);
        if (self == 1 && context.now_s() == 0) {
          context.set_timer(1, 30);
          context.compute(40);
        }
        if (self == 1 && context.now_s() > 0) context.set_timer(2, 100);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "start"), {0, 20}, engine));
    CHECK(close(seen.times_s(1, "timer"), {120}, engine));
    CHECK(seen.values(1, "timer") == Values{2});
    CHECK(seen.times_s(1, "computed").empty());
    CHECK(seen.metric("failed_ranks") == 0);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("messages to the old incarnation are void, those to the new one arrive") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      const auto start = handlers.start;
      const auto timer = handlers.timer;
      handlers.start = [=](ScriptContext& context) {
        start(context);
        if (self == 1 && context.incarnation() == 1) context.send(2, 0, 0);
        for (const int time_s : {3, 9, 18, 21, 34})
          if (self == 2) context.set_timer(static_cast<std::uint64_t>(time_s), time_s);
      };
      handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
        if (self == 2)
          context.send(1, static_cast<std::uint16_t>(key), 0);
        else
          timer(context, key);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    // Sent at 3: on its way when the receiver dies. At 9: to the dead. At 18: would arrive after
    // the restart at 20, but was sent to the dead. At 21: rank 2 does not know of the restart until
    // the new incarnation's message comes at 32.
    CHECK(seen.values(1, "got") == Values{34});
    CHECK(close(seen.times_s(1, "got"), {46}, engine));
    CHECK(seen.metric("application_messages_lost") == 4);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("messages that the old incarnation injected arrive after its restart") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 4);
      const auto start = handlers.start;
      handlers.start = [=](ScriptContext& context) {
        start(context);
        if (self != 1) return;
        const bool first = context.now_s() == 0;
        for (int i = 0; i < (first ? 3 : 1); ++i)
          context.send(2, static_cast<std::uint16_t>(first ? i : 10), 0);
      };
      return handlers;
    });
    job.kill(2.5, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "got") == Values{0, 1, 10});
    CHECK(close(seen.times_s(2, "got"), {12, 13, 16}, engine));
  }
}

TEST_CASE("a restart on another node changes the way of its messages, to it and from it") {
  for (const scenario::EngineKind engine : engines())
    for (const RestartOn where : {RestartOn::same_node, RestartOn::spare_node}) {
      Job job(2);
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.spare_nodes = 1;
      job.script(Family::workload, [&job, where](ActorId self) {
        Handlers handlers = restarter(job, self, 20, where);
        handlers.peer_restarted = [](ScriptContext& context, Incarnation peer) {
          context.send(peer.actor, 0, 0);
        };
        const auto message = handlers.message;
        handlers.message = [=](ScriptContext& context, const Message& got) {
          message(context, got);
          if (self == 1) context.send(0, 0, 0);
        };
        return handlers;
      });
      job.kill(5, {1});
      const Seen seen = job.run(engine);
      const double cost_s = where == RestartOn::same_node ? 4 : 12;
      INFO(engine_word(engine) << ", " << cost_s);
      CHECK(close(seen.times_s(1, "got"), {20 + cost_s}, engine));
      CHECK(close(seen.times_s(0, "got"), {20 + 2 * cost_s}, engine));
    }
}

TEST_CASE("a late notice is about the dead incarnation, not about the one that lives") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 6);
      const auto start = handlers.start;
      handlers.start = [=](ScriptContext& context) {
        start(context);
        if (context.now_s() > 0) context.set_timer(5, 40);
      };
      const auto timer = handlers.timer;
      handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
        timer(context, key);
        if (self == 1 && key == 5) context.send(2, 0, 0);
      };
      handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", peer.number);
      };
      return handlers;
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 20}});
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "failed") == Values{0});
    CHECK(close(seen.times_s(2, "failed"), {25}, engine));
    CHECK(close(seen.times_s(2, "got"), {58}, engine));  // sent at 46 by the new incarnation
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a new incarnation is not told that the one before it is dead") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", peer.actor);
      };
      return handlers;
    });
    job.script(Family::failure_detection, [](ActorId) {
      return Handlers{.start = [](ScriptContext& context) {
        if (context.incarnation() == 0) return;
        for (const ActorId dead : {1, 2}) context.report_failed({dead, 0});
      }};
    });
    job.kill(5, {1}).kill(6, {2});
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "failed") == Values{2});
    CHECK(close(seen.times_s(1, "start"), {0, 20}, engine));
  }
}

TEST_CASE("a rank that learns of a death from the next life hears of the death first") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      handlers.start = [self, start = handlers.start](ScriptContext& context) {
        start(context);
        if (self == 1 && context.incarnation() > 0) context.send(2, 0, 0);
      };
      handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "heard", -std::int64_t{peer.actor});
      };
      handlers.peer_restarted = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "heard", peer.actor);
      };
      return handlers;
    });
    job.script(Family::failure_detection, [](ActorId) {
      return Handlers{.peer_restarted = [](ScriptContext& context, Incarnation peer) {
        context.report_failed({peer.actor, 0});
      }};
    });
    job.kill(5, {1});
    CHECK(job.run(engine).values(2, "heard") == Values{-1, 1});
  }
}

TEST_CASE(
    "what an actor sends because it hears of a new life goes before what the message starts") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      const auto start = handlers.start;
      handlers.start = [=](ScriptContext& context) {
        start(context);
        if (self == 1 && context.incarnation() == 1) context.send(2, 0, 0);
      };
      handlers.peer_restarted = [self](ScriptContext& context, Incarnation) {
        for (const std::uint16_t kind : {std::uint16_t{1}, std::uint16_t{2}})
          if (self == 2) context.send(0, kind, 0);
      };
      const auto message = handlers.message;
      handlers.message = [=](ScriptContext& context, const Message& got) {
        message(context, got);
        if (self == 2) context.send(3, 3, 0);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    INFO(engine_word(engine));
    // The message that brings the news comes at 32. What it lets rank 2 send keeps the processor
    // until 34, and only then does the message itself let it send.
    CHECK(close(seen.times_s(0, "got"), {44, 45}, engine));
    CHECK(seen.values(3, "got") == Values{3});
    CHECK(close(seen.times_s(3, "got"), {46}, engine));
  }
}

TEST_CASE("a restart takes from nobody what it knows of others") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", 10 * peer.actor + peer.number);
      };
      return handlers;
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(5, {1, 3}).kill(30, {1});
    const Seen seen = job.run(engine);
    // Rank 2 hears of each incarnation once. The new rank 1 hears of rank 3, which is still dead.
    CHECK(seen.values(2, "failed") == Values{10, 30, 11});
    CHECK(seen.values(1, "failed") == Values{30});
    CHECK(close(seen.times_s(1, "failed"), {21}, engine));
  }
}

TEST_CASE("what dead incarnations report stays in the result") {
  for (const scenario::EngineKind engine : engines()) {
    static constexpr MetricSpec kLives{"lives", Merge::sum, ""};
    static constexpr MetricSpec kYoungest{"youngest", Merge::last, ""};
    Job job(2);
    job.script(
        Family::workload,
        [&job](ActorId self) {
          Handlers handlers = restarter(job, self, 20);
          auto incarnation = std::make_shared<int>(0);
          const auto start = handlers.start;
          handlers.start = [=](ScriptContext& context) {
            start(context);
            *incarnation = context.incarnation();
          };
          handlers.report = [=](MetricTotals& totals) {
            if (self != 1) return;
            totals.put(kLives, 1);
            totals.put(kYoungest, *incarnation);
          };
          return handlers;
        },
        OwnTerms{.metrics = {&kLives, &kYoungest}});
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("lives") == 2);
    CHECK(seen.metric("youngest") == 1);
  }
}

TEST_CASE("above message logging, a new incarnation waits until it is told to start") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) { return restarter(job, self, 20); });
    job.script(Family::message_logging, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self, &job](ScriptContext& context) {
        job.note(context, "logging", context.incarnation());
        if (self == 1 && context.incarnation() > 0) context.set_timer(1, 5);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.start_above(); };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "logging"), {0, 20}, engine));
    CHECK(close(seen.times_s(1, "start"), {0, 25}, engine));
  }
}

TEST_CASE("an actor can die and restart again and again") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 10);
      handlers.timer = [](ScriptContext& context, std::uint64_t key) {
        context.restart(context.known(1), RestartOn::same_node);
        if (context.now_s() < 45) context.set_timer(key, 10);
      };
      return handlers;
    });
    for (const double time_s : {5.0, 15.0, 25.0, 42.0}) job.kill(time_s, {1});
    const Seen seen = job.run(engine);
    // The request of 40 comes while it lives, and is answered when it dies.
    CHECK(close(seen.times_s(1, "start"), {0, 10, 20, 30, 42}, engine));
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("a new incarnation draws other numbers than the old one, and than the task trees") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.own(Family::workload, [&job](ActorId) { return std::make_unique<Drawing>(job); });
    job.script(Family::failure_detection,
               [](ActorId) {
                 return Handlers{.exit_notice = [](ScriptContext& context, Incarnation dead) {
                   context.restart(dead, RestartOn::same_node);
                 }};
               },
               {.exit_notice = ExitNotice{.delay_s = 0.5}});
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 30;
    job.kill(5, {0}).kill(10, {1}).kill(15, {0});
    const Seen seen = job.run(engine);
    const Values at_rank_0 = seen.values(0, "draw");
    const Values at_rank_1 = seen.values(1, "draw");
    REQUIRE(at_rank_0.size() == 3);
    REQUIRE(at_rank_1.size() == 2);
    CHECK(at_rank_0[0] == Drawing::first_of({1, 0, Purpose::workload, 0}));
    CHECK(std::set(at_rank_0.begin(), at_rank_0.end()).size() == 3);
    const std::int64_t tree = Drawing::first_of(workloads::task_tree_stream(1, 0));
    const std::int64_t mapping = Drawing::first_of(workloads::task_mapping_stream(1, 0));
    CHECK(std::count(at_rank_0.begin(), at_rank_0.end(), tree) == 0);
    CHECK(std::count(at_rank_1.begin(), at_rank_1.end(), mapping) == 0);
  }
}

}  // namespace faultline::engine
