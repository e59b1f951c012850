// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/job.hpp"
#include "workloads/random_task_tree.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

/// The tree of a file; the root's parent is written as kNoTask.
TaskTreeInput tree_input(std::vector<Task> parents, std::vector<Rank> ranks = {}) {
  TaskTreeFile content{.file = "t.json", .tree = {std::move(parents)}, .ranks = std::move(ranks)};
  return {.file = "t.json",
          .hash = "read",
          .content = std::make_shared<const TaskTreeFile>(std::move(content))};
}

TaskTree small_tree(std::uint64_t seed, std::uint64_t replication) {
  Stream random = task_tree_stream(seed, replication);
  return random_task_tree(*task_tree_preset("small"), random);
}

/// Messages that a tree needs: one for each task that is not where its parent is, the root's parent
/// being rank 0's start.
template <class Owner>
double messages(const TaskTree& tree, Owner owner) {
  double count = owner(Task{0}) == 0 ? 0 : 1;
  for (Task task = 1; task < tree.tasks(); ++task)
    count += owner(task) == owner(tree.parents[task]) ? 0 : 1;
  return count;
}

void check_tree_is_clean(const Seen& seen, double tasks) {
  CHECK(seen.violations().empty());
  CHECK(seen.result.outcome == engine::Outcome::terminated);
  CHECK(seen.metric("tasks") == tasks);
}

}  // namespace

TEST_CASE("A tree of three tasks takes the time that paper says") {
  // Tasks 0 and 2 on rank 0, task 1 on rank 1, each computes 100 s. Task 0 ends at 100 s; task 2
  // then computes to 200 s, and the 50 B of task 1 are handled 12.5 s later on the other node.
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job job(2);
    job.spec.stop.grace_s = 1e6;
    job.workload("random-tree", {{"tree_file", tree_input({kNoTask, 0, 0})},
                                 {"task_compute_s", 100.0},
                                 {"bytes", std::int64_t{50}}});
    const Seen seen = job.detector("cda").run(engine);
    check_tree_is_clean(seen, 3);
    CHECK(seen.metric("application_messages") == 1);
    CHECK(std::abs(seen.metric("termination_time_s") - 212.5) < 212.5 * time_tolerance(engine));
  }
}

TEST_CASE("A root on another rank costs the message that brings it there") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(3);
    job.workload("random-tree", {{"tree_file", tree_input({kNoTask, 0, 0, 1}, {2, 2, 0, 2})},
                                 {"task_mapping", std::string("file")}});
    const Seen seen = job.detector("dijkstra-scholten").run(engine);
    check_tree_is_clean(seen, 4);
    CHECK(seen.metric("application_messages") == 2);  // the root to rank 2, task 2 to rank 0
  }
}

TEST_CASE("Every task of a tree runs once, and makes a message where it changes ranks") {
  for (const std::uint32_t processes : {1U, 2U, 7U, 32U})
    for (const scenario::EngineKind engine : engines())
      for (const std::string& detector : detectors())
        for (const std::uint64_t replication : {0U, 1U}) {
          // A run on simgrid takes a process of its own: a sample of them.
          if (engine == scenario::EngineKind::simgrid && (processes > 7 || replication > 0))
            continue;
          CAPTURE(processes, engine_word(engine), detector, replication);
          const TaskTree tree = small_tree(3, replication);
          Job job(processes, quick_machine());
          job.detector(detector).workload("random-tree");
          const Seen dealt = job.run(engine, 3, replication);
          check_tree_is_clean(dealt, tree.tasks());
          CHECK(dealt.metric("application_messages") ==
                messages(tree, [&](Task task) { return task % processes; }));

          job.workload("random-tree", {{"task_mapping", std::string("random")}});
          const Seen drawn = job.run(engine, 3, replication);
          check_tree_is_clean(drawn, tree.tasks());
          const auto ranks =
              random_ranks(tree.tasks(), processes, task_mapping_stream(3, replication));
          CHECK(drawn.metric("application_messages") ==
                messages(tree, [&](Task task) { return ranks[task]; }));
        }
}

