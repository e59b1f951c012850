// SPDX-License-Identifier: Apache-2.0
#include "workloads/random_task_tree.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "sim/core/error.hpp"

namespace faultline::workloads {

namespace {

TaskTree drawn(const TaskTreeShape& shape, std::uint64_t seed) {
  Stream random = task_tree_stream(seed, 0);
  return random_task_tree(shape, random);
}

std::vector<std::vector<Task>> children_of(const TaskTree& tree) {
  std::vector<std::vector<Task>> children(tree.tasks());
  for (Task task = 1; task < tree.tasks(); ++task) children[tree.parents[task]].push_back(task);
  return children;
}

std::vector<std::uint32_t> levels_of(const TaskTree& tree) {
  std::vector<std::uint32_t> levels(tree.tasks());
  for (Task task = 1; task < tree.tasks(); ++task) levels[task] = levels[tree.parents[task]] + 1;
  return levels;
}

/// Expected tasks of a leaf on level l and of all that grows in its place, by the paper's step 2:
/// with probability lambda^l a complete subtree of height 2 to 5, whose leaves go on.
double expected_below(double lambda, int level) {
  static std::map<std::pair<double, int>, double> known;
  if (level > 400) return 1.0;  // lambda^400 is below 1e-12
  const auto found = known.find({lambda, level});
  if (found != known.end()) return found->second;
  double refined = 0.0;
  for (int height = 2; height <= 5; ++height) {
    const int deeper = height - 1;
    const double leaves = std::pow(2.0, deeper);
    refined += (leaves - 1.0 + leaves * expected_below(lambda, level + deeper)) / 4.0;
  }
  const double probability = std::pow(lambda, level);
  return known[{lambda, level}] = probability * refined + (1.0 - probability);
}

}  // namespace

TEST_CASE("a random tree is binary, breadth first, and begins with a complete tree") {
  for (const std::string& preset : task_tree_presets()) {
    const TaskTreeShape shape = *task_tree_preset(preset);
    for (std::uint64_t seed = 1; seed <= (preset == "big" ? 2 : 30); ++seed) {
      CAPTURE(preset, seed);
      const TaskTree tree = drawn(shape, seed);
      REQUIRE(tree.tasks() >= 7);
      CHECK(tree.parents[0] == kNoTask);
      CHECK(std::is_sorted(tree.parents.begin() + 1, tree.parents.end()));
      const auto children = children_of(tree);
      CHECK(std::all_of(children.begin(), children.end(),
                        [](const auto& list) { return list.empty() || list.size() == 2; }));
      for (Task task = 0; task < 3; ++task) CHECK(children[task].size() == 2);
      const auto levels = levels_of(tree);
      CHECK(std::is_sorted(levels.begin(), levels.end()));
      CHECK(levels.back() < shape.maximum_height);
    }
  }
}

TEST_CASE("with lambda 0 nothing is refined and with lambda 1 everything is") {
  CHECK(drawn({.lambda = 0.0}, 1).tasks() == 7);
  // A root alone is a leaf of level 0, which lambda^0 = 1 always refines.
  CHECK(drawn({.minimum_height = 1,
               .lambda = 0.0,
               .smallest_subtree_height = 4,
               .largest_subtree_height = 4},
              1)
            .tasks() == 15);
  CHECK(drawn({.lambda = 1.0, .maximum_height = 12}, 1).tasks() == 4095);
  CHECK(drawn({.lambda = 1.0, .maximum_height = 1}, 1).tasks() == 1);
}

TEST_CASE("a tree is cropped to the beginning of the uncropped one") {
  const TaskTree whole = drawn(*task_tree_preset("medium"), 5);
  const auto starts = level_starts(whole);
  for (std::uint32_t levels = 1; levels + 1 < starts.size(); ++levels) {
    TaskTreeShape shape = *task_tree_preset("medium");
    shape.maximum_height = levels;
    const TaskTree cropped = drawn(shape, 5);
    CHECK(std::vector<Task>(whole.parents.begin(), whole.parents.begin() + starts[levels]) ==
          cropped.parents);
  }
}

// The root is a leaf of level 0, refined with 1; its two children are refined with 1/2 each, and
// what they get is cropped: 3, 5 or 7 tasks with 1/4, 1/2, 1/4. Four standard deviations.
TEST_CASE("small trees have the sizes of their exact distribution") {
  const TaskTreeShape shape = {.minimum_height = 1,
                               .lambda = 0.5,
                               .smallest_subtree_height = 2,
                               .largest_subtree_height = 2,
                               .maximum_height = 3};
  std::map<Task, int> counts;
  constexpr int kDraws = 40000;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) ++counts[drawn(shape, seed).tasks()];
  CHECK(counts.size() == 3);
  for (const auto& [tasks, probability] : std::map<Task, double>{{3, 0.25}, {5, 0.5}, {7, 0.25}}) {
    const double deviation = std::sqrt(kDraws * probability * (1.0 - probability));
    CHECK(std::abs(counts[tasks] - kDraws * probability) < 4.0 * deviation);
  }
}

TEST_CASE("trees have on average the size that a recursion over the levels gives") {
  const TaskTreeShape shape = {.lambda = 0.8, .maximum_height = 400};
  const double expected = 3.0 + 4.0 * expected_below(0.8, 2);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kDraws = 20000;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const double tasks = drawn(shape, seed).tasks();
    sum += tasks;
    squares += tasks * tasks;
  }
  const double mean = sum / kDraws;
  const double error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
  CAPTURE(expected, mean, error);
  CHECK(error < 0.01 * expected);
  CHECK(std::abs(mean - expected) < 4.0 * error);
}

