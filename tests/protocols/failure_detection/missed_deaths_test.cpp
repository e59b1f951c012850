// SPDX-License-Identifier: Apache-2.0

// Detectors are held to the bound that each of them states: a death that a live rank does not know
// after it is the outcome missed-death.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/protocols/failure_detection/detector_runs.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;
using Catch::Matchers::Contains;

namespace {

constexpr double kWatchPeriod_s = 0.01;
constexpr double kWatchTimeout_s = 2.5 * kWatchPeriod_s;

/// Rank 2 dies, is started again, and dies again.
Job& dies_twice(Job& job, bool rejoin) {
  job.script(Family::workload, [](ActorId) {
    return Handlers{.peer_failed = [](ScriptContext& context, Incarnation peer) {
      if (context.self() == 0 && peer == Incarnation{2, 0})
        context.restart(peer, RestartOn::same_node);
    }};
  });
  job.use(
      Family::failure_detection, "ulfm",
      {{"heartbeat_period_s", kWatchPeriod_s}, {"timeout_s", kWatchTimeout_s}, {"rejoin", rejoin}});
  job.kill(1.0, {2}).kill(2.0, {2});
  return job;
}

/// A rank that does not listen to its detector's messages.
class Deaf final : public PassThrough<Deaf, Detector> {
 public:
  Deaf(std::unique_ptr<Component> inner, Rank who)
      : PassThrough<Deaf, Detector>(std::move(inner)), who_(who) {}
  void on_message(DetectorContext& context, const Message& message) override {
    if (context.self() != who_) Forwarding<Detector>::on_message(context, message);
  }

 private:
  Rank who_;
};

const audit::Violation* missed_death(const Seen& seen) {
  const auto& all = seen.result.violations;
  const auto found = std::find_if(all.begin(), all.end(), [](const audit::Violation& violation) {
    return violation.kind == "missed-death";
  });
  return found == all.end() ? nullptr : &*found;
}

DetectionBound bound_of(const std::string& name, const OptionValues& changes,
                        const DetectionCase& death) {
  const Registration* found = find_registration(Family::failure_detection, name);
  REQUIRE(found != nullptr);
  OptionValues options;
  for (const OptionSpec& option : found->options) options[option.name] = option.default_value;
  for (const auto& [option, value] : changes) options[option] = value;
  return found->as<DetectorTraits>().bound(options, death);
}

/// A death in a job of 16 nodes with one process each, where a message costs 10 us and takes 1 ms
/// at the most.
DetectionCase one_of_16() {
  DetectionCase death;
  death.job.processes = 16;
  death.job.nodes = 16;
  death.message.each_s = 1e-5;
  death.local_exit_s = 0.5;
  death.link_lost_s = 0.25;
  death.silent_link_lost_s = 480;
  return death;
}

/// Detectors with settings under which each watches for every death here.
std::vector<std::pair<std::string, OptionValues>> settings() {
  const OptionValues ring{{"heartbeat_period_s", kWatchPeriod_s}, {"timeout_s", kWatchTimeout_s}};
  const auto with = [](OptionValues options, const std::string& name, const OptionValue& value) {
    options[name] = value;
    return options;
  };
  const auto gossip = [](const std::string& members) {
    return OptionValues{{"members", members},
                        {"heartbeat_period_s", kWatchPeriod_s},
                        {"gossip_period_s", kWatchPeriod_s},
                        {"push_pull_period_s", 0.1}};
  };
  return {{"oracle", {{"delay_s", 0.1}, {"spread_s", 0.1}}},
          {"rdaemon", ring},
          {"rdaemon", with(ring, "rejoin", false)},
          {"rdaemon", with(ring, "feed_from_broadcast", false)},
          {"ulfm", ring},
          {"ulfm", with(ring, "rejoin", false)},
          {"ulfm", with(ring, "as_built", true)},
          {"ulfm", with(ring, "in_band", false)},
          {"swim", gossip("ranks")},
          {"swim", gossip("daemons")},
          {"connection-loss", {{"members", std::string("ranks")}}},
          {"connection-loss", {{"members", std::string("daemons")}}}};
}

}  // namespace

TEST_CASE("a death that nobody watches for is missed, and the detector is named") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine(64));
    stop_at(dies_twice(job, false), 100);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::missed_death);
    const audit::Violation* missed = missed_death(seen);
    REQUIRE(missed != nullptr);
    CHECK_THAT(missed->detail,
               Contains("ulfm has missed a death: rank 2, started again once, died at 2 s") &&
                   Contains("rank 0 and 4 more do not know") &&
                   Contains("has no place in the ring"));

    Job rejoined(6, quick_machine(64));
    stop_at(dies_twice(rejoined, true), 100);
    CHECK(rejoined.run(engine).result.outcome == engine::Outcome::finished);
  }
}

