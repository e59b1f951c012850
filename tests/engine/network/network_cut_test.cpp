// SPDX-License-Identifier: Apache-2.0

// Networks that are partitioned for a time.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

Handlers noting(Job& job) {
  Handlers handlers;
  handlers.message = [&job](ScriptContext& context, const Message& message) {
    job.note(context, "got", message.from);
  };
  return handlers;
}

}  // namespace

TEST_CASE("what enters the network while it is cut is lost between groups, and nothing else") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.partitions = {{.groups = {{0, 3}, {1}}, .from_s = 41, .to_s = 61}};
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = noting(job);
      handlers.start = [self](ScriptContext& context) {
        if (self == 0)
          for (const double time_s : {20.0, 40.0, 60.0})
            context.set_timer(static_cast<std::uint64_t>(time_s), time_s);
        if (self == 1) context.set_timer(1, 39.5);
        if (self == 1) context.set_timer(2, 45);
      };
      handlers.timer = [self](ScriptContext& context, std::uint64_t) {
        if (self == 1) context.send(0, 0, 0);
        if (self == 0)
          for (const Rank to : {1U, 2U, 3U}) context.send(to, 0, 0);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    // Sends take 1 s each, so the messages to rank 1 enter at 21, 41 and 61.
    CHECK(close(seen.times_s(1, "got"), {32, 72}, engine));
    CHECK(close(seen.times_s(2, "got"), {33, 53, 73}, engine));
    CHECK(close(seen.times_s(3, "got"), {34, 54, 74}, engine));
    CHECK(close(seen.times_s(0, "got"), {51.5}, engine));  // entered at 40.5, before the cut
    CHECK(seen.metric("application_messages") == 11);
    CHECK(seen.metric("application_messages_lost") == 2);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

// Both messages enter the network within the cut, and the shorter one later.
TEST_CASE("what enters the network while it is cut can wait, in order, while timers run") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 10, .to_s = 60, .waits = true}};
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = noting(job);
      handlers.start = [self](ScriptContext& context) {
        if (self == 0)
          for (const double time_s : {20.0, 30.0, 70.0})
            context.set_timer(static_cast<std::uint64_t>(time_s), time_s);
      };
      handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
        job.note(context, "timer");
        context.send(1, 0, key == 20 ? 500 : 0);
        context.send(2, 0, 0);
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "timer"), {20, 30, 70}, engine));
    const Times got_s = seen.times_s(1, "got");
    REQUIRE(got_s.size() == 3);
    CHECK(got_s[0] > 60);
    CHECK(got_s[1] >= got_s[0]);
    CHECK(got_s[2] > 70);
    CHECK(got_s[1] < 90);
    CHECK(seen.times_s(2, "got").front() < 60);
    CHECK(seen.metric("application_messages_lost") == 0);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

TEST_CASE("groups of ranks are apart also within a node, and daemons reach all") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.spec.platform.processes_per_node = 2;
    job.spec.partitions = {{.of_ranks = true, .groups = {{0}, {1}}}};
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = noting(job);
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.send(1, 0, 0);
      };
      return handlers;
    });
    job.script(Family::failure_detection,
               [&job](ActorId self) {
                 Handlers handlers = noting(job);
                 handlers.start = [self](ScriptContext& context) {
                   if (self == 2) context.send(0, 0, 0);
                   if (self == 2) context.send(1, 0, 0);
                 };
                 return handlers;
               },
               {.residence = Residence::ranks_and_daemons});
    const Seen seen = job.run(engine);
    CHECK(seen.values(0, "got") == Values{2});
    CHECK(seen.values(1, "got") == Values{2});
    CHECK(seen.metric("application_messages_lost") == 1);
  }
}

TEST_CASE("a message is lost if it waits for its NIC until the network is cut") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 5}};
    job.kill(500, {3});  // where actors can die, messages queue before a NIC that is busy
    job.script(Family::workload, [&job](ActorId self) {
      Handlers handlers = noting(job);
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.send(2, 0, 1000);  // keeps the NIC from 1 to 11
        if (self == 1) context.send(2, 0, 0);
        if (self == 2) context.set_timer(1, 6);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.flush(1); };
      handlers.flushed = [&job](ScriptContext& context, Incarnation) {
        job.note(context, "flushed");
      };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.values(2, "got") == Values{0});
    CHECK(close(seen.times_s(2, "got"), {22}, engine));
    // A flush waits for what is in flight, but not for what is lost.
    CHECK(close(seen.times_s(2, "flushed"), {11}, engine));
    CHECK(seen.metric("application_messages_lost") == 1);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("no termination detector announces once a message of the work is lost") {
  for (const std::string& detector : detectors())
    for (const scenario::EngineKind engine : engines()) {
      CAPTURE(detector);
      Job job(4);
      job.workload("token-ring", {{"stop_probability", 1e-9}}).detector(detector);
      if (const auto ordering = needed_ordering(detector)) job.spec.platform.ordering = *ordering;
      job.spec.partitions = {{.groups = {{0, 1}, {2, 3}}, .from_s = 100}};
      job.spec.stop.grace_s = 1000;
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::hung);
      CHECK(seen.violations() == Words{"hung"});
      CHECK(seen.metric("application_messages_lost") == 1);
    }
}

}  // namespace faultline::engine
