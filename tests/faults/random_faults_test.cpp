// SPDX-License-Identifier: Apache-2.0

// Sources of faults in whole runs: they strike every protocol alike, keep no run alive and end none
// too late, and compose.

#include <catch2/catch.hpp>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

/// Every rank computes for an hour of simulated time, second by second, until `until_s`.
void working(Job& job, double until_s) {
  job.script(
      Family::workload,
      [&job, until_s](ActorId) {
        return Handlers{.start = [](ScriptContext& context) { context.compute(1); },
                        .compute_done =
                            [&job, until_s](ScriptContext& context, std::uint64_t) {
                              job.note(context, "second");
                              if (context.now_s() < until_s)
                                context.compute(1);
                              else
                                context.finish();
                            }};
      },
      WorkloadTraits{.finishes = true});
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("poisson: ranks die at the moments that the source draws, on both engines") {
  Job job(16);
  job.spec.platform.processes_per_node = 2;
  working(job, 40);
  add_source(job, "poisson", {{"mtbf_s", 10.0}, {"size", std::int64_t{2}}, {"spare_root", true}});
  Target alone(8, 2);
  const auto source =
      alone.source("poisson", {{"mtbf_s", 10.0}, {"size", std::int64_t{2}}, {"spare_root", true}});
  std::vector<double> died_s(16, kNever);
  for (const Struck& fault : faults_of(*source, 20))
    for (const ActorId daemon : fault.victims)
      for (const Rank rank : {2 * (daemon - 16), 2 * (daemon - 16) + 1})
        died_s[rank] = std::min(died_s[rank], fault.time_s);
  REQUIRE(std::count_if(died_s.begin(), died_s.end(), [](double t) { return t < 40; }) > 2);
  for (const scenario::EngineKind engine : engines()) {
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    for (Rank rank = 0; rank < 16; ++rank)
      CHECK(seen.times_s(rank, "second").size() ==
            static_cast<std::size_t>(std::min(40.0, std::floor(died_s[rank]))));
  }
}

TEST_CASE("the same faults strike whatever the protocols, and other sources disturb none") {
  for (const scenario::EngineKind engine : engines()) {
    const auto times = [engine](const std::string& detector, bool another) {
      Job job(16, quick_machine());
      job.workload("token-ring", {{"walk_length", 100000}, {"step_compute_s", 0.001}});
      if (!detector.empty()) job.detector(detector);
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 5;
      job.spec.allow_unsafe = true;
      add_source(job, "weibull", {{"mtbf_s", 1.0}, {"limit", std::int64_t{3}}});
      if (another)
        add_source(job, "jaguar", {{"time_s", 4.9}, {"distribution", counts_input({{1, 1}})}});
      const Seen seen = job.run(engine);
      return std::vector<double>{seen.metric("first_fault_time_s"), seen.metric("faults_struck")};
    };
    const auto bare = times("", false);
    CHECK(times("cda", false)[0] == bare[0]);
    CHECK(times("dijkstra-scholten", false)[0] == bare[0]);
    CHECK(times("", true)[0] == bare[0]);
    CHECK(times("", true)[1] == bare[1] + 1);
  }
}

TEST_CASE("until a stated time the same faults strike whoever finds them, if anybody does") {
  for (const scenario::EngineKind engine : engines()) {
    const auto seen_by = [engine](const std::string& detector) {
      Job job(16, quick_machine());
      job.workload("uniform-traffic", {{"tokens", std::int64_t{1}}, {"hops", std::int64_t{1}}});
      if (!detector.empty()) job.use(Family::failure_detection, detector);
      job.spec.stop.when = scenario::StopWhen::time;
      job.spec.stop.time_s = 30;
      job.spec.allow_unsafe = true;
      add_source(job, "poisson", {{"mtbf_s", 5.0}});
      return job.run(engine, 3);
    };
    const Seen alone = seen_by("");
    REQUIRE(alone.metric("faults_struck") > 1);
    for (const char* detector : {"oracle", "connection-loss", "rdaemon", "ulfm", "swim"}) {
      CAPTURE(engine_word(engine), detector);
      const Seen seen = seen_by(detector);
      CHECK(seen.metric("end_time_s") == 30);
      CHECK(seen.metric("faults_struck") == alone.metric("faults_struck"));
      CHECK(seen.metric("last_fault_time_s") == alone.metric("last_fault_time_s"));
    }
  }
}

TEST_CASE("faults without end keep no run alive, unless that goes on until a stated time") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    working(job, 3);
    add_source(job, "poisson", {{"mtbf_s", 1e5}});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("faults_struck") == 0);
    CHECK(seen.result.metrics.values().at("first_fault_time_s") == std::nullopt);
    CHECK(seen.result.events == 12);  // as without faults

    // A rank waits for what never comes: the run finds that at once, and not at the next fault.
    job.script(Family::workload, [](ActorId self) {
      return Handlers{.start = [self](ScriptContext& context) {
        if (self == 0) context.compute(2);
      }};
    });
    const Seen stuck = job.run(engine);
    CHECK(stuck.result.outcome == engine::Outcome::deadlock);
    CHECK(stuck.metric("end_time_s") == Approx(2.0));
  }
}

