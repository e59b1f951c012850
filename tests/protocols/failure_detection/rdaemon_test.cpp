// SPDX-License-Identifier: Apache-2.0

// rdaemon: which daemon finds a death and when, which processes are told and by how many messages,
// and what happens to a node that is declared dead while it lives.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "protocols/failure_detection/reported_deaths.hpp"
#include "tests/protocols/failure_detection/detector_runs.hpp"
#include "tests/support/alone.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr double kPeriod_s = 0.01;
constexpr double kTimeout_s = 0.025;
/// Far above the time of a few messages on quick_machine, far below a period.
constexpr double kFewMessages_s = 1e-4;

/// `nodes` nodes with two ranks each. The daemon of node n is the actor 2 * nodes + n.
struct Nodes : Job {
  explicit Nodes(std::uint32_t nodes, const OptionValues& changes = {})
      : Job(2 * nodes, quick_machine(64)), count(nodes) {
    spec.platform.processes_per_node = 2;
    spec.platform.local_exit_delay_s = 1e-3;
    note_deaths(*this);
    OptionValues values{{"heartbeat_period_s", kPeriod_s}, {"timeout_s", kTimeout_s}};
    for (const auto& [name, value] : changes) values[name] = value;
    use(Family::failure_detection, "rdaemon", values);
  }
  [[nodiscard]] ActorId daemon(NodeId node) const { return 2 * count + node; }
  std::uint32_t count;
};

/// Were all ranks on other nodes than these told once of these nodes and their ranks?
bool all_told_once(const Nodes& job, const Seen& seen, const std::vector<NodeId>& dead) {
  const auto died = [&](NodeId node) {
    return std::find(dead.begin(), dead.end(), node) != dead.end();
  };
  for (Rank rank = 0; rank < 2 * job.count; ++rank)
    for (NodeId node = 0; node < job.count && !died(rank / 2); ++node)
      for (const ActorId actor : {2 * node, 2 * node + 1, job.daemon(node)})
        if (times_told(seen, rank, actor) != (died(node) ? 1 : 0)) return false;
  return true;
}

}  // namespace

TEST_CASE("rdaemon: a node's death is found from eta - delta to eta after it, and told at once") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(60, engine); ++seed) {
      Stream random(seed, 0, Purpose::faults, 0);
      Nodes job(3 + static_cast<std::uint32_t>(random.below(10)));
      const auto dead = static_cast<NodeId>(random.below(job.count));
      const double death_s = 0.1 * random.uniform();
      job.kill(death_s, {}, {dead});
      stop_at(job, death_s + 3 * kTimeout_s);
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK(all_told_once(job, seen, {dead}));
      const Times told = told_s(seen, job.daemon(dead));
      REQUIRE(told.size() == std::size_t{2} * (job.count - 1));
      CHECK(told.front() > death_s + kTimeout_s - kPeriod_s);
      CHECK(told.front() <= death_s + kTimeout_s + kFewMessages_s);
      CHECK(told.back() <= told.front() + kFewMessages_s);
      CHECK(seen.metric("false_reports") == 0);
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("rdaemon: a dead daemon costs D reports of each other daemon, and one request") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint32_t nodes = 2; nodes <= 16;
         nodes += engine == scenario::EngineKind::loggp ? 1 : 5) {
      Nodes job(nodes);
      job.kill(0.03, {}, {nodes / 2});
      stop_at(job, 0.1);
      const Seen seen = job.run(engine);
      std::set<std::uint32_t> distances;
      for (std::uint32_t power = 1; power <= nodes; power *= 2) {
        distances.insert(power % nodes);
        distances.insert((nodes - power % nodes) % nodes);
      }
      distances.erase(0);
      INFO(engine_word(engine) << ", " << nodes << " nodes");
      CHECK(messages(seen, "report") == static_cast<double>((nodes - 1) * distances.size()));
      CHECK(messages(seen, "notice") == 2 * (nodes - 1));
      CHECK(messages(seen, "heartbeat-request") == (nodes > 2 ? 1 : 0));
      CHECK(messages(seen, "registration") == 0);
      CHECK(seen.metric("detection_degree_max") == static_cast<double>(distances.size()));
    }
}