TEST_CASE("a death is missed only after twice the bound, and not where messages are lost") {
  for (const bool loses : {false, true})
    for (const double end_s : {2.1, 100.0}) {
      Job job(6, quick_machine(64));
      stop_at(dies_twice(job, false), end_s);
      if (loses) job.spec.platform.detection_loss_probability = 1e-9;
      const bool is_judged = !loses && end_s > 50;
      CHECK((missed_death(job.run(scenario::EngineKind::loggp)) != nullptr) == is_judged);
    }
}

// The first rank that would hear tells all others; or the third one would pass the word on.
TEST_CASE("a death is not missed while word of it waits for a processor that is busy") {
  const auto run = [](std::int64_t radix, Rank busy, Rank victim, double end_s) {
    Job job(6, quick_machine(64));
    job.script(Family::workload, [busy](ActorId self) {
      return Handlers{.start = [self, busy](ScriptContext& context) {
        if (self == busy) context.spend(300);
      }};
    });
    job.use(Family::failure_detection, "connection-loss",
            {{"members", std::string("ranks")}, {"radix", radix}});
    job.kill(1.0, {victim});
    stop_at(job, end_s);
    return job.run(scenario::EngineKind::loggp).result.outcome;
  };
  for (const double end_s : {100.0, 1000.0}) {
    CHECK(run(30, 0, 3, end_s) == engine::Outcome::finished);
    CHECK(run(1, 3, 5, end_s) == engine::Outcome::finished);
  }
}

TEST_CASE("a run in which all wait for a missed death ends when the bound has passed") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6, quick_machine(64));
    dies_twice(job, false);
    job.spec.stop.when = scenario::StopWhen::finished;
    job.spec.stop.time_s = 1000;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::missed_death);
    CHECK(seen.violations().back() == "missed-death");
    CHECK(seen.metric("end_time_s") > 2 + 2 * kWatchTimeout_s);
    CHECK(seen.metric("end_time_s") < 20);
  }
}

TEST_CASE("where all wait for word that the detector does not promise, the violation says so") {
  for (const scenario::EngineKind engine : engines())
    for (const bool is_told : {false, true}) {
      // As PRRTE builds it, one of two daemons tells nobody.
      Job job(2, quick_machine(64));
      job.script(Family::workload, [](ActorId) { return Handlers{}; });
      job.use(Family::failure_detection, "rdaemon",
              {{"heartbeat_period_s", kWatchPeriod_s},
               {"timeout_s", kWatchTimeout_s},
               {"broadcast", std::string(is_told ? "bmg" : "prrte-as-built")}});
      job.kill(1.0, {1});
      job.spec.stop.when = scenario::StopWhen::finished;
      job.spec.stop.time_s = 1000;
      const Seen seen = job.run(engine);
      INFO(is_told);
      CHECK(seen.result.outcome ==
            (is_told ? engine::Outcome::deadlock : engine::Outcome::missed_death));
      REQUIRE_FALSE(seen.result.violations.empty());
      const audit::Violation& last = seen.result.violations.back();
      CHECK(last.kind == (is_told ? "deadlock" : "unheard-death"));
      if (!is_told)
        CHECK_THAT(last.detail, Contains("rdaemon has missed a death: rank 1 died at 1 s; rank 0 "
                                         "does not know, and it promises nothing: not every "));
    }
}

// Rank 4 stalls before: for less than the detector bears, or until it is held for dead, and then
// nobody tells it anything. Nor does a report that is false give rank 2 a place in the ring.
TEST_CASE("a death that nobody watches is to blame whatever happened before, where all wait") {
  for (const scenario::EngineKind engine : engines())
    for (const double stall_s : {kWatchTimeout_s / 5, 4 * kWatchTimeout_s}) {
      Job job(6, quick_machine(64));
      dies_twice(job, false);
      faults::FaultSpec stall;
      stall.time_s = 0.5;
      stall.ranks = {4};
      stall.stall_s = stall_s;
      job.spec.faults.push_back(stall);
      job.spec.stop.when = scenario::StopWhen::finished;
      job.spec.stop.time_s = 1000;
      const Seen seen = job.run(engine);
      const bool misleads = stall_s > kWatchTimeout_s;
      CAPTURE(engine_word(engine), stall_s);
      CHECK((seen.metric("false_reports") > 0) == misleads);
      CHECK(seen.result.outcome == engine::Outcome::missed_death);
      REQUIRE_FALSE(seen.result.violations.empty());
      const audit::Violation& last = seen.result.violations.back();
      CHECK(last.kind == "unheard-death");
      CHECK_THAT(last.detail,
                 Contains("ulfm has missed a death: rank 2, started again once, died at 2 s; "
                          "rank 0 and ") &&
                     Contains(misleads ? "3 more do not know" : "4 more do not know") &&
                     Contains("it promises nothing: a process that is started again has no place"));
    }
}

