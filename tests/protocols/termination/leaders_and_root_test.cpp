// SPDX-License-Identifier: Apache-2.0

// lai-wu and venkatesan: what they cost by hand, and that they are right under any faults that
// their models survive.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

namespace {

const std::vector<std::pair<std::string, OptionValues>>& workloads() {
  static const std::vector<std::pair<std::string, OptionValues>> all = {
      {"work-stealing", {{"board", std::int64_t{6}}, {"cut_depth", std::int64_t{3}}}},
      {"uniform-traffic", {{"hops", std::int64_t{20}}, {"compute_s", 2e-6}}},
      {"random-tree", {{"lambda", 0.5}, {"task_compute_s", 1e-5}}},
      {"token-ring", {{"walk_length", std::int64_t{20}}, {"step_compute_s", 1e-5}}},
  };
  return all;
}

/// A run of a small job with one to three deaths at random moments, drawn from a seed.
struct Faulty {
  Job job;
  std::vector<Rank> victims;
  std::string workload;
  std::string text;

  Faulty(std::uint64_t seed, const std::string& detector, const OptionValues& options, bool ordered)
      : Faulty(Stream(seed, 0, Purpose::faults, 0), detector, options, ordered) {}

 private:
  Faulty(Stream draw, const std::string& detector, const OptionValues& options, bool ordered)
      : job(3 + static_cast<std::uint32_t>(draw.below(6)), quick_machine()) {
    const auto& [drawn, changes] = workloads()[draw.below(workloads().size())];
    workload = drawn;
    job.workload(workload, changes).detector(detector, options);
    job.use(Family::failure_detection, "oracle",
            {{"delay_s", draw.exponential(2e-5)},
             {"spread_s", draw.chance(0.5) ? 0.0 : draw.exponential(5e-5)}});
    if (!ordered && draw.chance(0.5)) {
      job.spec.platform.ordering = scenario::Ordering::unordered;
      job.spec.platform.unordered_delay_s = 1e-5;
    }
    text = detector + ", " + workload + ", " + std::to_string(job.spec.platform.processes) +
           " processes";
    const std::uint64_t deaths = 1 + draw.below(3);
    for (std::uint64_t death = 0; death < deaths; ++death) {
      const auto victim = static_cast<Rank>(draw.below(job.spec.platform.processes));
      const double time_s = draw.uniform() * 3e-4;
      victims.push_back(victim);
      job.kill(time_s, {victim});
      text += "; rank " + std::to_string(victim) + " dies at " + std::to_string(time_s);
    }
  }
};

/// A run on simgrid takes a process of its own.
std::uint64_t schedules(scenario::EngineKind engine) {
  return engine == scenario::EngineKind::loggp ? 2000 : 50;
}

bool strikes(const Faulty& run, Rank rank) {
  return std::count(run.victims.begin(), run.victims.end(), rank) > 0;
}

bool leaves_nobody(const Faulty& run) {
  for (Rank rank = 0; rank < run.job.spec.platform.processes; ++rank)
    if (!strikes(run, rank)) return false;
  return true;
}

void check_survived(const Seen& seen) {
  CHECK(seen.result.outcome == engine::Outcome::terminated);
  CHECK(seen.violations().empty());
  const auto missing = seen.result.metrics.values().find("tasks_missing");
  if (missing != seen.result.metrics.values().end()) CHECK(missing->second == 0.0);
}

Job& set_up_chain(Job& job, const std::string& detector, const OptionValues& options = {}) {
  job.workload("token-ring",
               {{"walk_length", std::int64_t{200}}, {"step_compute_s", 1e-5}, {"bytes", 0}});
  return job.detector(detector, options);
}

}  // namespace

TEST_CASE("lai-wu: without faults it is Dijkstra and Scholten, event by event") {
  for (const scenario::EngineKind engine : engines())
    for (const auto& [workload, options] : workloads()) {
      const auto run = [&, name = workload, changes = options](const std::string& detector) {
        Job job(9, quick_machine());
        return job.workload(name, changes).detector(detector).run(engine, 5);
      };
      const Seen plain = run("dijkstra-scholten");
      const Seen seen = run("lai-wu");
      INFO(workload);
      check_survived(seen);
      CHECK(seen.metric("recovery_messages") == 0);
      for (const char* metric : {"control_messages", "control_bytes", "announce_time_s"})
        CHECK(seen.metric(metric) == plain.metric(metric));
      CHECK(seen.result.events == plain.result.events);
    }
}

