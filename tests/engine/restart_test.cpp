// An actor may restart on a stated node under a new incarnation; what was its own before is void.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/engine/stepwise_engine.hpp"
#include "tests/support/job.hpp"
#include "tests/support/script_pieces.hpp"
#include "workloads/random_task_tree.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

/// Rank 0 asks for the restart of rank 1 at that time. Rank 1 notes its starts and what reaches it.
Handlers restarter(Job& job, ActorId self, double time_s, RestartOn where = RestartOn::same_node) {
  Handlers handlers;
  handlers.start = [=, &job](Context& context) {
    job.note(context, "start");
    if (self == 0) context.set_timer(1000, time_s);
  };
  handlers.timer = [=, &job](Context& context, std::uint64_t key) {
    if (key == 1000)
      context.restart(context.known(1), where);
    else
      job.note(context, "timer", static_cast<std::int64_t>(key));
  };
  handlers.message = noted_kinds(job);
  handlers.compute_done = [&job](Context& context, std::uint64_t) {
    job.note(context, "computed");
  };
  return handlers;
}

/// Notes the first number that it draws.
class Drawing final : public Workload {
 public:
  explicit Drawing(Job& job) : job_(job) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Drawing>(*this);
  }
  void start(Context& context) override { job_.note(context, "draw", first_of(random)); }
  static std::int64_t first_of(Stream stream) {
    return static_cast<std::int64_t>(stream.next() >> 1U);
  }

 private:
  void digest_state(Digest&) const override {}
  Job& job_;
};

}  // namespace

TEST_CASE("a restarted actor starts afresh, without its earlier timers and computations") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      const auto start = handlers.start;
      handlers.start = [=](Context& context) {
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
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      const auto start = handlers.start;
      const auto timer = handlers.timer;
      handlers.start = [=](Context& context) {
        start(context);
        if (self == 1 && context.incarnation() == 1) context.send(2, 0, 0);
        for (const int time_s : {3, 9, 18, 21, 34})
          if (self == 2) context.set_timer(static_cast<std::uint64_t>(time_s), time_s);
      };
      handlers.timer = [=](Context& context, std::uint64_t key) {
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
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 4);
      const auto start = handlers.start;
      handlers.start = [=](Context& context) {
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
  for (const EngineKind engine : engines())
    for (const RestartOn where : {RestartOn::same_node, RestartOn::spare_node}) {
      Job job(2);
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.spare_nodes = 1;
      job.script(Family::workload, [&job, where](ActorId self) {
        Handlers handlers = restarter(job, self, 20, where);
        handlers.peer_restarted = [](Context& context, Incarnation peer) {
          context.send(peer.actor, 0, 0);
        };
        const auto message = handlers.message;
        handlers.message = [=](Context& context, const Message& got) {
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

TEST_CASE("a spare node takes as many ranks as another, and then there is none left") {
  for (const EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.spare_nodes = 1;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](Context& context) {
        job.note(context, "on", context.placement().node_of(self));
        if (self == 0) context.set_timer(1, 20);
      };
      handlers.timer = [](Context& context, std::uint64_t) {
        for (const Rank dead : {3, 4, 5}) context.restart(context.known(dead));
      };
      handlers.peer_restarted = [&job](Context& context, Incarnation peer) {
        job.note(context, "restarted", peer.actor);
      };
      handlers.restart_refused = [&job](Context& context, Incarnation peer) {
        job.note(context, "refused", peer.actor);
      };
      return handlers;
    });
    job.spec.platform.restart_delay_s = 7;
    job.kill(5, {3}).kill(6, {}, {2});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "restarted") == Values{3, 4});
    CHECK(close(seen.times_s(0, "restarted"), {27, 27}, engine));
    CHECK(seen.values(0, "refused") == Values{5});
    CHECK(seen.values(3, "on") == Values{1, 3});
    CHECK(seen.values(4, "on") == Values{2, 3});
    CHECK(seen.metric("failed_ranks") == 1);
  }
}

TEST_CASE("a node that is dead takes nobody, also if it dies while a process starts there") {
  for (const EngineKind engine : engines())
    for (const bool in_between : {false, true}) {
      Job job(4);
      job.spec.platform.spare_nodes = 1;
      job.spec.platform.restart_delay_s = 10;
      job.script(Family::workload, [&](ActorId self) {
        Handlers handlers =
            restarter(job, self, 20, in_between ? RestartOn::spare_node : RestartOn::same_node);
        handlers.restart_refused = [&job](Context& context, Incarnation peer) {
          job.note(context, "refused", peer.actor);
        };
        return handlers;
      });
      job.kill(5, {}, {1});
      if (in_between) job.kill(25, {}, {4});
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "refused") == Values{1});
      CHECK(close(seen.times_s(0, "refused"), {in_between ? 30.0 : 20.0}, engine));
      CHECK(close(seen.times_s(1, "start"), {0}, engine));
    }
}