TEST_CASE("Under the random mapping a task leaves its parent's rank with probability 1 - 1/P") {
  constexpr int kRuns = 400;
  for (const std::uint32_t processes : {2U, 5U, 16U}) {
    CAPTURE(processes);
    const double tasks = small_tree(11, 0).tasks();
    Job job(processes, quick_machine());
    job.detector("cda").workload(
        "random-tree", {{"tree_seed", std::int64_t{11}}, {"task_mapping", std::string("random")}});
    double sum = 0;
    for (std::uint64_t replication = 0; replication < kRuns; ++replication)
      sum += job.run(scenario::EngineKind::loggp, 1, replication).metric("application_messages");
    const double remote = 1.0 - 1.0 / processes;
    CHECK(std::abs(sum / kRuns - tasks * remote) <
          4 * std::sqrt(tasks * remote / processes / kRuns));
  }
}

TEST_CASE("tree_seed fixes the tree, and without it every replication grows its own") {
  const auto tasks = [](const OptionValues& options, std::uint64_t replication) {
    Job job(4, quick_machine());
    return job.detector("cda")
        .workload("random-tree", options)
        .run(scenario::EngineKind::loggp, 2, replication)
        .metric("tasks");
  };
  std::vector<double> grown;
  for (std::uint64_t replication = 0; replication < 6; ++replication) {
    grown.push_back(tasks({}, replication));
    CHECK(grown.back() == small_tree(2, replication).tasks());
    CHECK(tasks({{"tree_seed", std::int64_t{11}}}, replication) == small_tree(11, 0).tasks());
  }
  CHECK(std::count(grown.begin(), grown.end(), grown.front()) < 6);
}

TEST_CASE("Parameters of a tree replace those of its preset") {
  // lambda 0 leaves the complete tree at the start; lambda 1 fills everything down to L_max.
  Job job(4, quick_machine());
  job.detector("cda").workload("random-tree",
                               {{"lambda", 0.0}, {"minimum_height", std::int64_t{5}}});
  CHECK(job.run().metric("tasks") == 31);
  job.workload("random-tree", {{"lambda", 1.0}, {"maximum_height", std::int64_t{9}}});
  CHECK(job.run().metric("tasks") == 511);
}

TEST_CASE("A tree that is replayed from a file gives the same run") {
  const TaskTree tree = small_tree(5, 0);
  const auto ranks = random_ranks(tree.tasks(), 8, task_mapping_stream(5, 0));
  for (const std::string& detector : detectors()) {
    Job job(8, quick_machine());
    job.detector(detector).workload("random-tree", {{"task_mapping", std::string("random")}});
    const Seen drawn = job.run(scenario::EngineKind::loggp, 5);
    job.workload("random-tree", {{"tree_file", tree_input(tree.parents, ranks)},
                                 {"task_mapping", std::string("file")}});
    CHECK(to_text(job.run(scenario::EngineKind::loggp, 5)) == to_text(drawn));
  }
}

TEST_CASE("A random tree's options are checked against each other and the job") {
  Job job(4);
  const std::string by_file = "file";
  CHECK_THROWS_WITH(job.workload("random-tree", {{"task_mapping", by_file}}),
                    Catch::Contains("task_mapping") && Catch::Contains("needs a tree_file"));
  CHECK_THROWS_WITH(job.workload("random-tree", {{"task_mapping", by_file},
                                                 {"tree_file", tree_input({kNoTask, 0})}}),
                    Catch::Contains("t.json has no ranks"));
  CHECK_THROWS_WITH(job.workload("random-tree", {{"task_mapping", by_file},
                                                 {"tree_file", tree_input({kNoTask, 0}, {3, 4})}}),
                    Catch::Contains("t.json: ranks[1]: expected a rank below 4"));
  CHECK_THROWS_WITH(
      job.workload("random-tree", {{"lambda", 0.5}, {"tree_file", tree_input({kNoTask})}}),
      Catch::Contains("tree_file") && Catch::Contains("no parameters"));
  CHECK_THROWS_WITH(job.workload("random-tree", {{"smallest_subtree_height", std::int64_t{6}}}),
                    Catch::Contains("expected at least smallest_subtree_height, 6"));
  // Ranks that nobody asks for do not matter.
  CHECK_NOTHROW(job.workload("random-tree", {{"tree_file", tree_input({kNoTask, 0}, {3, 4})}}));
}

}  // namespace faultline::workloads