TEST_CASE(
    "rdaemon: heartbeats go once a period from each daemon, and nothing else without deaths") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(5);
    stop_at(job, 10 * kPeriod_s - 1e-6);
    const Seen seen = job.run(engine);
    CHECK(messages(seen, "heartbeat") == 5 * 10);
    for (const char* kind : {"heartbeat-request", "report", "notice", "registration"})
      CHECK(messages(seen, kind) == 0);
    CHECK(seen.count("failed") == 0);
  }
}

TEST_CASE("rdaemon: the daemon of a node hears of a local death from the system, and tells all") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(7);
    job.kill(0.05, {3});
    stop_at(job, 0.1);
    const Seen seen = job.run(engine);
    for (Rank rank = 0; rank < 14; ++rank) CHECK(times_told(seen, rank, 3) == (rank == 3 ? 0 : 1));
    const Times told = told_s(seen, 3);
    CHECK(told.front() > 0.051);
    CHECK(told.back() < 0.051 + kFewMessages_s);
    CHECK(messages(seen, "report") == 7 * 6);  // nobody's daemon is dead
    CHECK(messages(seen, "notice") == 13);
    CHECK(messages(seen, "heartbeat-request") == 0);
  }
}

// The observer of the last node asks its way back, one timeout after the other.
TEST_CASE("rdaemon: neighbours that die together are found one timeout after the other") {
  for (const scenario::EngineKind engine : engines())
    for (const bool as_built : {false, true})
      for (const double grace_s : {0.0, 0.004}) {
        Nodes job(10, {{"as_built", as_built}, {"mending_grace_s", grace_s}});
        // As built, what matters is that heartbeats have come since the seconds of slack.
        job.kill(0.05, {}, {4, 5, 6, 7});
        stop_at(job, 0.5);
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << (as_built ? ", as built" : ""));
        CHECK(all_told_once(job, seen, {4, 5, 6, 7}));
        const double step_s = as_built ? 2 * kTimeout_s : kTimeout_s + grace_s;
        for (const NodeId node : {4U, 5U, 6U}) {
          const double later_s =
              told_s(seen, job.daemon(node)).front() - told_s(seen, job.daemon(node + 1)).front();
          CHECK(later_s >= step_s - kFewMessages_s);
          CHECK(later_s <= step_s + kFewMessages_s);
        }
      }
}

// 2 eta are a whole number of looks at the clock, whose times have rounding errors.
TEST_CASE("rdaemon: as built, the next neighbour is found after 2 eta whenever the two have died") {
  for (const double death_s : {0.3, 1.1, 2.7, 5.0, 7.0, 13.9, 30.0, 60.0}) {
    Nodes job(6, {{"as_built", true}});
    job.kill(death_s, {}, {2, 3});
    stop_at(job, death_s + 0.2);
    const Seen seen = job.run(scenario::EngineKind::loggp);
    INFO(death_s);
    REQUIRE(all_told_once(job, seen, {2, 3}));
    const double later_s =
        told_s(seen, job.daemon(2)).front() - told_s(seen, job.daemon(3)).front();
    CHECK(later_s >= 2 * kTimeout_s - kFewMessages_s);
    CHECK(later_s <= 2 * kTimeout_s + kFewMessages_s);
  }
}

TEST_CASE("rdaemon: nodes apart that die together are found independently") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(12);
    job.kill(0.05, {}, {1, 4, 8, 10});
    stop_at(job, 0.1);
    const Seen seen = job.run(engine);
    CHECK(all_told_once(job, seen, {1, 4, 8, 10}));
    for (const NodeId node : {1U, 4U, 8U, 10U})
      CHECK(told_s(seen, job.daemon(node)).back() <= 0.05 + kTimeout_s + kFewMessages_s);
    CHECK(messages(seen, "heartbeat-request") == 4);
  }
}

