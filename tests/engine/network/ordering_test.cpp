// SPDX-License-Identifier: Apache-2.0

// In which order messages arrive: platform.ordering.

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

using Arrivals = std::map<std::pair<ActorId, ActorId>, std::vector<std::int64_t>>;

/// Ranks that send numbered messages of random sizes to random ranks, some at once and some when
/// timers fire; notes "got" with 1000 x sender + number at every receiver.
void random_senders(Job& job, std::uint32_t rounds) {
  job.script(Family::workload, [&job, rounds](ActorId) {
    const auto send_some = [numbers = std::map<Rank, std::int64_t>(), stream = Stream(),
                            rounds](ScriptContext& context) mutable {
      if (numbers.empty()) stream = Stream(99, 0, Purpose::workload, context.self());
      const std::uint64_t count = 1 + stream.below(4);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto to = static_cast<Rank>(stream.below(context.job().processes));
        const auto bytes = static_cast<std::uint32_t>(
            stream.chance(0.3) ? 0 : stream.below(stream.chance(0.2) ? 100000 : 300));
        context.send(to, 0, bytes).payload.put(std::int64_t{numbers[to]++});
      }
      if (rounds-- > 0) context.set_timer(1, stream.exponential(3e-6));
    };
    Handlers handlers;
    const auto shared = std::make_shared<std::decay_t<decltype(send_some)>>(send_some);
    handlers.start = [shared](ScriptContext& context) { (*shared)(context); };
    handlers.timer = [shared](ScriptContext& context, std::uint64_t) { (*shared)(context); };
    handlers.message = [&job](ScriptContext& context, const Message& message) {
      job.note(context, "got",
               1000 * std::int64_t{message.from} + message.payload.get<std::int64_t>());
    };
    return handlers;
  });
}

Arrivals arrivals(const Seen& seen) {
  Arrivals found;
  for (const Entry& entry : seen.log)
    found[{static_cast<ActorId>(entry.value / 1000), entry.actor}].push_back(entry.value % 1000);
  return found;
}

std::size_t pairs_out_of_order(const Arrivals& found) {
  return static_cast<std::size_t>(std::count_if(found.begin(), found.end(), [](const auto& pair) {
    return !std::is_sorted(pair.second.begin(), pair.second.end());
  }));
}

platform::Machine random_machine(Stream& random) {
  platform::Machine machine = quick_machine();
  const auto up_to = [&random](double most) {
    return random.chance(0.3) ? 0.0 : most * random.uniform();
  };
  machine.send_overhead_s = up_to(2e-6);
  machine.receive_overhead_s = up_to(2e-6);
  machine.gap_s = up_to(1e-6);
  machine.nic_latency_s = up_to(5e-6);
  machine.local_latency_s = up_to(5e-7);
  machine.nic_bandwidth_Bps = 1e8 + 1e10 * random.uniform();
  machine.link_bandwidth_Bps = 1e8 + 1e10 * random.uniform();
  return machine;
}

}  // namespace

TEST_CASE("fifo keeps the order of every ordered pair whatever sizes and costs are") {
  Stream random(4, 0, Purpose::workload, 0);
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t run = 0; run < sample_of(60, engine); ++run) {
      Job job(6, random_machine(random));
      job.spec.platform.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(3));
      random_senders(job, 20);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << " run " << run);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(static_cast<double>(seen.count("got")) == seen.metric("application_messages"));
      CHECK(pairs_out_of_order(arrivals(seen)) == 0);
    }
}

TEST_CASE("unordered really reorders, loses nothing, and does so the same way for the same seed") {
  for (const scenario::EngineKind engine : engines()) {
    const auto run = [engine](std::uint64_t seed, std::uint64_t replication) {
      Job job(6, quick_machine());
      job.spec.platform.ordering = scenario::Ordering::unordered;
      random_senders(job, 20);
      return job.run(engine, seed, replication);
    };
    const Seen seen = run(1, 0);
    CHECK(pairs_out_of_order(arrivals(seen)) > 10);
    CHECK(static_cast<double>(seen.count("got")) == seen.metric("application_messages"));
    CHECK(seen.violations().empty());
    CHECK(run(1, 0).log == seen.log);
    CHECK_FALSE(run(2, 0).log == seen.log);
    CHECK_FALSE(run(1, 1).log == seen.log);
  }
}

TEST_CASE("the noise of unordered messages has the mean that was asked for") {
  Job job(2);
  job.spec.platform.ordering = scenario::Ordering::unordered;
  job.spec.platform.unordered_delay_s = 5;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.workload("ping-pong", {{"repetitions", 2000}, {"bytes", 0}});
  // 4000 exponential delays of mean 5 have a mean within 4 x 5/sqrt(4000).
  CHECK(job.run().metric("half_round_trip_s") == Approx(12 + 5).margin(4 * 5 / 63.2));
}

}  // namespace faultline::engine
