// SPDX-License-Identifier: Apache-2.0

// What the engine counts of failure detection: messages, latencies, and ranks that have not heard.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Six ranks, two a node: daemons are the actors 6, 7 and 8. Ranks note of whom they hear. The run
/// ends when all live ranks have heard of all dead ones.
void six_ranks(Job& job) {
  job.spec.platform.processes_per_node = 2;
  job.script(Family::workload, [&job](ActorId) {
    return Handlers{.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "failed", peer.actor);
    }};
  });
  job.spec.stop.when = scenario::StopWhen::all_reported;
}

const OwnTerms kEverywhere{.residence = Residence::ranks_and_daemons};

/// At 9 s, daemon 6 declares daemon 7 dead. It tells daemon 8, by 100 bytes, and its own ranks;
/// daemon 8 tells its own ranks.
Handlers teller(ActorId self) {
  const auto tell_own = [](ScriptContext& context) {
    const Placement& places = context.placement();
    for (const Rank rank : places.ranks_on(places.node_of(context.self())))
      context.send(rank, 1, 10);
  };
  Handlers handlers;
  handlers.start = [self](ScriptContext& context) {
    if (self == 6) context.set_timer(1, 9);
  };
  handlers.timer = [tell_own](ScriptContext& context, std::uint64_t) {
    context.report_failed(7);
    context.send(8, 0, 100);
    tell_own(context);
  };
  handlers.message = [=](ScriptContext& context, const Message&) {
    context.report_failed(7);
    if (self == 8) tell_own(context);
  };
  return handlers;
}

bool has_no_value(const Seen& seen, const std::string& metric) {
  const auto found = seen.result.metrics.values().find(metric);
  return found != seen.result.metrics.values().end() && !found->second.has_value();
}

/// One message of each control layer and two of failure detection, all of the kind "b".
void one_kind(Job& job) {
  for (const Family family : {Family::transactions, Family::termination})
    job.script(family, [](ActorId self) {
      return Handlers{.start = [self](ScriptContext& context) {
        if (self == 0) context.send(1, 1, 7);
      }};
    });
  job.script(Family::failure_detection, [](ActorId self) {
    return Handlers{.start = [self](ScriptContext& context) {
      if (self == 0) context.send(1, 1, 100);
      if (self == 0) context.send(1, 1, 100);
    }};
  });
}

}  // namespace

TEST_CASE("messages of failure detection count apart, and kinds of one name together") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.workload("flood", {{"fanout", 1}});
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 100;
    one_kind(job);
    const Seen seen = job.run(engine);
    CHECK(seen.metric("control_messages") == 2);
    CHECK(seen.metric("control_bytes") == 14);
    CHECK(seen.metric("control_messages.b") == 2);
    CHECK(seen.metric("control_messages.a") == 0);
    CHECK(seen.metric("detection_messages") == 2);
    CHECK(seen.metric("detection_bytes") == 200);
    CHECK(seen.metric("detection_messages.b") == 2);
    CHECK(seen.metric("detection_messages.c") == 0);
    CHECK(seen.metric("detection_busiest_node_Bps") == Approx(200 / seen.metric("end_time_s")));
  }
}

TEST_CASE("a node bears what it receives from all, and so does the link that leads to it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 50;
    job.script(Family::workload, [](ActorId) { return Handlers(); });
    job.script(Family::failure_detection, [](ActorId self) {
      return Handlers{.start = [self](ScriptContext& context) {
        if (self != 2) context.send(2, 1, self == 0 ? 100 : 150);
      }};
    });
    const Seen seen = job.run(engine);
    const double end_s = seen.metric("end_time_s");
    CHECK(seen.metric("detection_busiest_node_Bps") == Approx(250 / end_s));
    CHECK(seen.metric("detection_busiest_link_Bps") == Approx(250 / end_s));
  }
}

TEST_CASE("without a failure detector nothing is said of detection") {
  Job job(2);
  job.workload("flood", {{"fanout", 1}});
  job.kill(1e6, {1});
  const Seen seen = job.run();
  CHECK(seen.metric("control_messages") == 0);
  for (const auto& [name, value] : seen.result.metrics.values()) {
    CHECK(name.rfind("detection_messages", 0) != 0);
    CHECK(name.rfind("failure_detection", 0) != 0);
    CHECK(name != "missed_reports");
  }
}