TEST_CASE("the same seed and replication give the same tree, others give others") {
  const TaskTreeShape shape = *task_tree_preset("small");
  CHECK(drawn(shape, 3).parents == drawn(shape, 3).parents);
  CHECK(drawn(shape, 3).parents != drawn(shape, 4).parents);
  Stream second = task_tree_stream(3, 1);
  CHECK(drawn(shape, 3).parents != random_task_tree(shape, second).parents);
}

TEST_CASE("a tree that grows too far is given up") {
  const TaskTreeShape endless = {.lambda = 1.0, .maximum_height = 60};
  Stream random = task_tree_stream(1, 0);
  CHECK_FALSE(random_task_tree(endless, random, 1000).has_value());
  CHECK_THROWS_AS(random_task_tree(endless, random), UsageError);
  Stream fits = task_tree_stream(1, 0);
  CHECK(random_task_tree({.lambda = 0.0}, fits, 7).has_value());
  CHECK_FALSE(random_task_tree({.lambda = 0.0}, fits, 6).has_value());
}

TEST_CASE("the possible sizes of a shape hold for every tree, and small shapes reach both ends") {
  const TaskTreeShape of_one_leaf = {.minimum_height = 1,
                                     .lambda = 0.0,
                                     .smallest_subtree_height = 2,
                                     .largest_subtree_height = 3};
  const TaskTreeShape grown = {.minimum_height = 2,
                               .lambda = 0.9,
                               .smallest_subtree_height = 1,
                               .largest_subtree_height = 3,
                               .maximum_height = 4};
  const TaskTreeShape cropped = {.minimum_height = 5, .maximum_height = 3};
  const TaskTreeShape complete = {.minimum_height = 4, .lambda = 0.0};
  for (const TaskTreeShape& shape : {of_one_leaf, grown, cropped, complete}) {
    const TaskTreeSize possible = possible_size(shape);
    Task fewest = kMostTasks;
    Task most = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const Task tasks = drawn(shape, seed).tasks();
      CHECK(tasks % 2 == 1);
      fewest = std::min(fewest, tasks);
      most = std::max(most, tasks);
    }
    CHECK(fewest == possible.fewest);
    CHECK(most == possible.most);
  }
}

TEST_CASE("a search for a size that no tree has ends at once, and any other in some seconds") {
  const TaskTreeShape small = *task_tree_preset("small");
  for (const Task tasks : {1U, 2U, 5U, 8U})
    CHECK_FALSE(random_task_tree_of_size(small, {.fewest = tasks, .most = tasks}, 1));
  const TaskTreeShape flat = {.lambda = 0.5, .maximum_height = 4};
  CHECK_FALSE(random_task_tree_of_size(flat, {.fewest = 17, .most = 4001}, 1));
  // No subtree of one level adds anything, which only the search finds out.
  const TaskTreeShape barren = {.smallest_subtree_height = 1, .largest_subtree_height = 1};
  CHECK_FALSE(random_task_tree_of_size(barren, {.fewest = 9, .most = 9}, 1));
}

TEST_CASE("a search finds a tree of the wanted size and height, the same every time") {
  const TaskTreeShape shape = *task_tree_preset("small");
  const TaskTreeSize size = {.fewest = 47, .most = 47, .most_levels = 8};
  const auto tree = random_task_tree_of_size(shape, size, 1);
  REQUIRE(tree.has_value());
  CHECK(tree->tasks() == 47);
  CHECK(level_starts(*tree).size() - 1 <= 8);
  CHECK(random_task_tree_of_size(shape, size, 1)->parents == tree->parents);
  CHECK_FALSE(random_task_tree_of_size({.lambda = 0.0}, {.fewest = 8, .most = kMostTasks}, 1));
}

TEST_CASE("levels and children are those of the parents") {
  const TaskTree tree = drawn(*task_tree_preset("small"), 2);
  const auto levels = levels_of(tree);
  const auto starts = level_starts(tree);
  CHECK(starts.size() == std::size_t{levels.back()} + 2);
  for (std::uint32_t level = 0; level + 1 < starts.size(); ++level)
    for (Task task = starts[level]; task < starts[level + 1]; ++task)
      REQUIRE(levels[task] == level);
  const auto first = first_children(tree);
  const auto children = children_of(tree);
  REQUIRE(first.size() == children.size() + 1);
  for (Task task = 0; task < tree.tasks(); ++task) {
    REQUIRE(first[task + 1] - first[task] == children[task].size());
    if (!children[task].empty()) REQUIRE(first[task] == children[task].front());
  }
  CHECK(level_starts(TaskTree{}) == std::vector<Task>{0, 1});
  CHECK(first_children(TaskTree{}) == std::vector<Task>{1, 1});
}

TEST_CASE("mappings put tasks on ranks round robin, or uniformly at random") {
  CHECK(round_robin_ranks(5, 3) == std::vector<Rank>{0, 1, 2, 0, 1});
  constexpr Task kTasks = 90000;
  const auto ranks = random_ranks(kTasks, 9, task_mapping_stream(1, 0));
  CHECK(ranks == random_ranks(kTasks, 9, task_mapping_stream(1, 0)));
  CHECK(ranks != random_ranks(kTasks, 9, task_mapping_stream(2, 0)));
  for (Rank rank = 0; rank < 9; ++rank)  // 10000 on average, four deviations are 377
    CHECK(std::abs(std::count(ranks.begin(), ranks.end(), rank) - 10000) < 377);
  CHECK(*std::max_element(ranks.begin(), ranks.end()) == 8);
}

}  // namespace faultline::workloads