// 3 finds 2, and observes 1. Then 3 dies: 4 observes 1 at once if it has taken note of 2.
TEST_CASE(
    "rdaemon: a daemon that mends the ring skips reported ones, unless it believes only itself") {
  for (const scenario::EngineKind engine : engines())
    for (const bool feeds : {true, false}) {
      Nodes job(8, {{"feed_from_broadcast", feeds}});
      job.kill(0.02, {}, {2}).kill(0.06, {}, {3}).kill(0.15, {}, {1});
      stop_at(job, 0.3);
      const Seen seen = job.run(engine);
      CHECK(all_told_once(job, seen, {1, 2, 3}));
      CHECK(messages(seen, "heartbeat-request") == (feeds ? 3 : 4));
      CHECK(told_s(seen, job.daemon(1)).back() <= 0.15 + kTimeout_s + kFewMessages_s);
    }
}

TEST_CASE("rdaemon: a report reaches all over each graph, relayed or not") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string broadcast : {"bmg", "prrte-as-built", "routed-tree"})
      for (const std::int64_t radix : {1, 2, 64}) {
        if (broadcast != "routed-tree" && radix != 2) continue;
        Nodes job(11, {{"broadcast", broadcast}, {"radix", radix}});
        job.kill(0.03, {6});
        stop_at(job, 0.1);
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", " << broadcast << ", radix " << radix);
        for (Rank rank = 0; rank < 22; ++rank)
          CHECK(times_told(seen, rank, 6) == (rank == 6 ? 0 : 1));
        if (broadcast == "bmg") CHECK(messages(seen, "report") == 11 * 8);
        if (broadcast == "routed-tree") CHECK(messages(seen, "report") > 11 * 8);
      }
}

// Figure by hand: the death is found at 0.051; a report takes o_s + 1.2 us + its bytes + o_r to the
// next daemon, and so on. What the delay adds shows in whole hops.
TEST_CASE("rdaemon: a daemon acts on a report after its delay, which takes no processor time") {
  constexpr double kDelay_s = 2e-3;
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(12, {{"daemon_delay_s", kDelay_s}});
    job.kill(0.05, {0});
    stop_at(job, 0.1);
    const Seen seen = job.run(engine);
    const auto told_at = [&](NodeId node) { return seen.times_s(2 * node + 1, "failed").at(0); };
    const double begin_s = 0.05 + 1e-3;
    CHECK(told_at(0) - begin_s < kFewMessages_s);
    // Neighbours of 0 at +-1, 2, 4 are one hop away, the others two.
    for (const NodeId node : {1U, 2U, 4U, 8U, 10U, 11U})
      CHECK(told_at(node) - begin_s == Approx(kDelay_s).margin(kFewMessages_s));
    for (const NodeId node : {3U, 5U, 6U, 7U, 9U})
      CHECK(told_at(node) - begin_s == Approx(2 * kDelay_s).margin(kFewMessages_s));
  }
}

TEST_CASE("rdaemon: a daemon takes its processor time before it passes a report on") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes free(12);
    Nodes busy(12, {{"daemon_cpu_s", 1e-4}});
    double last_s[2] = {};
    for (Nodes* job : {&free, &busy}) {
      job->kill(0.05, {0});
      stop_at(*job, 0.1);
      last_s[job == &busy ? 1 : 0] = told_s(job->run(engine), 0).back();
    }
    // The daemon that finds the death, the one on the way, and the last: each for one event.
    CHECK(last_s[1] - last_s[0] >= 3e-4 - 1e-9);
  }
}

