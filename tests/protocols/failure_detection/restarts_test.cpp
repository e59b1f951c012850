// SPDX-License-Identifier: Apache-2.0

// Ranks that die are started again at once, so that others hear from the next life before they hear
// of the death. Nobody may take the next life for dead, and everybody must hear of the death.

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/protocols/failure_detection/detector_runs.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

constexpr double kRestartPeriod_s = 0.01;

/// A detector and its options, with times that suit the period.
using Variant = std::pair<std::string, OptionValues>;

std::vector<Variant> variants() {
  const auto members = [](const char* who) { return std::pair{"members", std::string(who)}; };
  const OptionValues ring{{"heartbeat_period_s", kRestartPeriod_s},
                          {"timeout_s", 2.5 * kRestartPeriod_s}};
  OptionValues late_daemons = ring;
  late_daemons["daemon_delay_s"] = 1e-3;
  OptionValues late_ranks = ring;
  late_ranks["message_delay_s"] = 1e-3;
  const auto swim = [&](const char* who) {
    // Updates are sent often enough that nobody misses one.
    return OptionValues{members(who),
                        {"heartbeat_period_s", kRestartPeriod_s},
                        {"gossip_period_s", kRestartPeriod_s / 5},
                        {"retransmit_multiplier", std::int64_t{16}}};
  };
  return {{"rdaemon", ring},
          {"rdaemon", late_daemons},
          {"ulfm", ring},
          {"ulfm", late_ranks},
          {"swim", swim("ranks")},
          {"swim", swim("daemons")},
          {"connection-loss", {members("ranks"), {"radix", std::int64_t{1}}}},
          {"connection-loss", {members("ranks"), {"radix", std::int64_t{2}}}},
          {"connection-loss", {members("daemons"), {"radix", std::int64_t{1}}}},
          {"connection-loss", {members("daemons"), {"radix", std::int64_t{2}}}}};
}

/// Three ranks of 4 to 6 nodes die, also before the death of another one is known. As soon as the
/// next rank after a dead one hears of it, it has it started again. A new incarnation says that it
/// lives to three random ranks.
void restart_the_dead(Job& job, Stream& random) {
  const std::uint32_t ranks = job.spec.platform.processes;
  std::vector<Rank> hear;
  hear.reserve(3);
  for (int i = 0; i < 3; ++i) hear.push_back(static_cast<Rank>(random.below(ranks)));
  job.script(Family::workload, [&job, ranks, hear](ActorId self) {
    return Handlers{.start =
                        [self, hear](ScriptContext& context) {
                          if (context.incarnation() == 0) return;
                          for (const Rank to : hear)
                            if (to != self) context.send(to, 0, 8);
                        },
                    .message = [](ScriptContext&, const Message&) {},
                    .peer_failed =
                        [&job, self, ranks](ScriptContext& context, Incarnation peer) {
                          job.note(context, "failed", peer.actor);
                          if (peer.actor < ranks && self == (peer.actor + 1) % ranks)
                            context.restart(peer, RestartOn::same_node);
                        }};
  });
  const auto first = static_cast<Rank>(random.below(ranks));
  const double within_s = random.chance(0.5) ? 0.02 : 2e-4;
  for (std::uint32_t death = 0; death < 3; ++death)
    job.kill(0.1 + within_s * random.uniform(), {(first + 2 * death) % ranks});
}

/// Every rank that hears of a death asks for a new process. Up to three ranks die again and again,
/// also while their new processes start, and so do the ranks that have asked for these.
void kill_again_and_again(Job& job, Stream& random) {
  const std::uint32_t ranks = job.spec.platform.processes;
  job.script(Family::workload, [ranks](ActorId) {
    return Handlers{.peer_failed = [ranks](ScriptContext& context, Incarnation peer) {
      if (peer.actor < ranks) context.restart(peer, RestartOn::same_node);
    }};
  });
  std::array<Rank, 3> victims{};
  for (Rank& victim : victims) victim = static_cast<Rank>(random.below(ranks));
  const double within_s = random.chance(0.5) ? 2e-3 : 4e-4;
  for (int death = 0; death < 12; ++death)
    job.kill(0.1 + within_s * random.uniform(), {victims[random.below(victims.size())]});
}

