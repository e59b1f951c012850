// SPDX-License-Identifier: Apache-2.0

// Networks that delay each message by a random time.

#include <catch2/catch.hpp>

#include "sim/core/random.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

constexpr std::int64_t kMessages = 100;

/// Rank 0 sends numbered messages to rank 1 every `period_s`.
Seen run(const scenario::DelayNoise& noise, double period_s, scenario::EngineKind engine,
         const std::function<void(Job&)>& prepare = {}) {
  Job job(2);
  job.spec.platform.delay_noise = noise;
  if (prepare) prepare(job);
  job.script(Family::workload, [&job, period_s](ActorId self) {
    Handlers handlers;
    handlers.start = [=](ScriptContext& context) {
      for (std::int64_t i = 1; self == 0 && i <= kMessages; ++i)
        context.set_timer(static_cast<std::uint64_t>(i), period_s * static_cast<double>(i));
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t key) {
      context.send(1, 0, 0).payload.put(static_cast<std::int64_t>(key));
    };
    handlers.message = [&job](ScriptContext& context, const Message& message) {
      job.note(context, "got", message.payload.get<std::int64_t>());
    };
    return handlers;
  });
  return job.run(engine);
}

/// The random numbers that delay the messages of rank 0, with the seed that Job uses.
Stream delays() { return {1, 0, Purpose::delay_noise, 0}; }

}  // namespace

TEST_CASE("each message is delayed by a time that the law gives") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::DelayLaw law : {scenario::DelayLaw::exponential,
                                         scenario::DelayLaw::uniform, scenario::DelayLaw::pareto}) {
      const Seen seen = run({.law = law, .mean_s = 5, .shape = 3}, 1000, engine);
      Stream random = delays();
      Times expected_s;
      for (std::int64_t i = 1; i <= kMessages; ++i)
        expected_s.push_back(1000.0 * static_cast<double>(i) + 12 +
                             (law == scenario::DelayLaw::exponential ? random.exponential(5)
                              : law == scenario::DelayLaw::uniform   ? 10 * random.uniform()
                                                                     : random.pareto(5, 3)));
      CHECK(close(seen.times_s(1, "got"), expected_s, engine));
    }
}

TEST_CASE("each link of the route can have a delay of its own") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({.mean_s = 5, .per_hop = true}, 1000, engine);
    Stream random = delays();
    Times expected_s;
    for (std::int64_t i = 1; i <= kMessages; ++i) {
      expected_s.push_back(1000.0 * static_cast<double>(i) + 12);
      for (int hop = 0; hop < 2; ++hop) expected_s.back() += random.exponential(5);
    }
    CHECK(close(seen.times_s(1, "got"), expected_s, engine));
  }
}

TEST_CASE("delays keep the order of the messages between two processes") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({.mean_s = 20}, 1, engine);
    Stream random = delays();
    Times expected_s;
    Values order;
    double arrival_s = 0;
    double handled_s = 0;
    for (std::int64_t i = 1; i <= kMessages; ++i) {
      arrival_s = std::max(arrival_s, static_cast<double>(i) + 11 + random.exponential(20));
      handled_s = std::max(arrival_s, handled_s) + 1;
      expected_s.push_back(handled_s);
      order.push_back(i);
    }
    CHECK(seen.values(1, "got") == order);
    CHECK(close(seen.times_s(1, "got"), expected_s, engine));
  }
}

TEST_CASE("an unordered network lets delayed messages be overtaken") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({.mean_s = 20}, 1, engine, [](Job& job) {
      job.spec.platform.ordering = scenario::Ordering::unordered;
      job.spec.platform.unordered_delay_s = 0;
    });
    const Values got = seen.values(1, "got");
    CHECK(got.size() == kMessages);
    CHECK_FALSE(std::is_sorted(got.begin(), got.end()));
  }
}

TEST_CASE("messages within a node are not delayed") {
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = run({.mean_s = 20}, 1000, engine,
                          [](Job& job) { job.spec.platform.processes_per_node = 2; });
    Times expected_s;
    for (std::int64_t i = 1; i <= kMessages; ++i)
      expected_s.push_back(1000.0 * static_cast<double>(i) + 4);
    CHECK(close(seen.times_s(1, "got"), expected_s, engine));
  }
}

}  // namespace faultline::engine