namespace {

/// A daemon that sends no heartbeats after a while, although it lives.
class Mute final : public PassThrough<Mute, Detector> {
 public:
  Mute(std::unique_ptr<Component> inner, ActorId who)
      : PassThrough<Mute, Detector>(std::move(inner)), who_(who) {}
  void on_timer(DetectorContext& context, std::uint64_t key) override {
    constexpr std::uint64_t kBeat = 0;
    if (context.self() == who_ && key == kBeat && context.now_s() > 0.05) return;
    Forwarding<Detector>::on_timer(context, key);
  }

 private:
  ActorId who_;
};

}  // namespace

TEST_CASE("rdaemon: a node that is declared dead while it lives stops with its ranks") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(6);
    Registration mistaken;
    make_mistaken<Mute>(job.spec, Family::failure_detection, mistaken, job.daemon(3));
    stop_at(job, 0.2);
    const Seen seen = job.run(engine);
    CHECK(all_told_once(job, seen, {3}));
    CHECK(seen.metric("false_reports") == 2);
    CHECK(seen.metric("failed_ranks") == 2);
    CHECK(seen.values(6, "failed").empty());
    CHECK(seen.values(7, "failed").empty());
    CHECK(seen.violations().empty());
  }
}

// Node 4 observes 3, and dies itself somewhere between its reports about 3.
TEST_CASE("rdaemon: the death of the reporter between two sends leaves nobody out") {
  for (const scenario::EngineKind engine : engines()) {
    double found_s = 0;
    for (int step = -1; step <= static_cast<int>(sample_of(60, engine)); ++step) {
      Nodes job(9);
      job.kill(0.05, {}, {3});
      constexpr double kStep_s = 2.5e-7;
      const double factor = engine == scenario::EngineKind::loggp ? 1 : 10;
      if (step >= 0) job.kill(found_s - 3e-6 + factor * kStep_s * step, {}, {4});
      stop_at(job, 0.2);
      const Seen seen = job.run(engine);
      // The first to be told is a rank of the reporter's node, which is told last of all.
      if (step < 0) found_s = told_s(seen, job.daemon(3)).front() - 1e-5;
      INFO(engine_word(engine) << ", step " << step);
      for (Rank rank = 0; rank < 18; ++rank) {
        if (rank / 2 == 3 || rank / 2 == 4) continue;
        for (const ActorId dead : {6U, 7U, job.daemon(3)}) CHECK(times_told(seen, rank, dead) == 1);
        for (const ActorId dead : {8U, 9U, job.daemon(4)})
          CHECK(times_told(seen, rank, dead) == (step < 0 ? 0 : 1));
      }
    }
  }
}

TEST_CASE("rdaemon: a run ends when all have been told, and heartbeats do not keep it alive") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(5);
    job.kill(0.05, {}, {2});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("end_time_s") <= 0.05 + kTimeout_s + kFewMessages_s);
    CHECK(seen.metric("failure_reports") > 0);
  }
}

namespace {

/// A daemon that gets no report for a while.
class Deaf final : public PassThrough<Deaf, Detector> {
 public:
  Deaf(std::unique_ptr<Component> inner, ActorId who)
      : PassThrough<Deaf, Detector>(std::move(inner)), who_(who) {}
  void start(DetectorContext& context) override {
    this->inner().random = random;  // the phase of its heartbeats
    Forwarding<Detector>::start(context);
  }
  void on_message(DetectorContext& context, const Message& message) override {
    constexpr std::uint16_t kReport = kAfterRing;
    if (context.self() == who_ && message.kind == kReport && context.now_s() < 0.1) return;
    Forwarding<Detector>::on_message(context, message);
  }

 private:
  ActorId who_;
};

}  // namespace