TEST_CASE("after a refused restart one can ask again") {
  for (const EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.spare_nodes = 1;
    job.spec.platform.restart_delay_s = 10;
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers = restarter(job, self, 20, RestartOn::spare_node);
      handlers.restart_refused = [&job](Context& context, Incarnation peer) {
        job.note(context, "refused", peer.actor);
        if (context.now_s() < 35) context.set_timer(1000, 10);
      };
      return handlers;
    });
    job.kill(5, {1}).kill(25, {}, {4});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "refused") == Values{1, 1});
    CHECK(close(seen.times_s(0, "refused"), {30, 40}, engine));
  }
}

TEST_CASE("one incarnation is restarted once, however many ask") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.spec.platform.restart_delay_s = 3;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](Context& context) {
        job.note(context, "start", context.incarnation());
        if (self != 1) context.set_timer(1, 10 + self);
        if (self == 0) context.set_timer(2, 30);
      };
      handlers.timer = [](Context& context, std::uint64_t) {
        context.restart({.actor = 1, .number = 0}, RestartOn::same_node);
      };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "start") == Values{0, 1});
    CHECK(close(seen.times_s(1, "start"), {0, 13}, engine));
  }
}

TEST_CASE("if whoever asked for a restart is dead, who asks next is told how it ended") {
  for (const EngineKind engine : engines())
    for (const bool is_refused : {false, true}) {
      Job job(4);
      job.spec.platform.spare_nodes = 1;
      job.spec.platform.restart_delay_s = 10;
      job.script(Family::workload, [&job](ActorId self) {
        Handlers handlers;
        handlers.start = [=](Context& context) {
          if (self == 0) context.set_timer(1, 20);
          if (self == 2) context.set_timer(1, 24);
          if (self == 3) context.set_timer(1, 25);  // rank 2 has its answer, and rank 3 none
        };
        handlers.timer = [](Context& context, std::uint64_t) {
          context.restart({.actor = 1, .number = 0});
        };
        handlers.peer_restarted = [&job](Context& context, Incarnation peer) {
          job.note(context, "restarted", peer.actor);
        };
        handlers.restart_refused = [&job](Context& context, Incarnation peer) {
          job.note(context, "refused", peer.actor);
        };
        return handlers;
      });
      job.kill(5, {1}).kill(22, {0});
      if (is_refused) job.kill(27, {}, {4});
      const Seen seen = job.run(engine);
      const std::string answer = is_refused ? "refused" : "restarted";
      CHECK(close(seen.times_s(2, answer), {30}, engine));
      CHECK(seen.values(2, answer) == Values{1});
      CHECK(seen.values(3, answer).empty());
    }
}

TEST_CASE("who has asked for a restart and is replaced before it gets its answer can ask again") {
  Job job(3);
  std::vector<Incarnation> restarted;
  job.script(Family::workload, [&restarted](ActorId self) {
    Handlers handlers;
    handlers.start = [self](Context& context) {
      if (self != 1) context.set_timer(1, 1);
    };
    handlers.timer = [self](Context& context, std::uint64_t) {
      context.restart({.actor = self == 0 ? 1U : 0U, .number = 0}, RestartOn::same_node);
    };
    handlers.peer_restarted = [self, &restarted](Context&, Incarnation peer) {
      if (self == 0) restarted.push_back(peer);
    };
    return handlers;
  });
  StepwiseEngine engine(run_job(without_costs(job.spec), 1, 0));
  const auto take = [&engine](EventKind kind, ActorId of) {
    const std::vector<Choice>& agenda = engine.agenda();
    const auto is_it = [&](const Choice& one) { return one.kind == kind && one.actor == of; };
    const auto place = std::find_if(agenda.begin(), agenda.end(), is_it);
    REQUIRE(place != agenda.end());
    engine.take(static_cast<std::size_t>(place - agenda.begin()));
  };
  engine.begin();
  engine.kill(1);
  take(EventKind::timer, 0);
  engine.kill(0);
  take(EventKind::timer, 2);
  take(EventKind::restart, 2);  // as it has asked
  take(EventKind::timer, 0);
  CHECK(restarted.empty());
  take(EventKind::restart, 0);
  CHECK(restarted == std::vector<Incarnation>{{1, 1}});
}

