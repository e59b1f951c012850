// SPDX-License-Identifier: Apache-2.0

// oracle: every live rank hears of each death after exactly delay_s, and never of a live one.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/job.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

/// DrawnDeaths of ranks and nodes at random times.
struct DrawnDeaths {
  explicit DrawnDeaths(std::uint64_t seed) : random(seed, 0, Purpose::faults, 0) {}

  void strike(Job& job, int count) {
    const std::uint32_t processes = job.spec.platform.processes;
    const std::uint32_t per_node = job.spec.platform.processes_per_node;
    for (int i = 0; i < count; ++i) {
      const double time_s = 100 * random.uniform();
      if (random.chance(0.7)) {
        const auto rank = static_cast<Rank>(random.below(processes));
        job.kill(time_s, {rank});
        note(rank, time_s);
      } else {
        const auto node = static_cast<NodeId>(random.below((processes - 1) / per_node + 1));
        job.kill(time_s, {}, {node});
        note(processes + node, time_s);
        for (Rank rank = node * per_node; rank < std::min((node + 1) * per_node, processes); ++rank)
          note(rank, time_s);
      }
    }
  }

  /// An actor dies once, at the first of its deaths.
  void note(ActorId actor, double time_s) {
    const auto [death, is_first] = dead.emplace(actor, time_s);
    if (!is_first) death->second = std::min(death->second, time_s);
  }

  Stream random;
  std::map<ActorId, double> dead;
};

using Word = std::pair<ActorId, double>;  ///< of whose death, heard when

/// What a rank must hear.
std::vector<Word> due_words(const DrawnDeaths& deaths, Rank rank, double delay_s) {
  const auto own = deaths.dead.find(rank);
  const double death_s = own == deaths.dead.end() ? kNever : own->second;
  std::vector<Word> due;
  for (const auto& [actor, time_s] : deaths.dead)
    if (time_s + delay_s < death_s) due.emplace_back(actor, time_s + delay_s);
  return due;
}

std::vector<Word> words_heard(const Seen& seen, Rank rank) {
  const auto actors = seen.values(rank, "failed");
  const auto times_s = seen.times_s(rank, "failed");
  std::vector<Word> heard;
  for (std::size_t i = 0; i < actors.size(); ++i)
    heard.emplace_back(static_cast<ActorId>(actors[i]), times_s[i]);
  std::sort(heard.begin(), heard.end());
  return heard;
}

}  // namespace

TEST_CASE("oracle in random faults: each live rank hears of each death once, after its delay") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(200, engine); ++seed) {
      DrawnDeaths deaths(seed);
      Job job(2 + static_cast<std::uint32_t>(deaths.random.below(15)));
      job.spec.platform.processes_per_node = 1 + static_cast<std::uint32_t>(deaths.random.below(4));
      const double delay_s = deaths.random.chance(0.2) ? 0.0 : 30 * deaths.random.uniform();
      deaths.strike(job, static_cast<int>(deaths.random.below(8)));
      job.script(Family::workload, [&job](ActorId) {
        return Handlers{.peer_failed = [&job](ScriptContext& context, Incarnation peer) {
          job.note(context, "failed", peer.actor);
        }};
      });
      job.use(Family::failure_detection, "oracle", {{"delay_s", delay_s}});
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 200;
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", seed " << seed << ", delay " << delay_s);
      for (Rank rank = 0; rank < job.spec.platform.processes; ++rank) {
        const auto due = due_words(deaths, rank, delay_s);
        const auto heard = words_heard(seen, rank);
        REQUIRE(heard.size() == due.size());
        for (std::size_t i = 0; i < due.size(); ++i) {
          CHECK(heard[i].first == due[i].first);
          CHECK(heard[i].second == Approx(due[i].second).epsilon(time_tolerance(engine)).margin(0));
        }
      }
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("oracle without faults says nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(5);
    job.workload("uniform-traffic", {{"tokens", 4}, {"hops", 20}});
    job.use(Family::failure_detection, "oracle");
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("detection_messages") == 0);
    CHECK(seen.violations().empty());
  }
}

}  // namespace faultline::failure_detection
