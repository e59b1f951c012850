// work-stealing: every task runs once, whoever gets it, and again only where it was lost.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"
#include "workloads/n_queens.hpp"

using namespace faultline;
using namespace faultline::test;

namespace {

void check_clean(const Seen& seen, double tasks) {
  CHECK(seen.result.outcome == Outcome::terminated);
  CHECK(seen.violations().empty());
  CHECK(seen.metric("tasks") == tasks);
  CHECK(seen.metric("tasks_missing") == 0);
  CHECK(seen.metric("tasks_repeated") == 0);
  CHECK(seen.metric("phases") == 1);
}

}  // namespace

TEST_CASE("Two processes and four tasks, by hand") {
  // The board of four makes four tasks of four placements. Rank 0 begins the first and sends the
  // last two to rank 1, whose lifeline it holds: handled at 12 + 256/100 s. Then both find nothing
  // twice and hang on each other's lifeline.
  for (const EngineKind engine : engines()) {
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
          const EngineKind engine =
              kSimGridEngine && run % 10 == 0 ? EngineKind::simgrid : EngineKind::loggp;
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
  for (const EngineKind engine : engines()) {
    Job job(16, quick_machine());
    const Seen seen = job.workload("work-stealing", {{"board", std::int64_t{8}}}).run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("tasks_missing") == 0);
  }
}

TEST_CASE("A seed gives the same thefts, another one others, and the same tasks") {
  const auto run = [](std::uint64_t seed, std::uint64_t replication) {
    Job job(16, quick_machine());
    return job.detector("cda")
        .workload("work-stealing", {{"preset", std::string("tensor-contraction")}})
        .run(EngineKind::loggp, seed, replication);
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