TEST_CASE("rdaemon: neighbours on the ring find out by comparison that reports were lost") {
  for (const scenario::EngineKind engine : engines())
    for (const bool compares : {true, false}) {
      Nodes job(9, {{"compare_reports", compares}});
      Registration mistaken;
      make_mistaken<Deaf>(job.spec, Family::failure_detection, mistaken, job.daemon(4));
      job.kill(0.05, {}, {7}).kill(0.06, {3});
      stop_at(job, 0.2);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine));
      for (Rank rank = 0; rank < 18; ++rank) {
        if (rank / 2 == 7 || rank == 3) continue;
        const bool is_deaf = rank / 2 == 4;
        for (const ActorId dead : {3U, 14U, 15U, job.daemon(7)})
          CHECK(times_told(seen, rank, dead) == (is_deaf && !compares ? 0 : 1));
      }
      CHECK((messages(seen, "reports-request") > 0) == compares);
      if (!compares) continue;
      const double last_s = told_s(seen, 3).back();
      CHECK(last_s > 0.1);
      CHECK(last_s <= 0.1 + 3 * kPeriod_s);
      // While it is deaf, it and its observer ask every other period. Once it hears, nobody asks.
      CHECK(messages(seen, "reports-request") <= 12);
    }
}

TEST_CASE("rdaemon: all live ranks hear once of random deaths of nodes and ranks") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= sample_of(80, engine); ++seed) {
      Stream random(seed, 1, Purpose::faults, 0);
      Nodes job(3 + static_cast<std::uint32_t>(random.below(14)),
                {{"daemon_delay_s", random.chance(0.5) ? 0.0 : 1e-3},
                 {"feed_from_broadcast", random.chance(0.5)}});
      const std::uint64_t deaths = 1 + random.below(3);
      for (std::uint64_t death = 0; death < deaths; ++death) {
        const auto node = static_cast<NodeId>(random.below(job.count));
        // A node in one moment, or one rank: a rank that dies just before its node is never told.
        if (random.chance(0.6))
          job.kill(0.1 * random.uniform(), {}, {node});
        else
          job.kill(0.2 + 0.1 * random.uniform(), {2 * node});
      }
      job.spec.stop.when = scenario::StopWhen::all_reported;
      job.spec.stop.time_s = 5;
      const Seen seen = job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed);
      CHECK((seen.result.outcome == engine::Outcome::finished ||
             seen.result.outcome == engine::Outcome::all_failed));
      CHECK(seen.metric("false_reports") == 0);
      CHECK(seen.metric("missed_reports") == 0);
      CHECK(seen.violations().empty());
      for (Rank rank = 0; rank < 2 * job.count; ++rank) {
        Values told = seen.values(rank, "failed");
        std::sort(told.begin(), told.end());
        CHECK(std::adjacent_find(told.begin(), told.end()) == told.end());
      }
    }
}

TEST_CASE("rdaemon: a daemon tells a rank that is started again of all deaths") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(4);
    job.spec.platform.spare_nodes = 1;
    // Rank 0 asks for the restart of rank 6 when it is told of its death.
    job.script(Family::workload, [&job](ActorId self) {
      return Handlers{.peer_failed = [&job, self](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", peer.actor);
        if (self == 0 && peer.actor == 6) context.restart(peer);
      }};
    });
    job.kill(0.02, {2}).kill(0.05, {6});
    stop_at(job, 0.2);
    const Seen seen = job.run(engine);
    CHECK(seen.values(6, "failed") == Values{2, 2});  // in both of its lives, and not of itself
    CHECK(messages(seen, "registration") == 1);
    CHECK(times_told(seen, 7, 6) == 1);
  }
}

TEST_CASE("rdaemon: a process that restarts where the daemon died hears of deaths by a new one") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(4);
    job.script(Family::workload, [&job](ActorId self) {
      return Handlers{.peer_failed = [&job, self](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", peer.actor);
        if (self == 0 && peer.actor == 2) context.restart(peer, RestartOn::same_node);
      }};
    });
    job.kill(0.005, {6}).kill(0.02, {}, {}, {1}).kill(0.15, {0});
    stop_at(job, 0.25);
    const Seen seen = job.run(engine);
    // In its second life it hears of all the dead, and not of itself.
    CHECK(seen.values(2, "failed") == Values{6, 6, job.daemon(1), 3, 0});
    CHECK(messages(seen, "reports-request") == 3);
    CHECK(messages(seen, "registration") == 1);
  }
}