/// Who hears of a death has the process started again where it was. Members of a ring die twice or
/// more, alone and with a neighbour, before they are found, as they come back and long after that.
void kill_the_restarted(Job& job, Stream& random, bool daemons) {
  const std::uint32_t ranks = job.spec.platform.processes;
  const std::uint32_t members = daemons ? ranks / job.spec.platform.processes_per_node : ranks;
  job.script(Family::workload, [ranks](ActorId) {
    return Handlers{.peer_failed = [ranks](ScriptContext& context, Incarnation peer) {
      if (peer.actor < ranks) context.restart(peer, RestartOn::same_node);
    }};
  });
  const auto victim = static_cast<std::uint32_t>(random.below(members));
  double time_s = 0.1;
  for (int round = 0; round < 4; ++round, time_s += 20 * kRestartPeriod_s) {
    const auto kill = [&](double at_s, std::uint32_t member) {
      if (daemons)
        job.kill(at_s, {}, {}, {member % members});
      else
        job.kill(at_s, {member % members});
    };
    kill(time_s, victim);
    if (random.chance(0.3)) continue;
    const double later_s = random.chance(0.3) ? 0.0 : 6 * kRestartPeriod_s * random.uniform();
    const std::uint32_t steps[] = {0, 1, members - 1, 2};
    kill(time_s + later_s, victim + steps[random.below(4)]);
  }
}

/// A ring whose deaths only silence tells, with rejoin or without it.
OptionValues silent_ring(const std::string& name, bool rejoin) {
  OptionValues options{{"heartbeat_period_s", kRestartPeriod_s},
                       {"timeout_s", 2.5 * kRestartPeriod_s},
                       {"rejoin", rejoin}};
  if (name == "ulfm") options["in_band"] = false;
  return options;
}

/// The deaths that live ranks have not heard of, of many jobs whose members die again and again.
double missed_by(const std::string& name, bool rejoin, scenario::EngineKind engine) {
  double missed = 0.0;
  for (std::uint64_t seed = 1; seed <= sample_of(400, engine); ++seed) {
    if (engine == scenario::EngineKind::simgrid && seed > 20) break;
    Stream random(seed, 3, Purpose::faults, 0);
    const bool daemons = name == "rdaemon";
    const std::uint32_t per_node = 1 + static_cast<std::uint32_t>(random.below(3));
    Job job(per_node * (5 + static_cast<std::uint32_t>(random.below(6))), quick_machine(64));
    job.spec.platform.processes_per_node = per_node;
    job.spec.platform.restart_delay_s = random.chance(0.5) ? 0.0 : kRestartPeriod_s;
    job.use(Family::failure_detection, name, silent_ring(name, rejoin));
    kill_the_restarted(job, random, daemons);
    stop_at(job, 2.0);
    const Seen seen = job.run(engine, seed);
    INFO(engine_word(engine) << " " << name << ", seed " << seed);
    CHECK(seen.metric("false_reports") == 0);
    for (const std::string& violation : seen.violations()) CHECK(violation == "missed-death");
    if (rejoin) {
      CHECK(seen.violations().empty());
      CHECK(seen.metric("failed_ranks") == 0);  // all have been started again
      CHECK(seen.metric("missed_reports") == 0);
    }
    missed += seen.metric("missed_reports");
  }
  return missed;
}

}  // namespace

TEST_CASE("members of a ring that are started again are watched, with rejoin only") {
  for (const scenario::EngineKind engine : engines())
    for (const char* name : {"rdaemon", "ulfm"}) {
      CHECK(missed_by(name, true, engine) == 0);
      CHECK(missed_by(name, false, engine) > 0);
    }
}