TEST_CASE("a run ends when all are dead, however many faults would come") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    working(job, 1e9);
    add_source(job, "poisson", {{"mtbf_s", 1.0}, {"per", "node"}, {"victims", "ranks"}});
    const Seen seen = job.run(engine);
    CHECK(seen.metric("failed_ranks") == 8);
    CHECK(seen.metric("faults_struck") == 8);
    // What the last one had begun to compute would have been done within a second.
    CHECK(seen.metric("end_time_s") < seen.metric("last_fault_time_s") + 1);
    CHECK(seen.metric("first_fault_time_s") < seen.metric("last_fault_time_s"));
  }
}

TEST_CASE("a source with a limit is waited for until all of its faults have struck") {
  const OptionValues options{
      {"mtbf_s", 50.0}, {"limit", std::int64_t{4}}, {"victims", "ranks"}, {"spare_root", true}};
  const Target alone(8);
  const auto source = alone.source("poisson", options);
  const double last_s = faults_of(*source, 10).back().time_s;
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    working(job, 3);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 0.5}});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    add_source(job, "poisson", options);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("end_time_s") ==
          Approx(std::max(last_s, seen.metric("last_fault_time_s") + 0.5)));
    // A fault may strike the dead; it counts to the limit all the same.
    CHECK(seen.metric("faults_struck") <= 4);
    CHECK(seen.metric("faults_struck") >= 2);
  }
}

TEST_CASE("faults of the machine that miss the job are over when they have struck") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(1, quick_machine(2048));
    working(job, 3);
    job.use(Family::failure_detection, "oracle", {{"delay_s", 0.5}});
    job.spec.stop.when = scenario::StopWhen::all_reported;
    const OptionValues options{{"mtbf_s", 50.0}, {"limit", std::int64_t{2}}, {"scope", "machine"}};
    Target alone(1, 1, quick_machine(2048));
    const double last_s = faults_of(*alone.source("poisson", options), 10).back().time_s;
    add_source(job, "poisson", options);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("faults_struck") == 0);
    CHECK(seen.metric("failed_ranks") == 0);
    CHECK(seen.metric("end_time_s") == Approx(last_s));
  }
}

