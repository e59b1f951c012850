// SPDX-License-Identifier: Apache-2.0

// work-stealing: every task runs once, whichever rank gets it, and again only where it was lost.

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"
#include "workloads/n_queens.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

void check_clean(const Seen& seen, double tasks) {
  CHECK(seen.result.outcome == engine::Outcome::terminated);
  CHECK(seen.violations().empty());
  CHECK(seen.metric("tasks") == tasks);
  CHECK(seen.metric("tasks_missing") == 0);
  CHECK(seen.metric("tasks_repeated") == 0);
  CHECK(seen.metric("phases") == 1);
}

/// Detectors that go on when ranks die.
std::vector<std::string> survivors() {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == Family::termination && registration.tolerates_faults())
      names.push_back(registration.name);
  return names;
}

}  // namespace

TEST_CASE("Two processes and four tasks, by hand") {
  // The board of four makes four tasks of four placements. Rank 0 begins the first and sends the
  // last two to rank 1, whose lifeline it holds: handled at 12 + 256/100 s. Then both find nothing
  // twice and hang on each other's lifeline.
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job job(2);
    job.workload(
        "work-stealing",
        {{"board", std::int64_t{4}}, {"cut_depth", std::int64_t{1}}, {"node_compute_s", 25.0}});
    const Seen seen = job.detector("dijkstra-scholten").run(engine);
    check_clean(seen, 4);
    const double tolerance = time_tolerance(engine);
    CHECK(seen.metric("makespan_s") == Approx(14.56 + 200).epsilon(tolerance));
    CHECK(seen.metric("task_time_s") == Approx(400).epsilon(1e-12));
    CHECK(seen.metric("steals") == 0);
    CHECK(seen.metric("failed_steals") == 4);
    CHECK(seen.metric("lifeline_gifts") == 1);
    CHECK(seen.metric("application_messages") == 1 + 2 * 4 + 2);
    CHECK(seen.metric("control_messages.acknowledge") == 11);
    // Rank 0 computes from 1 to 201 s, as it sends first; then both are idle until they are told.
    const double told_s = seen.metric("announce_time_s");
    const double root_told_s = told_s - 12 - 0.16;
    CHECK(seen.metric("idle_time_s") ==
          Approx(14.56 + (root_told_s - 201) + (told_s - 214.56)).epsilon(tolerance));
  }
}

TEST_CASE("One process has nobody to steal from, and keeps its cores busy") {
  for (const std::uint32_t cores : {1U, 3U}) {
    Job job(1, quick_machine());
    job.spec.platform.worker_cores = cores;
    job.workload("work-stealing", {{"board", std::int64_t{8}}, {"cut_depth", std::int64_t{4}}});
    const Seen seen = job.detector("dijkstra-scholten").run();
    check_clean(seen, seen.metric("tasks"));
    CHECK(seen.metric("application_messages") == 0);
    CHECK(seen.metric("task_time_s") == Approx(2056 * 1e-6));
    CHECK(seen.metric("makespan_s") >= seen.metric("task_time_s") / cores * (1 - 1e-9));
    CHECK(seen.metric("makespan_s") < seen.metric("task_time_s") / cores + 2e-4);
  }
}

TEST_CASE("Every task runs once under every detector, preset, core count and amount stolen") {
  const auto queens = static_cast<double>(n_queens_tasks(8, 4).nodes.size());
  std::uint64_t run = 0;
  for (const std::uint32_t processes : {1U, 2U, 3U, 7U, 16U, 33U})
    for (const std::string& detector : detectors())
      for (const std::string preset : {"n-queens", "hartree-fock", "tensor-contraction"})
        for (const std::string steal : {"half", "one"}) {
          const scenario::EngineKind engine = kSimGridEngine && run % 10 == 0
                                                  ? scenario::EngineKind::simgrid
                                                  : scenario::EngineKind::loggp;
          CAPTURE(processes, detector, preset, steal, engine_word(engine));
          Job job(processes, quick_machine());
          job.spec.platform.worker_cores = 1 + static_cast<std::uint32_t>(run % 3);
          job.detector(detector).workload("work-stealing",
                                          {{"preset", preset},
                                           {"steal", steal},
                                           {"steal_attempts", static_cast<std::int64_t>(run % 4)},
                                           {"board", std::int64_t{8}},
                                           {"cut_depth", std::int64_t{4}},
                                           {"tasks", std::int64_t{500}},
                                           {"task_compute_s", 1e-5}});
          const Seen seen = job.run(engine, ++run);
          check_clean(seen, preset == "n-queens" ? queens : 500);
          CHECK(seen.metric("application_messages_lost") == 0);
          if (processes > 1) CHECK(seen.metric("steals") + seen.metric("lifeline_gifts") > 0);
        }
}

