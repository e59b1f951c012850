// SPDX-License-Identifier: Apache-2.0

// What the engine and protocols rely on: a mistake is found, and named with its place in the run.

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/runtime/runtime.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// What breaks in a run; "" if nothing does.
std::string broken_in(const std::function<void()>& run) {
  try {
    run();
  } catch (const BrokenInvariant& broken) {
    return broken.what();
  }
  return "";
}

bool begins(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

bool ends(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A rank of three that sets three timers. What it relies on is broken when the second one fires.
void one_breaks(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      for (const std::uint64_t time_s : {1, 2, 3})
        if (self == 1) context.set_timer(time_s, static_cast<double>(time_s) + 0.1);
    };
    handlers.timer = [](ScriptContext&, std::uint64_t key) { invariant(key != 2, "two came"); };
    return handlers;
  });
}

enum class Mistake { none, foreground, nic };

/// An engine that makes a mistake before its first event.
class Mistaken final : private Transport {
 public:
  Mistaken(const scenario::RunSpec& spec, Mistake mistake)
      : run_(std::make_shared<const RunJob>(spec, routes_of(spec), 7, 3), *this),
        mistake_(mistake) {}

  void run() {
    run_.run([this] { simulate(); });
  }

 private:
  void simulate() {
    if (mistake_ == Mistake::foreground) run_.schedule().let_go(false);
    if (mistake_ == Mistake::nic) ++run_.network().nic(0).expected;
    while (!run_.stopped() && !run_.quiescent()) {
      const Event event = run_.schedule().take_next();
      if (!run_.goes_on(event.time_s)) return;
      run_.set_now_s(event.time_s);
      run_.carry_out(event);
    }
  }
  void transmit(Message& message, const platform::Transit& transit) override {
    run_.schedule().add(message.inject_s + transit.transfer_s + transit.latency_s,
                        EventKind::arrive, &message);
  }
  static platform::Topology routes_of(const scenario::RunSpec& spec) {
    const platform::Machine& machine = spec.platform.machine;
    return {platform::partition(machine, spec.platform.processes, false), machine.hop_latency_s,
            machine.link_bandwidth_Bps};
  }

  Runtime run_;
  Mistake mistake_;
};

/// What is found in a run with a mistake: one rank has three timers, another sends to it.
std::string found_with(Mistake mistake, bool checks_state) {
  Job job(2);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 1) context.send(0, 0, 0);
      for (const std::uint64_t key : {1, 2, 3})
        if (self == 0) context.set_timer(key, 20.0 * static_cast<double>(key));
    };
    return handlers;
  });
  job.spec.checks_state = checks_state;
  return broken_in([&] { Mistaken(job.spec, mistake).run(); });
}

}  // namespace

TEST_CASE("a broken invariant names its words, the file, the actor, the time and the run") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    one_breaks(job);
    const std::string broken = broken_in([&] { job.run(engine, 7, 3); });
    INFO(engine_word(engine) << ": " << broken);
    CHECK(begins(broken, "two came (invariants_test.cpp:"));
    CHECK(ends(broken, "); actor 1, 2.1 s, seed 7, replication 3"));
  }
}

TEST_CASE("an invariant that holds does nothing, and one that does not has its place") {
  CHECK(broken_in([] { invariant(true, "never"); }).empty());
  const std::string here = std::to_string(__LINE__ + 1);
  const std::string broken = broken_in([] { invariant(false, "it broke"); });
  CHECK(broken == "it broke (invariants_test.cpp:" + here + ")");
}

TEST_CASE("what breaks after a violation is its consequence, and ends the run with it") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.script(Family::workload, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 0) context.compute(20);
      };
      handlers.compute_done = [](ScriptContext&, std::uint64_t) {
        invariant(false, "still at work");
      };
      return handlers;
    });
    job.script(Family::termination, [](ActorId self) {
      Handlers handlers;
      handlers.start = [self](ScriptContext& context) {
        if (self == 1) context.set_timer(1, 5);
      };
      handlers.timer = [](ScriptContext& context, std::uint64_t) { context.announce(); };
      return handlers;
    });
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::premature);
    CHECK(seen.violations() == Words{"premature", "broken-invariant"});
    REQUIRE(seen.result.violations.size() == 2);
    CHECK(seen.result.violations[1].actor == 0U);
    CHECK(begins(seen.result.violations[1].detail, "still at work ("));
  }
}

TEST_CASE("a counter of the engine that is wrong is found, where the state is checked") {
  CHECK(found_with(Mistake::none, true).empty());
  CHECK(begins(found_with(Mistake::foreground, true), "what keeps the run alive: "));
  CHECK(ends(found_with(Mistake::foreground, true), " s, seed 7, replication 3"));
  CHECK(begins(found_with(Mistake::nic, true),
               "messages that a NIC expects: 1 by the counter, 0 counted anew; "));
  CHECK(found_with(Mistake::nic, false).empty());
}

TEST_CASE("the queue visits every event that it has not handed out") {
  EventQueue queue;
  std::uint64_t order = 0;
  const auto push = [&](double time_s) {
    queue.push({.time_s = time_s, .order = ++order << Event::kKindBits, .message = nullptr});
  };
  const auto visited = [&queue] {
    std::size_t events = 0;
    queue.for_each([&events](const Event&) { ++events; });
    return events;
  };
  Stream random(1, 0, Purpose::workload, 0);
  for (int i = 0; i < 5000; ++i) push(random.uniform());
  bool equal = visited() == queue.size();
  while (!queue.empty()) {
    const double now_s = queue.pop().time_s;
    if (order < 20000) push(now_s + random.exponential(0.3));
    if (queue.size() % 97 == 0) equal = equal && visited() == queue.size();
  }
  CHECK(equal);
  CHECK(visited() == 0);
}

TEST_CASE("a run has the same result with its state checked and without") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors()) {
      const auto run = [&](bool checks_state) {
        Job job(8, quick_machine());
        job.spec.platform.processes_per_node = 2;
        job.workload("uniform-traffic", {{"hops", 20}}).detector(detector);
        if (find_registration(Family::termination, detector)->tolerates_faults()) {
          job.use(Family::failure_detection, "oracle");
          job.kill(3e-5, {5});
        }
        job.spec.checks_state = checks_state;
        return to_text(job.run(engine, 4));
      };
      INFO(engine_word(engine) << " " << detector);
      CHECK(run(true) == run(false));
    }
}

}  // namespace faultline::engine