TEST_CASE("a loss without end keeps a run going to its limit, whatever the bound is") {
  Job job(6, quick_machine(64));
  dies_twice(job, false);
  job.spec.platform.detection_loss_probability = 1e-9;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.spec.stop.time_s = 50;
  CHECK(job.run().metric("end_time_s") == 50);
}

TEST_CASE("a rank that is never told of a death is named, however the run ends") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8, quick_machine(64));
    note_deaths(job);
    job.use(Family::failure_detection, "connection-loss",
            {{"members", std::string("ranks")}, {"radix", std::int64_t{1}}});
    job.spec.platform.silent_link_lost_delay_s = 0.1;
    Registration deaf;
    make_mistaken<Deaf>(job.spec, Family::failure_detection, deaf, Rank{5});
    job.kill(1.0, {1});
    stop_at(job, 100);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::missed_death);
    REQUIRE(missed_death(seen) != nullptr);
    CHECK(missed_death(seen)->actor == ActorId{5});
    CHECK_THAT(missed_death(seen)->detail,
               Contains("connection-loss has missed a death: rank 1 died at 1 s") &&
                   Contains("rank 5 and"));
  }
}

TEST_CASE("each detector tells all of deaths within its bound, of ranks, daemons and nodes") {
  for (const scenario::EngineKind engine : engines())
    for (const auto& [name, options] : settings())
      for (int victims = 0; victims < 4; ++victims) {
        CAPTURE(engine_word(engine), name, victims);
        const bool is_slow = engine == scenario::EngineKind::simgrid;
        if (is_slow && victims != 1) continue;
        Job job(12, quick_machine(64));
        note_deaths(job);
        job.spec.platform.processes_per_node = 2;
        job.spec.platform.silent_link_lost_delay_s = 0.1;
        job.use(Family::failure_detection, name, options);
        if (victims == 0) job.kill(1.0, {3});
        if (victims == 1) job.kill(1.0, {}, {2});
        if (victims == 2) job.kill(1.0, {}, {}, {2});
        if (victims == 3) job.kill(1.0, {3}).kill(1.0005, {}, {1});  // its daemon has told nobody
        stop_at(job, is_slow ? 4 : 40);
        const Seen seen = job.run(engine);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("missed_reports") == 0);
      }
}

TEST_CASE("the resource manager's notices have no other bound than their delay") {
  CHECK(bound_of("oracle", {{"delay_s", 2.0}, {"spread_s", 1.0}}, one_of_16()).within_s == 3.0);
  CHECK(bound_of("erring-oracle", {{"delay_s", 2.0}}, one_of_16()).within_s == 2.0);
}

TEST_CASE("a ring finds a death within three deadlines, and a report needs its hops") {
  const OptionValues ring{{"heartbeat_period_s", 1.0}, {"timeout_s", 2.0}};
  DetectionCase death = one_of_16();
  // A deadline takes 2 + 1 s and a message. Two reports of seven neighbours and to one rank, twice
  // 10 us each, make a hop 1.32 ms; 12 hops over 16 nodes, and one to the ranks.
  CHECK(bound_of("rdaemon", ring, death).within_s ==
        Approx(0.5 + 3 * 3.001 + 13 * 1.32e-3).epsilon(1e-9));
  death.with_daemon = false;
  CHECK(bound_of("rdaemon", ring, death).within_s == Approx(0.5 + 13 * 1.32e-3).epsilon(1e-9));
  death.with_daemon = true;
  death.dead_nodes = 3;  // a report may go through all 16, and four reports make a hop 1.64 ms
  CHECK(bound_of("rdaemon", ring, death).within_s ==
        Approx(0.5 + 9 * 3.001 + 17 * 1.64e-3).epsilon(1e-9));
  CHECK(bound_of("rdaemon", ring, death).unpromised.empty());
  OptionValues alone = ring;
  alone["feed_from_broadcast"] = false;
  CHECK(bound_of("rdaemon", alone, death).within_s ==
        Approx(0.5 + 27 * 3.001 + 17 * 1.64e-3).epsilon(1e-9));
  death.dead_nodes = 7;  // as many as a daemon has neighbours
  CHECK_FALSE(bound_of("rdaemon", ring, death).unpromised.empty());

  // A deadline takes twice the timeout and a period. At the start there are 2 + 1 + ln 16 s more.
  CHECK(bound_of("ulfm", ring, one_of_16()).within_s ==
        Approx(5.772588722 + 3 * 5.001 + 13 * 1.14e-3).epsilon(1e-9));
}

