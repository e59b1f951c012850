// SPDX-License-Identifier: Apache-2.0

// ulfm: the ring and the broadcast among ranks, links to ranks of the same node, and false reports.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "tests/protocols/failure_detection/detector_runs.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr double kUlfmPeriod_s = 0.01;
constexpr double kTimeout_s = 0.025;
constexpr double kTick_s = kUlfmPeriod_s / 10;
constexpr double kLinkLost_s = 1e-3;
/// Far above the time of a few messages on quick_machine, far below a tick.
constexpr double kFewMessages_s = 1e-4;

struct Ranks : Job {
  Ranks(std::uint32_t ranks, std::uint32_t per_node, const OptionValues& changes = {})
      : Job(ranks, quick_machine(64)) {
    spec.platform.processes_per_node = per_node;
    spec.platform.link_lost_delay_s = kLinkLost_s;
    note_deaths(*this);
    OptionValues values{{"heartbeat_period_s", kUlfmPeriod_s}, {"timeout_s", kTimeout_s}};
    for (const auto& [name, value] : changes) values[name] = value;
    use(Family::failure_detection, "ulfm", values);
  }
};

bool told_once(const Ranks& job, const Seen& seen, const std::vector<Rank>& dead) {
  const auto died = [&](Rank rank) {
    return std::find(dead.begin(), dead.end(), rank) != dead.end();
  };
  for (Rank rank = 0; rank < job.spec.platform.processes; ++rank)
    for (Rank other = 0; other < job.spec.platform.processes && !died(rank); ++other)
      if (times_told(seen, rank, other) != (died(other) ? 1 : 0)) return false;
  return true;
}

}  // namespace

// A heartbeat leaves 0.9 periods after the last one. As built, a deadline is found by the next
// tick.
TEST_CASE("ulfm: a death is found from eta - 0.9 delta to eta after it, or a tick later as built") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(40, engine); ++seed) {
      Stream random(seed, 0, Purpose::faults, 0);
      const bool as_built = seed % 2 == 0;
      Ranks job(3 + static_cast<std::uint32_t>(random.below(12)), 1, {{"as_built", as_built}});
      const auto dead = static_cast<Rank>(random.below(job.spec.platform.processes));
      const double death_s = 0.02 + 0.1 * random.uniform();
      job.kill(death_s, {dead});
      stop_at(job, death_s + 3 * kTimeout_s);
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(told_once(job, seen, {dead}));
      const Times told = told_s(seen, dead);
      REQUIRE(!told.empty());
      CHECK(told.front() > death_s + kTimeout_s - kUlfmPeriod_s);
      CHECK(told.front() <= death_s + kTimeout_s + (as_built ? kTick_s : 0.0) + kFewMessages_s);
      CHECK(told.back() <= told.front() + kFewMessages_s);
      CHECK(seen.metric("false_reports") == 0);
      CHECK(seen.violations().empty());
    }
}

// 2 eta are a whole number of looks at the clock, whose times have rounding errors.
TEST_CASE("ulfm: the next neighbour is found after 2 eta whenever the two have died") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const double death_s = 0.1 * std::pow(1.11, static_cast<double>(seed));
    Ranks job(5, 1, {{"as_built", seed % 2 == 0}});
    job.kill(death_s, {2, 3});
    stop_at(job, death_s + 0.2);
    const Seen seen = job.run(scenario::EngineKind::loggp, seed);
    INFO(death_s);
    REQUIRE(told_once(job, seen, {2, 3}));
    const double later_s = told_s(seen, 2).front() - told_s(seen, 3).front();
    CHECK(later_s >= 2 * kTimeout_s - kFewMessages_s);
    CHECK(later_s <= 2 * kTimeout_s + kFewMessages_s);
  }
}

TEST_CASE("ulfm: the ranks of a node see each other die at once, unless they hold no links") {
  for (const scenario::EngineKind engine : engines())
    for (const bool in_band : {true, false}) {
      Ranks job(12, 4, {{"in_band", in_band}});
      job.kill(0.05, {5});
      stop_at(job, 0.2);
      const Seen seen = job.run(engine);
      CHECK(told_once(job, seen, {5}));
      const Times told = told_s(seen, 5);
      if (in_band) {
        CHECK(told.front() == Approx(0.05 + kLinkLost_s).margin(1e-9));
        CHECK(told.back() <= 0.05 + kLinkLost_s + kFewMessages_s);
      } else {
        CHECK(told.front() > 0.05 + kTimeout_s - kUlfmPeriod_s);
      }
    }
}