// Announcements and requests are lost, too, and are repeated. The timeout bears five heartbeats.
TEST_CASE("members come back to a ring on a network that loses messages") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string name : {"rdaemon", "ulfm"})
      for (std::uint64_t seed = 1; seed <= sample_of(100, engine); ++seed) {
        if (engine == scenario::EngineKind::simgrid && seed > 10) break;
        Job job(12, quick_machine(64));
        job.spec.platform.detection_loss_probability = 0.1;
        OptionValues options = silent_ring(name, true);
        options["timeout_s"] = 6.5 * kRestartPeriod_s;
        job.use(Family::failure_detection, name, options);
        Stream random(seed, 4, Purpose::faults, 0);
        const auto victim = static_cast<Rank>(random.below(12));
        job.script(Family::workload, [](ActorId) {
          return Handlers{.peer_failed = [](ScriptContext& context, Incarnation peer) {
            if (peer.actor < 12) context.restart(peer, RestartOn::same_node);
          }};
        });
        for (const double time_s : {0.2, 1.2}) {
          if (name == "rdaemon")
            job.kill(time_s, {}, {}, {victim});
          else
            job.kill(time_s, {victim});
        }
        stop_at(job, 2.2);
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << " " << name << ", seed " << seed);
        CHECK(seen.metric("false_reports") == 0);
        CHECK(seen.metric("missed_reports") == 0);
        CHECK(seen.metric("failed_ranks") == 0);
      }
}

TEST_CASE("detectors find the deaths of new processes, whenever they die") {
  for (const scenario::EngineKind engine : engines())
    for (const auto& [name, options] : variants()) {
      if (name != "connection-loss" && name != "rdaemon") continue;
      for (std::uint64_t seed = 1; seed <= sample_of(1000, engine); ++seed) {
        if (engine == scenario::EngineKind::simgrid && seed > 20) break;
        Stream random(seed, 1, Purpose::faults, 0);
        const std::uint32_t per_node = 1 + static_cast<std::uint32_t>(random.below(3));
        Job job(per_node * (4 + static_cast<std::uint32_t>(random.below(5))), quick_machine(64));
        job.spec.platform.processes_per_node = per_node;
        job.spec.platform.link_lost_delay_s = random.chance(0.5) ? 1e-4 : 1e-6;
        job.spec.platform.local_exit_delay_s = job.spec.platform.link_lost_delay_s;
        job.spec.platform.restart_delay_s = random.chance(0.5) ? 0.0 : 1e-5;
        job.use(Family::failure_detection, name, options);
        kill_again_and_again(job, random);
        stop_at(job, 0.5);
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << " " << name << ", seed " << seed);
        CHECK(seen.metric("failed_ranks") == 0);  // all have been started again
        CHECK(seen.metric("false_reports") == 0);
        CHECK(seen.metric("missed_reports") == 0);
        CHECK(seen.violations().empty());
      }
    }
}

TEST_CASE("detectors do not take restarted processes for dead, and tell all of the death") {
  for (const scenario::EngineKind engine : engines())
    for (const auto& [name, options] : variants())
      for (std::uint64_t seed = 1; seed <= sample_of(40, engine); ++seed) {
        Stream random(seed, 0, Purpose::faults, 0);
        const std::uint32_t per_node = 1 + static_cast<std::uint32_t>(random.below(3));
        Job job(per_node * (4 + static_cast<std::uint32_t>(random.below(3))), quick_machine(64));
        job.spec.platform.processes_per_node = per_node;
        job.spec.platform.link_lost_delay_s = 1e-4;
        job.spec.platform.local_exit_delay_s = 1e-4;
        job.use(Family::failure_detection, name, options);
        restart_the_dead(job, random);
        stop_at(job, 2.0);
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << " " << name << ", seed " << seed);
        CHECK(seen.metric("false_reports") == 0);
        CHECK(seen.metric("missed_reports") == 0);
        CHECK(seen.violations().empty());
      }
}

}  // namespace faultline::failure_detection
