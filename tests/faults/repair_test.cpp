// SPDX-License-Identifier: Apache-2.0

// Whole runs under a trace with repairs: what a repaired node is good for.

#include <catch2/catch.hpp>
#include <utility>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

/// A failure of an event_trace: seconds 0 to 5 of the run lie before the first failure, at 1000.
std::string failure(std::uint32_t node, double run_s, double back_s) {
  const auto at = [](double time_s) {
    return time_s == kNever ? std::string("NULL") : std::to_string(995 + time_s);
  };
  return "1 0 " + std::to_string(node) + " 0 name 0 " + at(run_s) + " " + at(back_s) + " 0\n";
}

/// The trace strikes. A request is answered at once, unless the test says otherwise.
void strike(Job& job, const std::string& trace) {
  job.spec.platform.when_no_spare = scenario::WhenNoSpare::give_up;
  add_source(job, "trace", {{"file", trace_input(trace)}, {"begin_s", -5.0}});
}

struct Request {
  double time_s = 0.0;
  Rank dead = 0;
  RestartOn where = RestartOn::spare_node;
};

/// Rank 0 makes these requests. Each rank notes on which node it starts.
void requests(Job& job, const std::vector<Request>& asked) {
  job.script(Family::workload, [&job, asked](ActorId self) {
    Handlers handlers;
    handlers.start = [=, &job](ScriptContext& context) {
      job.note(context, "on", context.placement().node_of(self));
      for (std::size_t i = 0; self == 0 && i < asked.size(); ++i)
        context.set_timer(i, asked[i].time_s);
    };
    handlers.timer = [=](ScriptContext& context, std::uint64_t key) {
      const Request& request = asked[key];
      context.restart(context.known(request.dead), request.where);
    };
    handlers.restart_refused = [&job](ScriptContext& context, Incarnation peer) {
      job.note(context, "refused", peer.actor);
    };
    return handlers;
  });
}

}  // namespace

TEST_CASE("a node takes a process again when it is repaired, as its own node or as a spare one") {
  for (const scenario::EngineKind engine : engines())
    for (const RestartOn where : {RestartOn::same_node, RestartOn::spare_node}) {
      Job job(3);
      strike(job, failure(1, 5, 15));
      requests(job, {{10, 1, where}, {20, 1, where}});
      const Seen seen = job.run(engine);
      CHECK(close(seen.times_s(0, "refused"), {10}, engine));
      CHECK(seen.values(1, "on") == Values{1, 1});
      CHECK(close(seen.times_s(1, "on"), {0, 20}, engine));
      CHECK(seen.metric("failed_ranks") == 0);
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("spare nodes are taken before repaired ones, and a repaired node can fail again") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.platform.spare_nodes = 1;
    strike(job, failure(1, 5, 15) + failure(2, 6, kNever) + failure(1, 25, kNever));
    requests(job, {{20, 2}, {21, 1}, {30, 1}});
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "on") == Values{2, 3});
    CHECK(seen.values(1, "on") == Values{1, 1});
    CHECK(close(seen.times_s(1, "on"), {0, 21}, engine));
    CHECK(seen.values(0, "refused") == Values{1});
    CHECK(close(seen.times_s(0, "refused"), {30}, engine));
    CHECK(seen.metric("failed_ranks") == 1);
  }
}

TEST_CASE("a repaired node has as many places as any other") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    strike(job, failure(1, 5, 15) + failure(2, 6, kNever));
    requests(job, {{20, 4}, {21, 5}, {22, 2, RestartOn::same_node}, {23, 3}});
    const Seen seen = job.run(engine);
    CHECK(seen.values(4, "on") == Values{2, 1});
    CHECK(seen.values(5, "on") == Values{2, 1});
    CHECK(seen.values(2, "on") == Values{1});
    CHECK(seen.values(0, "refused") == Values{2, 3});
  }
}

TEST_CASE("a node that is struck while it is down is back after the later repair") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    strike(job, failure(1, 5, 25) + failure(1, 10, 15));
    requests(job, {{20, 1}, {30, 1}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "refused"), {20}, engine));
    CHECK(close(seen.times_s(1, "on"), {0, 30}, engine));
  }
}

TEST_CASE("repairs change nothing where nobody restarts") {
  for (const scenario::EngineKind engine : engines()) {
    const auto seen_with = [&](double back_s) {
      Job job(3);
      strike(job, failure(1, 5, back_s));
      requests(job, {{10, 2}, {20, 2}});  // rank 2 lives
      return job.run(engine);
    };
    const Seen repaired = seen_with(15);
    const Seen dead = seen_with(kNever);
    CHECK(repaired.metric("failed_ranks") == 1);
    CHECK(repaired.result.events == dead.result.events);
    CHECK(repaired.result.metrics.values() == dead.result.metrics.values());
  }
}

}  // namespace faultline::faults