// Its observer has heard of the second life of the daemon before the timeout of the first one. Once
// it took the second for dead, which lived, and nobody ever heard of rank 3.
TEST_CASE(
    "rdaemon: a daemon that is back before its death is found is found dead in its first life") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(4);
    job.spec.platform.restart_delay_s = kPeriod_s;
    job.script(Family::workload, [&job](ActorId self) {
      return Handlers{.peer_failed = [&job, self](ScriptContext& context, Incarnation peer) {
        job.note(context, "failed", peer.actor);
        if (self == 0 && peer.actor == 2) context.restart(peer, RestartOn::same_node);
      }};
    });
    job.kill(0.02, {2}).kill(0.025, {}, {}, {1}).kill(0.1, {}, {0});
    stop_at(job, 0.2);
    const Seen seen = job.run(engine);
    CHECK(seen.metric("false_reports") == 0);
    CHECK(seen.metric("missed_reports") == 0);
    const Times told = told_s(seen, 3);
    REQUIRE(told.size() == 7);  // by all, and by rank 2 in its second life
    CHECK(told.back() <= 0.025 + kTimeout_s + kFewMessages_s);
    // The ring goes round a daemon that is no member any more.
    CHECK(told_s(seen, job.daemon(0)).front() <= 0.1 + kTimeout_s + kFewMessages_s);
  }
}

TEST_CASE("rdaemon as built: daemon 0 is no member of the ring, and all wait for a slow start") {
  for (const scenario::EngineKind engine : engines()) {
    Nodes job(4, {{"as_built", true}});
    job.kill(1e-9, {}, {2}).kill(1.0, {}, {0});
    stop_at(job, 4);
    const Seen seen = job.run(engine);
    // Node 2 has sent no heartbeat. Its observer waits a second longer for each of 3 members.
    const Times told = told_s(seen, job.daemon(2));
    REQUIRE(told.size() == 4);
    CHECK(told.front() > 3 + kTimeout_s);
    CHECK(told.back() < 3 + kTimeout_s + kPeriod_s / 10 + kFewMessages_s);
    CHECK(told_s(seen, job.daemon(0)).empty());  // nobody has watched it
  }
}

TEST_CASE("rdaemon: the state of a daemon is what it has reported and its place in the ring") {
  const JobShape job = job_of(8);
  const auto report = [](ActorId dead, ActorId to) { return DeathReport{{dead, 0}, to}; };
  constexpr std::uint16_t kReport = kAfterRing;
  Alone one(Family::failure_detection, "rdaemon", job, 8 + 3);
  one.start();
  const StateDigest fresh = one.digest();
  one.at(3).gets(8 + 2, kHeartbeat, 0);
  CHECK(one.digest() == fresh);
  one.gets(8 + 1, kReport, report(8 + 6, 8 + 5));  // for another: relayed
  CHECK(one.digest() == fresh);
  one.gets(8 + 1, kReport, report(8 + 6, 8 + 3));
  const StateDigest told = one.digest();
  CHECK(told != fresh);
  one.gets(8 + 4, kReport, report(8 + 6, 8 + 3));
  CHECK(one.digest() == told);
  one.gets(8 + 4, kReport, report(5, 8 + 3));

  Alone other(Family::failure_detection, "rdaemon", job, 8 + 3);
  other.start().gets(8 + 4, kReport, report(5, 8 + 3)).gets(8 + 4, kReport, report(8 + 6, 8 + 3));
  CHECK(one.digest() == other.digest());
}

}  // namespace faultline::failure_detection