TEST_CASE("lai-wu: a death costs a query and an acknowledgement of every survivor but the root") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {8U, 64U}) {
      // The last rank dies before it gets anything: a token that it should have is lost with it.
      Job job(processes, quick_machine());
      set_up_chain(job, "lai-wu")
          .use(Family::failure_detection, "oracle")
          .kill(1e-7, {processes - 1});
      const Seen seen = job.run(engine);
      check_survived(seen);
      CHECK(seen.metric("control_messages.query") == processes - 2);
      CHECK(seen.metric("recovery_messages") == 2 * (processes - 2));
    }
}

TEST_CASE("venkatesan: every process that becomes idle tells every leader") {
  for (const scenario::EngineKind engine : engines())
    for (const std::int64_t leaders : {1, 2, 5}) {
      // Each rank that has moved the token on is idle and reports it; the last one when the walk
      // ends.
      Job job(8, quick_machine());
      const Seen seen = set_up_chain(job, "venkatesan", {{"leaders", leaders}}).run(engine);
      check_survived(seen);
      CHECK(seen.metric("control_messages.announce") == 7);
      const double turns = seen.metric("token_moves") + 1;  // each but the last brings one to rest
      const double signals = seen.metric("control_messages.signal");
      CHECK(signals <= turns * static_cast<double>(leaders));
      CHECK(signals >= turns * static_cast<double>(leaders - 1));
      CHECK(seen.metric("recovery_messages") == 0);
    }
}

TEST_CASE("lai-wu survives whatever leaves the root alive") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < schedules(engine); ++seed) {
      Faulty run(seed, "lai-wu", {}, false);
      const Seen seen = run.job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed << ": " << run.text);
      if (leaves_nobody(run)) continue;
      if (seen.result.outcome == engine::Outcome::fatal_reported)
        CHECK(strikes(run, 0));
      else if (run.workload == "work-stealing" && strikes(run, 0) && !seen.violations().empty())
        CHECK(seen.violations() ==
              Words{"lost-work"});  // docs/workloads.md: the run has ended first
      else
        check_survived(seen);
    }
}

TEST_CASE("venkatesan survives whatever leaves a leader alive") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < schedules(engine); ++seed) {
      const std::int64_t leaders = 1 + static_cast<std::int64_t>(seed % 3);
      Faulty run(seed, "venkatesan", {{"leaders", leaders}}, true);
      const Seen seen = run.job.run(engine, seed);
      INFO(engine_word(engine) << ", seed " << seed << ", " << leaders << " leaders: " << run.text);
      if (leaves_nobody(run)) continue;
      bool all = true;
      for (Rank leader = 0; leader < leaders; ++leader) all = all && strikes(run, leader);
      // If the root of the work dies, nobody is left to do the lost tasks again, and the run ends
      // so.
      const bool lost = run.workload == "work-stealing" && strikes(run, 0);
      if (seen.result.outcome == engine::Outcome::fatal_reported)
        CHECK((all || lost));
      else
        check_survived(seen);
    }
}

// The root is told that rank 2 is dead, and rank 1 never is. The root asks rank 1 to write off rank
// 2, which lives on, acknowledges what rank 1 sends it meanwhile, and is then ended.
TEST_CASE("lai-wu writes off a rank that lives, whose acknowledgements then mean nothing") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Job job(3, quick_machine());
      job.workload("ordered-stencil", {}).use(Family::termination, "lai-wu");
      job.use(Family::failure_detection, "erring-oracle", {{"reporter", std::int64_t{0}}});
      job.spec.platform.detection_loss_probability = 0.8;
      job.spec.platform.fencing.by = scenario::FencedBy::resource_manager;
      job.spec.stop.time_s = 60;
      const Seen seen = job.run(engine, seed);
      CAPTURE(engine_word(engine), seed);
      CHECK(seen.metric("false_reports") == 1);
      for (const std::string& kind : seen.violations()) CHECK(kind != "broken-invariant");
    }
}

}  // namespace faultline::termination