TEST_CASE("a node's death is one: reported with its daemon, heard of when the last rank hears") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.script(Family::failure_detection, teller, kEverywhere);
    job.kill(5, {}, {1});
    const Seen seen = job.run(engine);
    // A message within a node takes 4.01 s, the one to daemon 8 takes 13; each send takes 1.
    CHECK(close(seen.times_s(0, "failed"), {14.01, 14.01, 14.01}, engine));
    CHECK(close(seen.times_s(5, "failed"), {27.01, 27.01, 27.01}, engine));
    for (const Rank rank : {0U, 1U, 4U, 5U}) CHECK(seen.values(rank, "failed") == Values{7, 2, 3});
    CHECK(seen.metric("failure_detection_latency_s") == Approx(4));
    CHECK(seen.metric("failure_detection_latency_mean_s") == Approx(4));
    CHECK(seen.metric("failure_propagation_latency_s") == Approx(22.01));
    CHECK(seen.metric("failure_propagation_latency_mean_s") == Approx(22.01));
    CHECK(seen.metric("missed_reports") == 0);
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("failure_reports") == 2 + 4);
    CHECK(seen.metric("detection_messages") == 5);
    CHECK(seen.metric("detection_messages.b") == 4);
    // What stays within a node does not load it. Nodes 0 and 2 send and receive 100 bytes.
    CHECK(seen.metric("detection_busiest_node_Bps") == Approx(100 / 27.01));
    CHECK(seen.metric("detection_busiest_link_Bps") == Approx(100 / 27.01));
    CHECK(seen.violations().empty());
  }
}

TEST_CASE(
    "a report of a node covers a rank whose daemon died before it heard of the rank's death") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.spec.platform.local_exit_delay_s = 2;
    job.script(Family::failure_detection, teller, kEverywhere);
    job.kill(4, {3}).kill(5, {}, {1});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "failed"), {14.01, 14.01, 14.01}, engine));
    for (const Rank rank : {0U, 1U, 4U, 5U}) CHECK(seen.values(rank, "failed") == Values{7, 3, 2});
    // Two deaths, of rank 3 at 4 and of the node at 5. Daemon 6 reports both at 9.
    CHECK(seen.metric("failure_detection_latency_s") == Approx(5));
    CHECK(seen.metric("failure_detection_latency_mean_s") == Approx(4.5));
    CHECK(seen.metric("failure_propagation_latency_s") == Approx(23.01));
    CHECK(seen.metric("failure_propagation_latency_mean_s") == Approx(22.51));
    CHECK(seen.metric("failure_report_latency_max_s") == Approx(23.01));
    CHECK(seen.metric("missed_reports") == 0);
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("failure_reports") == 2 + 4);
    CHECK(seen.metric("end_time_s") == Approx(27.01));  // all live ranks have heard
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("a report of a node says nothing of a rank that has restarted elsewhere") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.spec.platform.local_exit_delay_s = 20;
    job.spec.platform.spare_nodes = 1;
    job.script(
        Family::failure_detection,
        [](ActorId self) {
          Handlers handlers;
          handlers.start = [self](ScriptContext& context) {
            if (self == 0) context.set_timer(1, 4);
            if (self < 6) context.set_timer(2, 9 - context.now_s());
          };
          handlers.timer = [](ScriptContext& context, std::uint64_t key) {
            if (key == 1) context.restart(context.known(3));
            if (key == 2) context.report_failed(7);
          };
          return handlers;
        },
        kEverywhere);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 100;
    job.kill(3, {3}).kill(5, {}, {1});
    const Seen seen = job.run(engine);
    for (const Rank rank : {0U, 1U, 3U, 4U, 5U}) CHECK(seen.values(rank, "failed") == Values{7, 2});
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("missed_reports") == 1);  // nobody was told of the first life of rank 3
  }
}