TEST_CASE("Stolen tasks leave no core idle for long") {
  // 50 ms of work for each of 32 x 3 cores, in tasks of 1 ms on average and 3.4 ms at most.
  Job job(32, quick_machine());
  job.spec.platform.worker_cores = 3;
  job.detector("dijkstra-scholten")
      .workload("work-stealing",
                {{"preset", std::string("hartree-fock")}, {"tasks", std::int64_t{4800}}});
  const Seen seen = job.run();
  check_clean(seen, 4800);
  CHECK(seen.metric("makespan_s") > 4.8 / 96);
  CHECK(seen.metric("makespan_s") < 4.8 / 96 + 2 * 3.4e-3);
}

TEST_CASE("A run without a detector ends when all thieves hang on their lifelines") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(16, quick_machine());
    const Seen seen = job.workload("work-stealing", {{"board", std::int64_t{8}}}).run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("tasks_missing") == 0);
  }
}

TEST_CASE("A seed gives the same thefts, another one others, and the same tasks") {
  const auto run = [](std::uint64_t seed, std::uint64_t replication) {
    Job job(16, quick_machine());
    return job.detector("cda")
        .workload("work-stealing", {{"preset", std::string("tensor-contraction")}})
        .run(scenario::EngineKind::loggp, seed, replication);
  };
  const Seen first = run(4, 0);
  CHECK(to_text(first) == to_text(run(4, 0)));
  for (const Seen& other : {run(5, 0), run(4, 1)}) {
    CHECK(to_text(first) != to_text(other));
    CHECK(other.metric("task_time_s") == Approx(first.metric("task_time_s")).epsilon(1e-9));
  }
}

TEST_CASE("A cut below the board is refused") {
  Job job(2);
  CHECK_THROWS_WITH(job.workload("work-stealing", {{"board", std::int64_t{4}}}),
                    Catch::Contains("cut_depth") && Catch::Contains("at most 4"));
}

TEST_CASE("A run that survives its faults has done every task, whatever was lost") {
  std::uint64_t lost = 0;
  std::uint64_t several = 0;
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < (engine == scenario::EngineKind::loggp ? 400 : 20); ++seed)
      for (const std::string& detector : survivors()) {
        Stream draw(seed, 0, Purpose::faults, 0);
        Job job(4 + static_cast<std::uint32_t>(draw.below(30)), quick_machine());
        job.spec.platform.worker_cores = 1 + static_cast<std::uint32_t>(draw.below(3));
        job.detector(detector)
            .use(Family::failure_detection, "oracle",
                 {{"delay_s", draw.exponential(1e-4)},
                  {"spread_s", draw.chance(0.5) ? 0.0 : draw.exponential(2e-4)}})
            .workload("work-stealing",
                      {{"preset", std::string("tensor-contraction")},
                       {"tasks", static_cast<std::int64_t>(100 + draw.below(400))},
                       {"task_compute_s", 1e-4},
                       {"steal", std::string(draw.chance(0.5) ? "half" : "one")},
                       {"steal_attempts", static_cast<std::int64_t>(draw.below(4))}});
        for (std::uint64_t deaths = 1 + draw.below(3); deaths > 0; --deaths)
          job.kill(draw.uniform() * 4e-3,
                   {1 + static_cast<Rank>(draw.below(job.spec.platform.processes - 1))});
        const Seen seen = job.run(engine, seed);
        INFO(engine_word(engine) << " " << detector << ", seed " << seed);
        if (seen.result.outcome == engine::Outcome::fatal_reported) continue;
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("tasks_missing") == 0);
        CHECK((seen.metric("phases") == 1) == (seen.metric("failure_reports") == 0));
        lost += seen.metric("lost_steals") > 0 ? 1 : 0;
        several += seen.metric("phases") > 2 ? 1 : 0;
      }
  CHECK(lost > 100);
  CHECK(several > 20);
}

namespace {

/// Work stealing that does not hear of deaths.
class Deaf final : public PassThrough<Deaf, Workload> {
 public:
  using PassThrough::PassThrough;
  void on_peer_failed(WorkloadContext&, Incarnation) override {}
};

/// Rank 0 or another dies under a detector that survives that.
Job& dies_under_venkatesan(Job& job, Rank victim, double time_s) {
  job.workload("work-stealing", {{"preset", std::string("tensor-contraction")},
                                 {"tasks", std::int64_t{100}},
                                 {"task_compute_s", 1e-4},
                                 {"steal_attempts", std::int64_t{0}}});
  job.detector("venkatesan").use(Family::failure_detection, "oracle", {{"delay_s", 1e-4}});
  return job.kill(time_s, {victim});
}

}  // namespace