TEST_CASE("several sources and stated deaths compose") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    working(job, 20);
    job.kill(2.5, {7});
    add_source(job, "trace",
               {{"file", trace_input("5.5 0\n6.5 1\n")}, {"first_node", std::int64_t{3}}});
    add_source(job, "trace",
               {{"file", trace_input("5.5 0\n6.5 1\n")},
                {"first_node", std::int64_t{4}},
                {"time_scale", 2.1}});
    add_source(job, "jaguar",
               {{"distribution", counts_input({{7, 1}})},
                {"time_s", 15.5},
                {"victims", "ranks"},
                {"spare_root", true}});
    const Seen seen = job.run(engine);
    const auto seconds = [&](Rank rank) { return seen.times_s(rank, "second").size(); };
    CHECK(seconds(7) == 2);
    CHECK(seconds(3) == 5);
    CHECK(seconds(4) == 11);
    for (const Rank rank : {1U, 2U, 5U, 6U}) CHECK(seconds(rank) == 15);
    CHECK(seconds(0) == 20);
    CHECK(seen.metric("faults_struck") == 4);
    CHECK(seen.metric("first_fault_time_s") == 2.5);
    CHECK(seen.metric("last_fault_time_s") == 15.5);
  }
}

TEST_CASE("counts with a size: every fault takes so many, and spares the root") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Job job(8);
    working(job, 10);
    add_source(
        job, "counts",
        {{"size", std::int64_t{3}}, {"time_s", 4.5}, {"victims", "ranks"}, {"spare_root", true}});
    const Seen seen = job.run(scenario::EngineKind::loggp, seed);
    CHECK(seen.metric("failed_ranks") == 3);
    CHECK(seen.times_s(0, "second").size() == 10);
  }
}

namespace {

/// Rank 0 engages 1, which engages 2, and so on: the tree of Dijkstra and Scholten is a chain,
/// which lasts until all have computed for ten seconds.
void chained(Job& job) {
  job.script(
      Family::workload,
      [&job](ActorId self) {
        Handlers handlers;
        handlers.start = [self](ScriptContext& context) {
          if (self != 0) return;
          context.send(1, 0, 8);
          context.compute(10);
        };
        handlers.message = [](ScriptContext& context, const Message&) {
          if (context.self() + 1 < context.job().processes) context.send(context.self() + 1, 0, 8);
          context.compute(10);
        };
        handlers.compute_done = [&job](ScriptContext& context, std::uint64_t) {
          job.note(context, "done");
        };
        return handlers;
      },
      WorkloadTraits{.starts_at_root = true});
  job.detector("dijkstra-scholten");
  job.spec.allow_unsafe = true;
  job.spec.stop.time_s = 20;
}

/// Two related ranks die in each of a number of faults.
void add_related(Job& job, OptionValues changes) {
  changes.insert({{"distribution", counts_input({{2, 1}})},
                  {"victims", std::string("ranks")},
                  {"placement", std::string("related")}});
  add_source(job, "jaguar", changes);
}

}  // namespace

TEST_CASE("related: the detector's tree determines which ranks die together") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Job job(12, quick_machine());
      chained(job);
      add_related(job, {{"time_s", 5.0}});
      const Seen seen = job.run(engine, seed);
      std::vector<Rank> dead;
      for (Rank rank = 0; rank < 12; ++rank)
        if (seen.times_s(rank, "done").empty()) dead.push_back(rank);
      CAPTURE(seed);
      REQUIRE(dead.size() == 2);
      CHECK(dead[1] == dead[0] + 1);
    }
}

TEST_CASE("related: the dead are nobody's relatives") {
  // As long as two neighbours of the chain live, each fault finds two victims.
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Job job(12, quick_machine());
      chained(job);
      add_related(job, {{"time_s", 2.0}, {"window_s", 6.0}, {"limit", std::int64_t{3}}});
      CHECK(job.run(engine, seed).metric("failed_ranks") == 6);
    }
}

TEST_CASE("related: where no layer names parents, the victims are drawn") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(12, quick_machine());
    working(job, 9);
    add_related(job, {{"time_s", 1.5}});
    // No layer of this job names parents.
    CHECK(job.run(engine).metric("failed_ranks") == 2);
  }
}

}  // namespace faultline::faults