TEST_CASE("a late notice is about the dead incarnation, not about the one that lives") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 6);
      const auto start = handlers.start;
      handlers.start = [=](Context& context) {
        start(context);
        if (context.now_s() > 0) context.set_timer(5, 40);
      };
      const auto timer = handlers.timer;
      handlers.timer = [=](Context& context, std::uint64_t key) {
        timer(context, key);
        if (self == 1 && key == 5) context.send(2, 0, 0);
      };
      handlers.peer_failed = [&job](Context& context, Incarnation peer) {
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
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      handlers.peer_failed = [&job](Context& context, Incarnation peer) {
        job.note(context, "failed", peer.actor);
      };
      return handlers;
    });
    job.script(Family::failure_detection, [](ActorId) {
      return Handlers{.start = [](Context& context) {
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

TEST_CASE("who learns of a death by hearing of the next life hears of the death first") {
  for (const EngineKind engine : engines()) {
    Job job(3);
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      handlers.start = [self, start = handlers.start](Context& context) {
        start(context);
        if (self == 1 && context.incarnation() > 0) context.send(2, 0, 0);
      };
      handlers.peer_failed = [&job](Context& context, Incarnation peer) {
        job.note(context, "heard", -std::int64_t{peer.actor});
      };
      handlers.peer_restarted = [&job](Context& context, Incarnation peer) {
        job.note(context, "heard", peer.actor);
      };
      return handlers;
    });
    job.script(Family::failure_detection, [](ActorId) {
      return Handlers{.peer_restarted = [](Context& context, Incarnation peer) {
        context.report_failed({peer.actor, 0});
      }};
    });
    job.kill(5, {1});
    CHECK(job.run(engine).values(2, "heard") == Values{-1, 1});
  }
}

TEST_CASE("a restart takes from nobody what it knows of others") {
  for (const EngineKind engine : engines()) {
    Job job(4);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 20);
      handlers.peer_failed = [&job](Context& context, Incarnation peer) {
        job.note(context, "failed", 10 * peer.actor + peer.number);
      };
      return handlers;
    });
    job.use(Family::failure_detection, "oracle", {{"delay_s", 1}});
    job.kill(5, {1, 3}).kill(30, {1});
    const Seen seen = job.run(engine);
    // Rank 2 hears of each incarnation once. The new rank 1 hears of rank 3, who is still dead.
    CHECK(seen.values(2, "failed") == Values{10, 30, 11});
    CHECK(seen.values(1, "failed") == Values{30});
    CHECK(close(seen.times_s(1, "failed"), {21}, engine));
  }
}

TEST_CASE("what dead incarnations report stays in the result") {
  for (const EngineKind engine : engines()) {
    static constexpr MetricSpec kLives{"lives", Merge::sum, ""};
    static constexpr MetricSpec kYoungest{"youngest", Merge::last, ""};
    Job job(2);
    job.script(
        Family::workload,
        [&job](ActorId self) {
          Handlers handlers = restarter(job, self, 20);
          auto incarnation = std::make_shared<int>(0);
          const auto start = handlers.start;
          handlers.start = [=](Context& context) {
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
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) { return restarter(job, self, 20); });
    job.script(Family::message_logging, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self, &job](Context& context) {
        job.note(context, "logging", context.incarnation());
        if (self == 1 && context.incarnation() > 0) context.set_timer(1, 5);
      };
      handlers.timer = [](Context& context, std::uint64_t) { context.start_above(); };
      return handlers;
    });
    job.kill(5, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "logging"), {0, 20}, engine));
    CHECK(close(seen.times_s(1, "start"), {0, 25}, engine));
  }
}

TEST_CASE("a live actor is not restarted") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) { return restarter(job, self, 20); });
    CHECK(close(job.run(engine).times_s(1, "start"), {0}, engine));
  }
}

TEST_CASE("an actor can die and restart again and again") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = restarter(job, self, 10);
      handlers.timer = [](Context& context, std::uint64_t key) {
        context.restart(context.known(1), RestartOn::same_node);
        if (context.now_s() < 45) context.set_timer(key, 10);
      };
      return handlers;
    });
    for (const double time_s : {5.0, 15.0, 25.0, 42.0}) job.kill(time_s, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "start"), {0, 10, 20, 30, 50}, engine));
    CHECK(seen.metric("failed_ranks") == 0);
  }
}

TEST_CASE("a new incarnation draws other numbers than the old one, and than the task trees") {
  for (const EngineKind engine : engines()) {
    Job job(2);
    job.own(Family::workload, [&job](ActorId) { return std::make_unique<Drawing>(job); });
    job.script(Family::failure_detection,
               [](ActorId) {
                 return Handlers{.exit_notice = [](Context& context, Incarnation dead) {
                   context.restart(dead, RestartOn::same_node);
                 }};
               },
               {.exit_notice = ExitNotice{.delay_s = 0.5}});
    job.spec.stop.when = StopWhen::time;
    job.spec.stop.time_s = 30;
    job.kill(5, {0}).kill(10, {1}).kill(15, {0});
    const Seen seen = job.run(engine);
    const Values at_rank_0 = seen.values(0, "draw");
    const Values at_rank_1 = seen.values(1, "draw");
    REQUIRE(at_rank_0.size() == 3);
    REQUIRE(at_rank_1.size() == 2);
    CHECK(at_rank_0[0] == Drawing::first_of({1, 0, Purpose::workload, 0}));
    CHECK(std::set(at_rank_0.begin(), at_rank_0.end()).size() == 3);
    const std::int64_t tree = Drawing::first_of(task_tree_stream(1, 0));
    const std::int64_t mapping = Drawing::first_of(task_mapping_stream(1, 0));
    CHECK(std::count(at_rank_0.begin(), at_rank_0.end(), tree) == 0);
    CHECK(std::count(at_rank_1.begin(), at_rank_1.end(), mapping) == 0);
  }
}