TEST_CASE("Work that is lost with rank 0 is not lost in silence") {
  for (const scenario::EngineKind engine : engines())
    for (const double time_s : {0.0, 1e-5, 5e-4, 1e-3}) {
      Job job(8, quick_machine());
      const Seen seen = dies_under_venkatesan(job, 0, time_s).run(engine);
      INFO(engine_word(engine) << ", at " << time_s);
      CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
      CHECK(seen.result.fatal_reason ==
            "rank 0 has died, and no other rank can have lost work done again");
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("The death of rank 0 after all is done loses nothing") {
  for (const scenario::EngineKind engine : engines()) {
    Job whole(8, quick_machine());
    const Seen good = dies_under_venkatesan(whole, 7, 1.0).run(engine);
    const double told_s = good.metric("announce_time_s");
    // The first leader dies when it has announced to itself, and its messages are on their way.
    for (const double early_s : {1e-9, 1e-7}) {
      Job job(8, quick_machine());
      const Seen seen = dies_under_venkatesan(job, 0, told_s - early_s).run(engine);
      INFO(engine_word(engine));
      CHECK(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.metric("failed_ranks") == 1);
      CHECK(seen.metric("tasks_missing") == 0);
    }
  }
}

TEST_CASE("Work stealing that loses tasks without a word is found out") {
  for (const scenario::EngineKind engine : engines())
    for (const Rank victim : {0U, 1U}) {
      Job job(8, quick_machine());
      dies_under_venkatesan(job, victim, 2e-4);
      scenario::ComponentChoice& workload =
          job.spec.components[static_cast<std::size_t>(Family::workload)];
      Registration deaf = *workload.registration;
      deaf.make = [make = deaf.make](const OptionValues& options,
                                     const JobShape& shape) -> ComponentFactory {
        return [factory = make(options, shape)](ActorId self) {
          return std::make_unique<Deaf>(factory(self));
        };
      };
      workload.registration = &deaf;
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << ", rank " << victim << " dies");
      CHECK(seen.result.terminated == true);
      CHECK(seen.metric("tasks_missing") > 0);
      CHECK(seen.result.outcome == engine::Outcome::violated);
      CHECK(seen.violations() == Words{"lost-work"});
    }
}

TEST_CASE("Lost tasks, by hand") {
  // As above by hand: rank 1 gets the last two of four tasks at 14.56 s and dies at 150 s, in its
  // second one. Rank 0 does them again in a second phase, when it is told, has done its own, and
  // nothing else is left: it begins at once, with the task that it had given away first.
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.workload(
        "work-stealing",
        {{"board", std::int64_t{4}}, {"cut_depth", std::int64_t{1}}, {"node_compute_s", 25.0}});
    job.detector("lai-wu").use(Family::failure_detection, "oracle", {{"delay_s", 60.0}});
    const Seen seen = job.kill(150, {1}).run(engine);
    INFO(engine_word(engine));
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.violations().empty());
    CHECK(seen.metric("phases") == 2);
    CHECK(seen.metric("lost_steals") == 1);
    CHECK(seen.metric("tasks_lost") == 2);
    CHECK(seen.metric("tasks") == 5);  // two of rank 0, one of rank 1, two again
    CHECK(seen.metric("tasks_repeated") == 1);
    CHECK(seen.metric("tasks_missing") == 0);
    // Told at 210 s; one core does both tasks.
    CHECK(seen.metric("makespan_s") == Approx(410).epsilon(time_tolerance(engine)));
  }
}

TEST_CASE("A thief that nobody tells of its victim's death says what it waits for") {
  // Rank 1 is dead before the request of rank 0 arrives, and there is no failure detector.
  Job job(2);
  job.workload(
      "work-stealing",
      {{"board", std::int64_t{4}}, {"cut_depth", std::int64_t{1}}, {"node_compute_s", 25.0}});
  const Seen seen = job.kill(205, {1}).run();
  CHECK(seen.violations() == Words{"deadlock"});
  CHECK(seen.result.violations.at(0).detail.find("0 waits for an answer of rank 1") !=
        std::string::npos);
}

}  // namespace faultline::workloads