TEST_CASE("a member of swim probes each other one, and hears of what it does not probe") {
  const OptionValues plain{{"heartbeat_period_s", 1.0}, {"lifeguard", false}};
  DetectionCase death = one_of_16();
  death.job.processes = death.job.nodes = 10;
  // Twice 20 probes and a suspicion of 4 s; then the report.
  CHECK(bound_of("swim", plain, death).within_s == Approx(48 + 0.5 + 2e-3).epsilon(1e-9));
  // With Lifeguard each probe can take 8 s, and the suspicion 24.
  CHECK(bound_of("swim", {{"heartbeat_period_s", 1.0}}, death).within_s ==
        Approx(2 * (160 + 24) + 0.5 + 2e-3).epsilon(1e-9));
  death.process_life = 1;  // which others first have to hear of
  CHECK(bound_of("swim", plain, death).within_s ==
        Approx(48 + 0.5 + 2e-3 + 40 * 30.001).epsilon(1e-9));
  const OptionValues without{{"push_pull_period_s", OptionValue()}};
  CHECK_FALSE(bound_of("swim", without, death).unpromised.empty());
  death.process_life = 0;
  CHECK(bound_of("swim", without, death).unpromised.empty());
  death.with_daemon = false;
  CHECK_FALSE(bound_of("swim",
                       {{"members", std::string("daemons")}, {"push_pull_period_s", OptionValue()}},
                       death)
                  .unpromised.empty());
  CHECK_FALSE(bound_of("swim", {{"answer_timeout_s", 1e-3}}, death).unpromised.empty());
}

TEST_CASE("a connection breaks for each of the dead, and reports go along the tree") {
  // 34 copies of a report at 20 us make a hop 1.68 ms.
  DetectionCase death = one_of_16();
  CHECK(bound_of("connection-loss", {}, death).within_s ==
        Approx(2 * 480 + 32 * 1.68e-3).epsilon(1e-9));
  death.silent = false;
  CHECK(bound_of("connection-loss", {}, death).within_s ==
        Approx(2 * 0.5 + 32 * 1.68e-3).epsilon(1e-9));
}

TEST_CASE("a later life has no place in a ring as published, and a busy detector has no bound") {
  const OptionValues ring{{"heartbeat_period_s", 1.0}, {"timeout_s", 2.0}};
  DetectionCase death = one_of_16();
  death.process_life = 1;
  CHECK(bound_of("ulfm", ring, death).unwatched.empty());
  for (const char* option : {"rejoin", "as_built"}) {
    OptionValues published = ring;
    published[option] = option == std::string("as_built");
    CHECK_FALSE(bound_of("ulfm", published, death).unwatched.empty());
    CHECK(bound_of("rdaemon", published, death).unwatched.empty());  // its daemon is in its first
    death.daemon_life = 1;
    CHECK_FALSE(bound_of("rdaemon", published, death).unwatched.empty());
    death.with_daemon = false;
    CHECK(bound_of("rdaemon", published, death).unwatched.empty());
    death.with_daemon = true;
    death.daemon_life = 0;
  }
  for (const std::string name : {"rdaemon", "ulfm"}) {
    OptionValues busy = ring;
    busy[name == "rdaemon" ? "daemon_cpu_s" : "message_cpu_s"] = 0.3;
    CHECK(bound_of(name, busy, one_of_16()).within_s == kNever);
  }
  CHECK(bound_of("swim", {{"heartbeat_period_s", 1e-4}}, one_of_16()).within_s == kNever);
}

TEST_CASE("of two members of a ring, one is watched, and two that die may watch nobody") {
  DetectionCase death = one_of_16();
  death.job.processes = death.job.nodes = 2;
  for (const char* name : {"rdaemon", "ulfm"}) {
    death.deaths = death.dead_nodes = 1;
    CHECK(bound_of(name, {}, death).unpromised.empty());
    CHECK_FALSE(bound_of(name, {{"rejoin", false}}, death).unpromised.empty());
    death.deaths = death.dead_nodes = 2;
    CHECK_FALSE(bound_of(name, {}, death).unpromised.empty());
  }
}

}  // namespace faultline::failure_detection