// By hand: 8 ranks have neighbours at +-1, 2, 4, which are 5. All 7 live ranks know of rank 5 when
// they pass the report on, and leave it out. For 4 and 6, which lie next to it, the next one behind
// it takes its place: of 4 that is 6, its neighbour at distance 2 already, and so the other way
// round. So 1, 3, 7, which are at distance 2 or 4 of it, send 4 reports; 2 and 0 are no neighbours
// of it and send 5; 4 and 6 send 5, two of them to one rank. The observer tells the suspect.
TEST_CASE("ulfm: reports leave out the dead, and go round the dead next to a rank") {
  for (const scenario::EngineKind engine : engines()) {
    Ranks job(8, 1);
    job.kill(0.05, {5});
    stop_at(job, 0.2);
    const Seen seen = job.run(engine);
    CHECK(messages(seen, "report") == 3 * 4 + 2 * 5 + 2 * 5 + 1);
    CHECK(messages(seen, "heartbeat-request") == 1);
  }
}

// Each further rank of the node has two timeouts, from the request on.
TEST_CASE("ulfm: the ranks of a dead node are found one after the other where they are placed so") {
  for (const scenario::EngineKind engine : engines())
    for (const scenario::Mapping mapping :
         {scenario::Mapping::block, scenario::Mapping::round_robin}) {
      Ranks job(12, 3);
      job.spec.platform.mapping = mapping;
      job.kill(0.05, {}, {1});
      stop_at(job, 1);
      const Seen seen = job.run(engine);
      const bool in_blocks = mapping == scenario::Mapping::block;
      const std::vector<Rank> dead =
          in_blocks ? std::vector<Rank>{3, 4, 5} : std::vector<Rank>{1, 5, 9};
      INFO(engine_word(engine) << (in_blocks ? ", block" : ", round-robin"));
      for (Rank rank = 0; rank < 12; ++rank)
        if (std::find(dead.begin(), dead.end(), rank) == dead.end())
          for (const Rank other : dead) CHECK(times_told(seen, rank, other) == 1);
      const double last_s = std::max(told_s(seen, dead[0]).back(), told_s(seen, dead[2]).back());
      if (in_blocks) {
        for (const Rank rank : {3U, 4U}) {
          const double later_s = told_s(seen, rank).front() - told_s(seen, rank + 1).front();
          CHECK(later_s >= 2 * kTimeout_s - kFewMessages_s);
          CHECK(later_s <= 2 * kTimeout_s + kFewMessages_s);
        }
      } else {
        CHECK(last_s <= 0.05 + kTimeout_s + kFewMessages_s);
      }
    }
}

namespace {

/// A rank that does not run from 0.05 s on for a while: its loop gets all timers late, and what has
/// come meanwhile is handled after the first of them.
class Paused final : public PassThrough<Paused, Detector> {
 public:
  Paused(std::unique_ptr<Component> inner, Rank who, double pause_s)
      : PassThrough<Paused, Detector>(std::move(inner)), who_(who), pause_s_(pause_s) {}
  void start(DetectorContext& context) override {
    this->inner().random = random;  // the phase of its heartbeats
    Forwarding<Detector>::start(context);
  }
  void on_timer(DetectorContext& context, std::uint64_t key) override {
    if (context.self() == who_ && is_paused(context)) {
      context.set_timer(key, kPauseBegin_s + pause_s_ - context.now_s(), true);
      return;
    }
    Forwarding<Detector>::on_timer(context, key);
    if (context.now_s() < kPauseBegin_s + pause_s_) return;
    for (const Message& message : waiting_) Forwarding<Detector>::on_message(context, message);
    waiting_.clear();
  }
  void on_message(DetectorContext& context, const Message& message) override {
    if (context.self() == who_ && is_paused(context))
      waiting_.push_back(message);
    else
      Forwarding<Detector>::on_message(context, message);
  }

 private:
  static constexpr double kPauseBegin_s = 0.05;
  [[nodiscard]] bool is_paused(const DetectorContext& context) const {
    const double now_s = context.now_s();
    return now_s >= kPauseBegin_s && now_s < kPauseBegin_s + pause_s_ - 1e-9;
  }

  Rank who_;
  double pause_s_;
  std::vector<Message> waiting_;
};

}  // namespace

// The pause is a little shorter than the timeout. So the paused rank finds its emitter overdue if
// it had heard of it some time before the pause, and is not itself overdue if it had sent a
// heartbeat just before.
TEST_CASE("ulfm: a rank that did not run for a while blames itself by the late-loop rule") {
  for (const scenario::EngineKind engine : engines())
    for (const bool rule : {true, false}) {
      int wrongly = 0;
      double late_looks = 0;
      for (std::uint64_t seed = 1; seed <= sample_of(100, engine); ++seed) {
        Ranks job(5, 1,
                  {{"late_loop_rule", rule}, {"timeout_s", 0.021}, {"as_built", seed % 2 == 0}});
        Registration paused;
        make_mistaken<Paused>(job.spec, Family::failure_detection, paused, Rank{2}, 0.0185);
        stop_at(job, 0.15);
        const Seen seen = job.run(engine, seed);
        // Rank 3 may suspect rank 2, which has paused; rank 2 must not suspect rank 1.
        wrongly += times_told(seen, 0, 1) > 0 ? 1 : 0;
        late_looks += seen.metric("late_looks");
      }
      INFO(engine_word(engine));
      CHECK((wrongly > 0) == !rule);
      CHECK((late_looks > 0) == rule);
    }
}

