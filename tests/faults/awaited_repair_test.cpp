// SPDX-License-Identifier: Apache-2.0

// Processes for which no node is free: they wait for the next repair, or nobody waits.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

using scenario::WhenNoSpare;

/// The nodes die at that time, and are repaired later.
void fail(Job& job, double time_s, std::vector<NodeId> nodes, double repair_s) {
  FaultSpec fault;
  fault.time_s = time_s;
  fault.nodes = std::move(nodes);
  fault.repair_s = repair_s;
  job.spec.faults.push_back(fault);
}

struct Asked {
  double time_s = 0.0;
  Rank dead = 0;
  RestartOn where = RestartOn::spare_node;
  Rank asker = 0;
};

/// These requests are made. Each rank notes on which node it starts, and which answers it gets.
void ask_for(Job& job, const std::vector<Asked>& asked) {
  job.script(Family::workload, [&job, asked](ActorId self) {
    Handlers handlers;
    handlers.start = [=, &job](ScriptContext& context) {
      job.note(context, "on", context.placement().node_of(self));
      for (std::size_t i = 0; i < asked.size(); ++i)
        if (asked[i].asker == self && context.now_s() < asked[i].time_s)
          context.set_timer(i, asked[i].time_s - context.now_s());
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
      context.restart(context.known(asked[key].dead), asked[key].where);
    };
    handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "refused", peer.actor);
    };
    handlers.peer_restarted = [&job, asked](ScriptContext& context, Incarnation peer) {
      const auto is_peer = [&](const Asked& one) { return one.dead == peer.actor; };
      if (std::any_of(asked.begin(), asked.end(), is_peer))  // and not the daemon of a node
        job.note(context, "restarted", peer.actor);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("a process waits until a node is repaired, and starts there after the usual delay") {
  for (const scenario::EngineKind engine : engines())
    for (const RestartOn where : {RestartOn::same_node, RestartOn::spare_node}) {
      Job job(3);
      job.spec.platform.restart_delay_s = 2;
      fail(job, 5, {1}, 10);
      ask_for(job, {{10, 1, where}});
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "refused").empty());
      CHECK(seen.values(1, "on") == Values{1, 1});
      CHECK(close(seen.times_s(1, "on"), {0, 17}, engine));
      CHECK(close(seen.times_s(0, "restarted"), {17}, engine));
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("whoever gives up, and whoever has no repair to wait for, is refused at once") {
  for (const scenario::EngineKind engine : engines())
    for (const bool is_repaired : {true, false}) {
      Job job(3);
      job.spec.platform.when_no_spare = is_repaired ? WhenNoSpare::give_up : WhenNoSpare::wait;
      fail(job, 5, {1}, is_repaired ? 10 : kNever);
      ask_for(job, {{10, 1}});
      const Seen seen = job.run(engine);
      CHECK(close(seen.times_s(0, "refused"), {10}, engine));
      CHECK(seen.values(1, "on") == Values{1});
      CHECK(seen.metric("failed_ranks") == 1);
    }
}

TEST_CASE("a request for the own node now does not wait") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    fail(job, 5, {1}, 10);
    ask_for(job, {{10, 1, RestartOn::same_node_now}, {20, 1, RestartOn::same_node_now}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "refused"), {10}, engine));
    CHECK(close(seen.times_s(1, "on"), {0, 20}, engine));
  }
}

TEST_CASE("the first node that is repaired takes the process that has waited longest") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    fail(job, 5, {1}, 25);
    fail(job, 6, {2}, 14);
    ask_for(job, {{10, 1}, {11, 2}});
    const Seen seen = job.run(engine);
    CHECK(seen.values(1, "on") == Values{1, 2});
    CHECK(close(seen.times_s(1, "on"), {0, 20}, engine));
    CHECK(seen.values(2, "on") == Values{2, 1});
    CHECK(close(seen.times_s(2, "on"), {0, 30}, engine));
    CHECK(seen.values(0, "restarted") == Values{1, 2});
  }
}

TEST_CASE("a process that finds no place on the repaired node waits for the next, or is refused") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    fail(job, 5, {1}, 15);
    fail(job, 6, {2}, kNever);
    ask_for(job, {{10, 2}, {11, 1}});
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "on") == Values{2, 1});
    CHECK(close(seen.times_s(2, "on"), {0, 20}, engine));
    CHECK(seen.values(0, "refused") == Values{1});
    CHECK(close(seen.times_s(0, "refused"), {20}, engine));
  }
}

TEST_CASE("a node that fails again while somebody waits for it is awaited until it is back") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    fail(job, 5, {1}, 10);
    fail(job, 12, {1}, 20);
    ask_for(job, {{10, 1}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "on"), {0, 32}, engine));
  }
}

TEST_CASE("if whoever has asked dies meanwhile, the next one that asked is answered") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    fail(job, 5, {1}, 15);
    job.kill(12, {2});
    ask_for(job, {{10, 1, RestartOn::spare_node, 2}, {11, 1, RestartOn::spare_node, 3}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(1, "on"), {0, 20}, engine));
    CHECK(close(seen.times_s(3, "restarted"), {20}, engine));
    CHECK(seen.values(3, "refused").empty());
  }
}

TEST_CASE("the repair of drawn faults and of a trace is awaited, too") {
  for (const scenario::EngineKind engine : engines())
    for (const bool is_drawn : {true, false}) {
      Job job(3);
      if (is_drawn)
        add_source(job, "counts",
                   {{"size", std::int64_t{2}},
                    {"time_s", 5.0},
                    {"spare_root", true},
                    {"repair", option_group({{"law", std::string("exponential")},
                                             {"mean_s", 40.0},
                                             {"mu", OptionValue{}},
                                             {"sigma", OptionValue{}}})}});
      else
        add_source(job, "trace",
                   {{"file", trace_input("node,down,up\n1,5,15\n2,5,25\n")}, {"begin_s", -5.0}});
      ask_for(job, {{5.5, 1}, {5.6, 2}});
      const Seen seen = job.run(engine);
      CHECK(seen.values(0, "refused").empty());
      REQUIRE(seen.times_s(1, "on").size() == 2);
      REQUIRE(seen.times_s(2, "on").size() == 2);
      CHECK(seen.times_s(1, "on")[1] <= seen.times_s(2, "on")[1]);
      if (!is_drawn) CHECK(close(seen.times_s(1, "on"), {0, 15}, engine));
      if (!is_drawn) CHECK(close(seen.times_s(2, "on"), {0, 25}, engine));
    }
}

}  // namespace faultline::faults
