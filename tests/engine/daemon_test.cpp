// SPDX-License-Identifier: Apache-2.0

// Per-node daemons, open connections, and which processes hear of a death when.

#include <catch2/catch.hpp>

#include "sim/engine/engine.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Six ranks, two a node: daemons are the actors 6, 7 and 8.
void six_ranks(Job& job) {
  job.spec.platform.processes_per_node = 2;
  job.spec.platform.local_exit_delay_s = 2;
  job.spec.platform.link_lost_delay_s = 3;
  job.script(Family::workload, [&job](ActorId) {
    Handlers handlers;
    handlers.start = [](ScriptContext& context) { context.set_timer(1, 50); };
    handlers.timer = [&job](ScriptContext& context, std::uint64_t) { job.note(context, "alive"); };
    handlers.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "peer failed", peer.actor);
    };
    return handlers;
  });
}

/// Daemons that note local exits and that they are alive at 50 s.
Handlers watching_daemon(Job& job) {
  Handlers handlers;
  handlers.start = [](ScriptContext& context) { context.set_timer(1, 50); };
  handlers.timer = [&job](ScriptContext& context, std::uint64_t) { job.note(context, "alive"); };
  handlers.local_exit = [&job](ScriptContext& context, Incarnation rank) {
    job.note(context, "local exit", rank.actor);
  };
  return handlers;
}

Values alive(const Seen& seen) {
  Values actors;
  for (const Entry& entry : seen.log)
    if (entry.what == "alive") actors.push_back(entry.actor);
  std::sort(actors.begin(), actors.end());
  return actors;
}

const OwnTerms kOnDaemons{.residence = Residence::daemons};

}  // namespace

TEST_CASE("a rank's death leaves its daemon alive, which hears of it and no other does") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(
        Family::failure_detection, [&job](ActorId) { return watching_daemon(job); }, kOnDaemons);
    job.kill(5, {3});
    const Seen seen = job.run(engine);
    CHECK(alive(seen) == Values{0, 1, 2, 4, 5, 6, 7, 8});
    CHECK(seen.count("local exit") == 1);
    CHECK(close(seen.times_s(7, "local exit"), {7}, engine));
    CHECK(seen.values(7, "local exit") == Values{3});
  }
}

TEST_CASE("the death of a daemon, or of its node, takes the ranks of the node") {
  for (const scenario::EngineKind engine : engines())
    for (const bool whole_node : {false, true}) {
      Job job(6);
      six_ranks(job);
      job.script(
          Family::failure_detection, [&job](ActorId) { return watching_daemon(job); }, kOnDaemons);
      job.kill(5, {}, whole_node ? std::vector<NodeId>{1} : std::vector<NodeId>{},
               whole_node ? std::vector<NodeId>{} : std::vector<NodeId>{1});
      const Seen seen = job.run(engine);
      CHECK(alive(seen) == Values{0, 1, 4, 5, 6, 8});
      CHECK(seen.count("local exit") == 0);
      CHECK(seen.metric("failed_ranks") == 2);
    }
}

TEST_CASE("daemons have addresses: they send, receive and pay like ranks") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(
        Family::failure_detection,
        [&job](ActorId self) {
          Handlers handlers;
          handlers.start = [self](ScriptContext& context) {
            if (self == 6) context.send(8, 0, 100);
            if (self == 6) context.send(6, 0, 0);
          };
          handlers.message = [&job](ScriptContext& context, const Message& message) {
            job.note(context, "got", message.from);
          };
          return handlers;
        },
        kOnDaemons);
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(8, "got"), {13}, engine));
    CHECK(close(seen.times_s(6, "got"), {5}, engine));
    CHECK(seen.metric("detection_messages") == 2);
    CHECK(seen.metric("detection_bytes") == 100);
    CHECK(seen.metric("control_messages") == 0);
    CHECK(seen.metric("application_messages") == 0);
  }
}

