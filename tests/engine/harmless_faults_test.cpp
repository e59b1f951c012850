// SPDX-License-Identifier: Apache-2.0

// Faults that kill nobody: processors that stall, and errors that programs find in their data.

#include <catch2/catch.hpp>
#include <utility>

#include "sim/core/transaction_requests.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr Mark kSentMark{"sent", "a rank has sent messages: how many"};

faults::FaultSpec stall(double time_s, Rank rank, double stall_s) {
  faults::FaultSpec fault;
  fault.time_s = time_s;
  fault.ranks = {rank};
  fault.stall_s = stall_s;
  return fault;
}

faults::FaultSpec soft(double time_s, Rank rank) {
  faults::FaultSpec fault;
  fault.time_s = time_s;
  fault.ranks = {rank};
  fault.soft = true;
  return fault;
}

/// Two ranks. Rank 0 sends to rank 1 at these times. Rank 1 has a timer at 20 s, at which it sends
/// to rank 0. Both note what they get.
Seen with_faults(const std::vector<faults::FaultSpec>& faults, const Times& sends_s,
                 scenario::EngineKind engine,
                 const std::function<void(ScriptContext&)>& at_start = {}) {
  Job job(2);
  job.spec.faults = faults;
  job.script(Family::workload, [&](ActorId self) {
    Handlers handlers;
    handlers.start = [&, self](ScriptContext& context) {
      for (std::size_t i = 0; self == 0 && i < sends_s.size(); ++i)
        context.set_timer(i, sends_s[i]);
      if (self == 1) context.set_timer(9, 20);
      if (self == 1 && at_start) at_start(context);
    };
    handlers.timer = [&job, self](ScriptContext& context, std::uint64_t) {
      job.note(context, "timer");
      context.send(1 - self, 0, 0);
    };
    handlers.message = [&job](ScriptContext& context, const Message&) { job.note(context, "got"); };
    handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
      job.note(context, "computed");
    };
    return handlers;
  });
  return job.run(engine);
}

/// When a rank is told to raise an error. Rank 1 sends three messages at 10 s.
Times errors_s(const std::vector<faults::FaultSpec>& faults, scenario::EngineKind engine,
               Rank rank = 1) {
  Job job(2);
  job.spec.faults = faults;
  job.script(Family::workload,
             [&job](ActorId self) {
               Handlers handlers;
               handlers.start = [self](ScriptContext& context) {
                 if (self == 1) context.set_timer(0, 10);
               };
               handlers.timer = [&job](ScriptContext& context, std::uint64_t key) {
                 if (key == 1) return job.note(context, "asked");
                 for (int i = 0; i < 3; ++i) context.send(0, 0, 0);
                 context.mark(kSentMark, 3);
               };
               handlers.request = [&job](ScriptContext& context, const StackRequest& request) {
                 if (!request.is<RaiseError>()) return;
                 job.note(context, "error");
                 context.set_timer(1, 100);
               };
               return handlers;
             },
             {.marks = {&kSentMark}});
  const Seen seen = job.run(engine);
  // What it asks for is carried out.
  CHECK(seen.times_s(rank, "asked").empty() == seen.times_s(rank, "error").empty());
  return seen.times_s(rank, "error");
}

}  // namespace

TEST_CASE("a processor that stalls handles messages and timers when it goes on") {
  for (const scenario::EngineKind engine : engines()) {
    // They come at 21 and 61. The stall is from 15 to 45.
    const Seen seen = with_faults({stall(15, 1, 30)}, {10, 50}, engine);
    CHECK(close(seen.times_s(1, "timer"), {45}, engine));
    CHECK(close(seen.times_s(1, "got"), {47, 62}, engine));  // it sends for 1 s before
    CHECK(close(seen.times_s(0, "got"), {57}, engine));
    CHECK(seen.result.metrics.values().count("faults_struck") == 0);
  }
}

TEST_CASE("stalls add up, and begin when the processor has sent what it is sending") {
  for (const scenario::EngineKind engine : engines()) {
    const auto send = [](ScriptContext& context) {
      for (int i = 0; i < 20; ++i) context.send(0, 0, 0);
    };
    const Seen seen = with_faults({stall(15, 1, 30), stall(18, 1, 10)}, {}, engine, send);
    CHECK(close(seen.times_s(1, "timer"), {60}, engine));
    Times expected_s;
    for (int i = 0; i < 20; ++i) expected_s.push_back(12 + i);
    expected_s.push_back(72);
    CHECK(close(seen.times_s(0, "got"), expected_s, engine));
  }
}

TEST_CASE("computations wait while their rank stalls, those of all its workers") {
  for (const scenario::EngineKind engine : engines()) {
    const auto compute = [](ScriptContext& context) {
      context.compute(25);
      context.compute(100);
    };
    CHECK(close(with_faults({stall(15, 1, 30)}, {}, engine, compute).times_s(1, "computed"),
                {55, 155}, engine));
    // Nobody else waits, and neither does the rank that comes too late.
    CHECK(close(with_faults({stall(15, 0, 30)}, {}, engine, compute).times_s(1, "computed"),
                {25, 125}, engine));
    CHECK(close(with_faults({stall(130, 1, 30)}, {}, engine, compute).times_s(1, "computed"),
                {25, 125}, engine));
  }
}

TEST_CASE("a dead rank neither stalls nor finds errors") {
  for (const scenario::EngineKind engine : engines()) {
    faults::FaultSpec death;
    death.time_s = 5;
    death.ranks = {1};
    CHECK(errors_s({death, soft(20, 1), stall(21, 1, 5)}, engine).empty());
  }
}

TEST_CASE("a program finds an error when its processor is free") {
  for (const scenario::EngineKind engine : engines()) {
    CHECK(close(errors_s({soft(5, 1), soft(11, 1), soft(11.5, 1)}, engine), {5, 13, 13}, engine));
    CHECK(close(errors_s({soft(11, 0)}, engine, 0), {11}, engine));
    faults::FaultSpec marked = soft(0, 1);
    marked.time_s.reset();
    marked.mark = faults::MarkSpec{"sent", 3};
    CHECK(close(errors_s({marked}, engine), {13}, engine));
    faults::FaultSpec counted = soft(0, 1);
    counted.time_s.reset();
    counted.event = 1;  // the timer
    CHECK(close(errors_s({counted}, engine), {13}, engine));
    CHECK(close(errors_s({stall(5, 1, 2), soft(6, 1)}, engine), {7}, engine));
  }
}

}  // namespace faultline::engine