TEST_CASE("ulfm: a rank that is declared dead while it lives stops") {
  for (const scenario::EngineKind engine : engines()) {
    Ranks job(6, 1);
    Registration paused;
    make_mistaken<Paused>(job.spec, Family::failure_detection, paused, Rank{2}, 0.04);
    stop_at(job, 0.3);
    const Seen seen = job.run(engine);
    CHECK(told_once(job, seen, {2}));
    CHECK(seen.metric("false_reports") == 1);
    CHECK(seen.metric("failed_ranks") == 1);
    CHECK(seen.violations().empty());
  }
}

TEST_CASE("ulfm: a rank acts on a report after its delay") {
  constexpr double kDelay_s = 2e-4;
  for (const scenario::EngineKind engine : engines()) {
    Ranks job(16, 16, {{"message_delay_s", kDelay_s}, {"in_band", true}});
    // All ranks of the node see it themselves: no report is waited for.
    job.kill(0.05, {4});
    stop_at(job, 0.1);
    CHECK(told_s(job.run(engine), 4).back() == Approx(0.05 + kLinkLost_s).margin(1e-9));

    Ranks spread(16, 1, {{"message_delay_s", kDelay_s}});
    spread.kill(0.05, {4});
    stop_at(spread, 0.1);
    const Times told = told_s(spread.run(engine), 4);
    REQUIRE(told.size() == 15);
    // 16 ranks: nobody is more than two hops away from another.
    CHECK(told[1] - told[0] >= kDelay_s);
    CHECK(told.back() - told.front() == Approx(2 * kDelay_s).margin(kFewMessages_s));
  }
}

// Rank 4 sees rank 5 die, and has it started again. Its second life tells rank 0, which observes
// it, that it lives, before rank 0 acts on the report. Once rank 0 waited for its heartbeats then,
// and took the second life for dead.
TEST_CASE("ulfm: a rank that lives again before its death is told has left the ring") {
  for (const scenario::EngineKind engine : engines()) {
    Ranks job(6, 2, {{"message_delay_s", 1e-3}});
    job.script(Family::workload, [&job](ActorId self) {
      return Handlers{.start =
                          [](ScriptContext& context) {
                            if (context.incarnation() > 0)
                              context.send((context.self() + 1) % 6, 0, 8);
                          },
                      .message = [](ScriptContext&, const Message&) {},
                      .peer_failed =
                          [&job, self](ScriptContext& context, Incarnation peer) {
                            job.note(context, "failed", peer.actor);
                            if (self == 4 && peer.actor == 5)
                              context.restart(peer, RestartOn::same_node);
                          }};
    });
    job.kill(0.1, {5}).kill(0.3, {4});
    stop_at(job, 0.5);
    const Seen seen = job.run(engine);
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("missed_reports") == 0);
    CHECK(told_s(seen, 5).size() == 5);  // by all others; not by itself in its second life
    CHECK(told_s(seen, 4).size() == 5);
  }
}

TEST_CASE("ulfm: all live ranks hear once of random deaths") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(80, engine); ++seed) {
      Stream random(seed, 1, Purpose::faults, 0);
      const auto ranks = 4 + static_cast<std::uint32_t>(random.below(13));
      Ranks job(
          ranks, 1 + static_cast<std::uint32_t>(random.below(3)),
          {{"message_delay_s", random.chance(0.5) ? 0.0 : 1e-3}, {"in_band", random.chance(0.5)}});
      const std::uint64_t deaths = 1 + random.below(3);
      for (std::uint64_t death = 0; death < deaths; ++death)
        job.kill(0.02 + 0.1 * random.uniform(), {static_cast<Rank>(random.below(ranks))});
      job.spec.stop.when = scenario::StopWhen::all_reported;
      job.spec.stop.time_s = 5;
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("false_reports") == 0);
      CHECK(seen.metric("missed_reports") == 0);
      CHECK(seen.violations().empty());
      for (Rank rank = 0; rank < ranks; ++rank) {
        Values told = seen.values(rank, "failed");
        std::sort(told.begin(), told.end());
        CHECK(std::adjacent_find(told.begin(), told.end()) == told.end());
      }
    }
}

TEST_CASE("ulfm: the state of a rank is what it has reported and its place in the ring") {
  constexpr std::uint16_t kReport = kAfterRing;
  // Otherwise the times are those of its timers.
  Alone one(Family::failure_detection, "ulfm", job_of(8), 3, {{"as_built", true}});
  one.start();
  const StateDigest fresh = one.digest();
  one.gets(2, kReport, Incarnation{6, 0});
  const StateDigest told = one.digest();
  CHECK(told != fresh);
  one.gets(4, kReport, Incarnation{6, 0});
  CHECK(one.digest() == told);
  one.at(1).gets(2, kHeartbeat, 0);
  CHECK(one.digest() != told);  // it will wait longer
}

}  // namespace faultline::failure_detection