TEST_CASE("a rank that restarts where the daemon is dead is started by a new daemon") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.local_exit_delay_s = 10;
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.set_timer(2, 7);
        if (self == 0) context.set_timer(3, 8);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t rank) {
        context.restart(context.known(static_cast<Rank>(rank)), RestartOn::same_node);
      };
      return handlers;
    });
    job.script(Family::failure_detection,
               [&job](ActorId self) {
                 Handlers handlers;
                 handlers.start = [self, &job](ScriptContext& context) {
                   job.note(context, "start", context.incarnation());
                   if (self == 2) job.note(context, "daemon", context.known(7).number);
                 };
                 handlers.local_exit = [&job](ScriptContext& context, Incarnation rank) {
                   job.note(context, "local exit", 10 * rank.actor + rank.number);
                 };
                 return handlers;
               },
               {.residence = Residence::ranks_and_daemons});
    // The old daemon would have heard of both its ranks, at 14 and 15. The new one does not.
    job.kill(4, {3}).kill(5, {}, {}, {1}).kill(20, {2}).kill(40, {}, {}, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(7, "start"), {0, 7}, engine));
    CHECK(seen.values(7, "start") == Values{0, 1});
    CHECK(close(seen.times_s(2, "start"), {0, 7}, engine));
    CHECK(close(seen.times_s(3, "start"), {0, 8}, engine));
    CHECK(seen.values(2, "daemon") == Values{0, 1});
    CHECK(seen.values(7, "local exit") == Values{21});
    CHECK(close(seen.times_s(7, "local exit"), {30}, engine));
    CHECK(seen.metric("failed_ranks") == 2);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a daemon that has come back with a rank is not restarted again") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.restart_delay_s = 3;
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.set_timer(2, 6);
        if (self == 0) context.set_timer(7, 7);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t actor) {
        context.restart(context.known(static_cast<ActorId>(actor)), RestartOn::same_node);
      };
      handlers.peer_restarted = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "restarted", 10 * peer.actor + peer.number);
      };
      return handlers;
    });
    job.script(
        Family::failure_detection,
        [&job](ActorId) {
          return Handlers{.start = [&job](ScriptContext& context) { job.note(context, "start"); }};
        },
        kOnDaemons);
    job.kill(5, {}, {}, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(7, "start"), {0, 9}, engine));
    // The rank that asked for the new one is told of the daemon that started with it, and at 10 s,
    // when that would have come back, of nobody.
    CHECK(seen.values(0, "restarted") == Values{71, 21});
    CHECK(close(seen.times_s(0, "restarted"), {9, 9}, engine));
  }
}

TEST_CASE("a daemon tells the ranks of its node by messages, which cost time") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(Family::failure_detection,
               [](ActorId) {
                 return Handlers{
                     .message =
                         [](ScriptContext& context, const Message& message) {
                           context.report_failed(message.payload.get<Incarnation>());
                         },
                     .local_exit =
                         [](ScriptContext& context, Incarnation rank) {
                           context.report_failed(rank);
                           const Placement& places = context.placement();
                           for (const Rank other : places.ranks_on(places.node_of(context.self())))
                             if (other != rank.actor) context.send(other, 0, 0).payload.put(rank);
                         }};
               },
               {.residence = Residence::ranks_and_daemons});
    job.kill(5, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.count("peer failed") == 1);
    // The daemon hears at 7; a message within the node takes 4 s.
    CHECK(close(seen.times_s(2, "peer failed"), {11}, engine));
    CHECK(seen.violations().empty());
    CHECK(seen.metric("failure_report_latency_max_s") == Approx(6));
  }
}

TEST_CASE("the holder of an open connection hears when it breaks") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(Family::failure_detection, [&job](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.open_link(3);
        if (self == 4) context.open_link(3);
        if (self == 5) context.open_link(2);
      };
      handlers.link_lost = [&job](ScriptContext& context, Incarnation peer) {
        job.note(context, "link lost", peer.actor);
      };
      return handlers;
    });
    job.kill(5, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.count("link lost") == 2);
    CHECK(close(seen.times_s(0, "link lost"), {8}, engine));
    CHECK(close(seen.times_s(4, "link lost"), {8}, engine));
    CHECK(seen.values(0, "link lost") == Values{3});
  }
}

TEST_CASE("the oracle tells every live rank of every death after its delay") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 4}});
    job.kill(5, {3});
    job.kill(20, {0, 5});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    const Seen seen = job.run(engine);
    for (const Rank rank : {1U, 2U, 4U}) {
      CHECK(close(seen.times_s(rank, "peer failed"), {9, 24, 24}, engine));
      CHECK(seen.values(rank, "peer failed") == Values{3, 0, 5});
    }
    CHECK(seen.values(0, "peer failed") == Values{3});
    CHECK(seen.times_s(3, "peer failed").empty());
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("failure_reports") == 5 + 2 * 3);
    CHECK(seen.metric("failure_report_latency_max_s") == Approx(4));
    CHECK(seen.metric("end_time_s") == Approx(24));
  }
}

TEST_CASE("a rank that dies before the oracle's notice arrives does not hear it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 4}});
    job.kill(5, {3});
    job.kill(8, {2});
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "peer failed").empty());
    CHECK(seen.values(1, "peer failed") == Values{3, 2});
  }
}

TEST_CASE("a report that is made twice is heard once") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(Family::failure_detection,
               [](ActorId) {
                 return Handlers{.exit_notice = [](ScriptContext& context, Incarnation dead) {
                   context.report_failed(dead);
                   context.report_failed(dead);
                 }};
               },
               {.exit_notice = ExitNotice{.delay_s = 1.0}});
    job.kill(5, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "peer failed") == Values{3});
    CHECK(seen.metric("failure_reports") == 5);
  }
}