TEST_CASE("a false report of a node covers its dead ranks, too") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    six_ranks(job);
    job.spec.platform.local_exit_delay_s = 20;
    job.script(
        Family::failure_detection,
        [](ActorId self) {
          Handlers handlers;
          handlers.start = [self](ScriptContext& context) {
            if (self == 0) context.set_timer(1, 9);
          };
          handlers.timer = [](ScriptContext& context, std::uint64_t) { context.report_failed(7); };
          return handlers;
        },
        kEverywhere);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 100;
    job.kill(4, {3});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "failed") == Values{7, 2, 3});
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("failure_detection_latency_s") == Approx(5));
  }
}

TEST_CASE("a rank that has heard of another by itself does not hear of it again with its node") {
  for (const scenario::EngineKind engine : engines())
    for (const bool falsely : {false, true}) {
      Job job(6);
      six_ranks(job);
      job.script(
          Family::failure_detection,
          [falsely](ActorId self) {
            Handlers handlers;
            handlers.start = [=](ScriptContext& context) {
              if (self == 0) context.set_timer(1, falsely ? 3 : 7);
              if (self == 0) context.set_timer(2, 8);
              if (self == 0) context.set_timer(3, 9);
            };
            handlers.timer = [](ScriptContext& context, std::uint64_t key) {
              if (key == 1) context.report_failed(3);
              if (key == 2) context.report_failed(7);
              if (key == 3) context.report_failed(2);
            };
            return handlers;
          },
          kEverywhere);
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 100;
      job.kill(5, {}, {1});
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "failed") == Values{3, 7, 2});
      CHECK(seen.metric("failure_reports") == 2);
      CHECK(seen.metric("false_reports") == (falsely ? 1 : 0));
      CHECK(seen.metric("missed_reports") == 2);  // ranks 1, 4 and 5 have heard of neither
      CHECK(has_no_value(seen, "failure_propagation_latency_s"));
      CHECK(has_no_value(seen, "failure_detection_latency_s") == falsely);
      if (!falsely) CHECK(seen.metric("failure_detection_latency_s") == Approx(2));
    }
}

TEST_CASE("a new phase's detector is told of the ranks that were reported with their node") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [=](ScriptContext& context) {
        if (self == 0) context.set_timer(1, 20);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.start_phase(); };
      return handlers;
    });
    job.script(Family::termination, [&job](ActorId) {
      return Handlers{.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
        if (context.phase() == 1) job.note(context, "knows", peer.actor);
      }};
    });
    job.script(
        Family::failure_detection,
        [](ActorId self) {
          Handlers handlers;
          handlers.start = [=](ScriptContext& context) {
            if (self == 0) context.set_timer(1, 9);
          };
          handlers.timer = [](ScriptContext& context, std::uint64_t) {
            context.report_failed(5);
            context.report_failed(3);
          };
          return handlers;
        },
        kEverywhere);
    job.spec.stop.when = scenario::StopWhen::time;
    job.spec.stop.time_s = 100;
    job.kill(5, {}, {1});
    CHECK(job.run(engine).values(0, "knows") == Values{2, 3, 5});
  }
}

TEST_CASE(
    "an idle connection to a node that is gone breaks after 8 minutes, to dead processes soon") {
  for (const scenario::EngineKind engine : engines())
    for (const bool gone : {false, true}) {
      Job job(6);
      six_ranks(job);
      job.script(
          Family::failure_detection,
          [&job](ActorId self) {
            Handlers handlers;
            handlers.start = [=](ScriptContext& context) {
              for (const ActorId peer : {2U, 3U, 7U})
                if (self == 0 || self == 8) context.open_link(peer);
              if (self == 0) context.open_link(3);  // it is open already
            };
            handlers.link_lost = [&job](ScriptContext& context, Incarnation peer) {
              job.note(context, "lost", peer.actor);
            };
            return handlers;
          },
          kEverywhere);
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 1000;
      if (gone)
        job.kill(5, {}, {1});
      else
        job.kill(5, {}, {}, {1});
      const Seen seen = job.run(engine);
      const double lost_s = gone ? 5 + 480 : 5 + 1e-3;
      for (const ActorId holder : {0U, 8U}) {
        CHECK(seen.values(holder, "lost") == Values{2, 3, 7});
        CHECK(close(seen.times_s(holder, "lost"), Times{lost_s, lost_s, lost_s}, engine));
      }
      CHECK(seen.count("lost") == 6);
    }
}

}  // namespace faultline::engine
