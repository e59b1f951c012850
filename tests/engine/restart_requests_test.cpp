// SPDX-License-Identifier: Apache-2.0

// Requests for restarts, the nodes where processes start, and the answers to the requests.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/engine/restarter.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

TEST_CASE("a spare node takes as many ranks as another, and then there is none left") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.spare_nodes = 1;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](ScriptContext& context) {
        job.note(context, "on", context.placement().node_of(self));
        if (self == 0) context.set_timer(1, 20);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
        for (const Rank dead : {3, 4, 5}) context.restart(context.known(dead));
      };
      handlers.peer_restarted = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "restarted", peer.actor);
      };
      handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
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
  for (const scenario::EngineKind engine : engines())
    for (const bool in_between : {false, true}) {
      Job job(4);
      job.spec.platform.spare_nodes = 1;
      job.spec.platform.restart_delay_s = 10;
      job.script(Family::workload, [&](ActorId self) {
        Handlers handlers =
            restarter(job, self, 20, in_between ? RestartOn::spare_node : RestartOn::same_node);
        handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
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

TEST_CASE("where a process was to start fails, and another node takes it as long as one is left") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t failing : {1U, 2U, 3U}) {
      Job job(4);
      job.spec.platform.spare_nodes = 3;
      job.spec.platform.restart_delay_s = 10;
      job.script(Family::workload, [&](ActorId self) {
        Handlers handlers = restarter(job, self, 20, RestartOn::spare_node);
        handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
          job.note(context, "refused", peer.actor);
        };
        return handlers;
      });
      job.kill(5, {1});
      for (std::uint32_t node = 0; node < failing; ++node) job.kill(25 + 10 * node, {}, {4 + node});
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), failing);
      if (failing < 3) {
        CHECK(seen.values(0, "refused").empty());
        CHECK(close(seen.times_s(1, "start"), {0, 30.0 + 10 * failing}, engine));
      } else {
        CHECK(close(seen.times_s(0, "refused"), {50}, engine));
        CHECK(close(seen.times_s(1, "start"), {0}, engine));
      }
    }
}

TEST_CASE("after a refused restart one can ask again") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.spare_nodes = 1;
    job.spec.platform.restart_delay_s = 10;
    job.script(Family::workload, [&](ActorId self) {
      Handlers handlers = restarter(job, self, 20, RestartOn::spare_node);
      handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
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
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.platform.restart_delay_s = 3;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=, &job](ScriptContext& context) {
        job.note(context, "start", context.incarnation());
        if (self != 1) context.set_timer(1, 10 + self);
        if (self == 0) context.set_timer(2, 30);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
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

TEST_CASE(
    "if the rank that asked for a restart is dead, the next one that asks is told how it ended") {
  for (const scenario::EngineKind engine : engines())
    for (const bool is_refused : {false, true}) {
      Job job(4);
      job.spec.platform.spare_nodes = 1;
      job.spec.platform.restart_delay_s = 10;
      job.script(Family::workload, [&job](ActorId self) {
        Handlers handlers;
        handlers.start = [=](ScriptContext& context) {
          if (self == 0) context.set_timer(1, 20);
          if (self == 2) context.set_timer(1, 24);
          if (self == 3) context.set_timer(1, 25);  // rank 2 has its answer, and rank 3 none
        };
        handlers.timer = [](ScriptContext& context, std::uint64_t) {
          context.restart({.actor = 1, .number = 0});
        };
        handlers.peer_restarted = [&job](ScriptContext& context, Incarnation peer) {
          job.note(context, "restarted", peer.actor);
        };
        handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
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

TEST_CASE("a rank that has asked for a restart and is replaced before its answer can ask again") {
  Job job(3);
  std::vector<Incarnation> restarted;
  job.script(Family::workload, [&restarted](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 1) context.set_timer(1, 1);
    };
    handlers.timer = [self](ScriptContext& context, std::uint64_t) {
      context.restart({.actor = self == 0 ? 1U : 0U, .number = 0}, RestartOn::same_node);
    };
    handlers.peer_restarted = [self, &restarted](ScriptContext&, Incarnation peer) {
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

TEST_CASE("a rank that asks for a started process is told so if nobody else knows of it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.spare_nodes = 1;
    job.spec.platform.restart_delay_s = 10;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (self == 0) context.set_timer(1, 20);
        if (self == 2) context.set_timer(1, 40);
        if (self == 3) context.set_timer(1, 45);  // rank 2 knows, and lives
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) {
        context.restart({.actor = 1, .number = 0});
      };
      handlers.peer_restarted = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "restarted", peer.number);
      };
      return handlers;
    });
    // Rank 0 has its answer at 30 s, and tells nobody. The process is dead again by 40 s.
    job.kill(5, {1}).kill(32, {0}).kill(35, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "restarted"), {30}, engine));
    CHECK(close(seen.times_s(2, "restarted"), {40}, engine));
    CHECK(seen.values(2, "restarted") == Values{1});
    CHECK(seen.values(3, "restarted").empty());
  }
}

TEST_CASE("a live actor is not restarted") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [&job](ActorId self) { return restarter(job, self, 20); });
    CHECK(close(job.run(engine).times_s(1, "start"), {0}, engine));
  }
}

}  // namespace faultline::engine