TEST_CASE("an observer sees reports that are made again, which nobody hears") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(Family::failure_detection,
               [](ActorId) {
                 return Handlers{.exit_notice = [](ScriptContext& context, Incarnation dead) {
                   context.report_failed(dead);
                   if (context.self() == 4) context.report_failed(dead);
                 }};
               },
               {.exit_notice = ExitNotice{.delay_s = 1.0}});
    job.kill(5, {3});
    struct Reports final : audit::RunObserver {
      void see(const audit::Sight& sight) override {
        const bool is_report = sight.kind == audit::Sight::Kind::reported;
        if (!is_report && sight.kind != audit::Sight::Kind::declared_dead) return;
        text += (is_report ? "r" : "d") + std::to_string(sight.actor);
        if (sight.peer != 3 || (is_report && sight.value != 0)) text += "?";
      }
      std::string text;
    };
    const auto seen = [&] {
      Reports reports;
      run_simulation(job.spec, engine, 1, 0, &reports);
      return reports.text;
    };
    CHECK((engine == scenario::EngineKind::loggp ? seen() : platform::in_child(seen)) ==
          "r0d0r1d1r2d2r4d4r4r5d5");
  }
}

TEST_CASE("a connection to the dead breaks, and to a node that has failed after a longer time") {
  for (const scenario::EngineKind engine : engines())
    for (const bool whole_node : {false, true}) {
      Job job(6);
      six_ranks(job);
      job.spec.platform.silent_link_lost_delay_s = 30;
      job.script(Family::failure_detection, [&job](ActorId self) {
        Handlers handlers;
        handlers.start = [self](ScriptContext& context) {
          if (self == 0) context.open_link(3);
          if (self == 4) context.set_timer(1, 10);
        };
        handlers.timer = [](ScriptContext& context, std::uint64_t) { context.open_link(3); };
        handlers.link_lost = [&job](ScriptContext& context, Incarnation peer) {
          job.note(context, "link lost", peer.actor);
        };
        return handlers;
      });
      if (whole_node)
        job.kill(5, {}, {1});
      else
        job.kill(5, {}, {}, {1});  // the kernel lives on and closes connections
      const double delay_s = whole_node ? 30 : 3;
      const Seen seen = job.run(engine);
      CHECK(close(seen.times_s(0, "link lost"), {5 + delay_s}, engine));
      CHECK(close(seen.times_s(4, "link lost"), {10 + delay_s}, engine));
    }
}

TEST_CASE("a daemon under a termination detector that keeps credit may send and receive") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string detector : {"cda", "hcda"}) {
      Job job(6);
      six_ranks(job);
      job.workload("uniform-traffic", {{"tokens", 4}, {"hops", 20}});
      job.detector(detector);
      job.script(Family::failure_detection,
                 [&job](ActorId self) {
                   Handlers handlers;
                   handlers.start = [self](ScriptContext& context) {
                     context.send(self == 6 ? 8 : 6, 0, 0);
                     context.send(0, 0, 0);
                   };
                   handlers.message = [&job](ScriptContext& context, const Message&) {
                     job.note(context, "got");
                   };
                   return handlers;
                 },
                 {.residence = Residence::ranks_and_daemons});
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::terminated);
      CHECK(seen.violations().empty());
      CHECK(seen.count("got") == 18);
    }
}

TEST_CASE("a daemon without a core of its own delays a rank that computes") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::DaemonCore core :
         {scenario::DaemonCore::dedicated, scenario::DaemonCore::shared}) {
      Job job(4);
      job.spec.platform.processes_per_node = 2;
      job.spec.platform.daemon_core = core;
      job.spec.platform.context_switch_s = 0.5;
      job.script(Family::workload, [&job](ActorId) {
        Handlers handlers;
        handlers.start = [](ScriptContext& context) { context.compute(40); };
        handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
          job.note(context, "computed");
        };
        return handlers;
      });
      job.script(Family::failure_detection,
                 [&job](ActorId self) {
                   Handlers handlers;
                   handlers.start = [self](ScriptContext& context) {
                     if (self == 4) context.set_timer(1, 10);
                   };
                   handlers.timer = [](ScriptContext& context, std::uint64_t) {
                     context.spend(3);
                     context.send(5, 0, 0);
                   };
                   handlers.message = [&job](ScriptContext& context, const Message&) {
                     job.note(context, "got");
                   };
                   return handlers;
                 },
                 {.residence = Residence::daemons});
      const Seen seen = job.run(engine);
      const bool shared = core == scenario::DaemonCore::shared;
      // Node 0: the daemon spends 3 s, 1 s to send, and 0.5 s to get the core. Node 1: 1 s to
      // receive, 0.5 s to get the core.
      CHECK(close(seen.times_s(0, "computed"), {shared ? 44.5 : 40}, engine));
      CHECK(close(seen.times_s(1, "computed"), {40}, engine));
      CHECK(close(seen.times_s(2, "computed"), {shared ? 41.5 : 40}, engine));
      CHECK(close(seen.times_s(5, "got"), {10 + 3 + 12 + (shared ? 0.5 : 0)}, engine));
    }
}

}  // namespace faultline::engine
