// SPDX-License-Identifier: Apache-2.0
#include "workloads/random_task_tree.hpp"

#include <algorithm>
#include <iterator>

#include "sim/core/error.hpp"

namespace faultline::workloads {

namespace {

/// Beyond the key of every rank and daemon, so that no component draws from the same stream.
constexpr std::uint64_t kTreeKey = std::uint64_t{1} << 32U;
constexpr std::uint64_t kMappingKey = kTreeKey + 1;

/// A search ends after this many tasks, if every draw had as many as it may. Drawing a small tree
/// counts as this many tasks.
constexpr std::uint64_t kSearchedTasks = std::uint64_t{1} << 30U;
constexpr std::uint64_t kTasksOfADraw = 128;

/// The tasks of a complete tree with that many levels, as far as a Task can count.
Task tasks_of_complete_tree(std::uint32_t levels) {
  constexpr std::uint32_t kMostLevels = 31;
  return (Task{1} << std::min(levels, kMostLevels)) - 1;
}

struct Preset {
  const char* name;
  TaskTreeShape shape;
};

constexpr Preset kPresets[] = {
    {"small", {.lambda = 0.8, .maximum_height = 30}},
    {"medium", {.lambda = 0.9, .maximum_height = 50}},
    {"big", {.lambda = 0.93, .maximum_height = 60}},
};

}  // namespace

std::optional<TaskTreeShape> task_tree_preset(const std::string& name) {
  for (const Preset& preset : kPresets)
    if (preset.name == name) return preset.shape;
  return std::nullopt;
}

std::vector<std::string> task_tree_presets() {
  std::vector<std::string> names;
  names.reserve(std::size(kPresets));
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

// The paper refines all leaves, then the new ones, and crops the finished tree. Whether a leaf is
// refined depends on its level alone, so growing level by level draws the same trees in
// breadth-first order, and cropping is to stop. A task is known by the levels of the complete
// subtree that are still to come below it; without any, it is a leaf that may be refined.
std::optional<TaskTree> random_task_tree(const TaskTreeShape& shape, Stream& random,
                                         Task most_tasks) {
  const std::uint32_t heights = shape.largest_subtree_height - shape.smallest_subtree_height + 1;
  TaskTree tree;
  std::vector<std::uint8_t> level = {static_cast<std::uint8_t>(shape.minimum_height - 1)};
  std::vector<std::uint8_t> below;
  double refined = 1.0;  // lambda^l by products: pow() is not the same on every machine
  for (std::uint32_t l = 0; l + 1 < shape.maximum_height && !level.empty(); ++l) {
    const auto first = static_cast<Task>(tree.parents.size() - level.size());
    below.clear();
    for (std::size_t i = 0; i < level.size(); ++i) {
      std::uint32_t to_come = level[i];
      if (to_come == 0 && random.chance(refined))
        to_come =
            shape.smallest_subtree_height - 1 + static_cast<std::uint32_t>(random.below(heights));
      if (to_come == 0) continue;
      if (tree.parents.size() + 2 > most_tasks) return std::nullopt;
      below.insert(below.end(), 2, static_cast<std::uint8_t>(to_come - 1));
      tree.parents.insert(tree.parents.end(), 2, first + static_cast<Task>(i));
    }
    level.swap(below);
    refined *= shape.lambda;
  }
  return tree;
}

TaskTree random_task_tree(const TaskTreeShape& shape, Stream& random) {
  if (auto tree = random_task_tree(shape, random, kMostTasks)) return *std::move(tree);
  throw UsageError("the tree grows beyond " + std::to_string(kMostTasks) +
                   " tasks, expected a smaller lambda or maximum height");
}

TaskTreeSize possible_size(const TaskTreeShape& shape) {
  const std::uint32_t least = std::min(shape.minimum_height, shape.maximum_height);
  // The leaves of the first level are refined for certain, those of the others never without a
  // lambda.
  std::uint32_t most = shape.maximum_height;
  if (shape.lambda == 0.0) most = std::min(most, shape.minimum_height);
  if (shape.minimum_height > 1)
    return {.fewest = tasks_of_complete_tree(least), .most = tasks_of_complete_tree(most)};
  const std::uint32_t first = std::min(shape.smallest_subtree_height, shape.maximum_height);
  if (shape.lambda == 0.0) most = std::min(shape.largest_subtree_height, shape.maximum_height);
  return {.fewest = tasks_of_complete_tree(first), .most = tasks_of_complete_tree(most)};
}

std::optional<TaskTree> random_task_tree_of_size(const TaskTreeShape& shape,
                                                 const TaskTreeSize& size, std::uint64_t seed) {
  const TaskTreeSize possible = possible_size(shape);
  const bool has_odd = size.fewest < size.most || size.fewest % 2 == 1;
  if (size.most < possible.fewest || size.fewest > possible.most || !has_odd) return std::nullopt;
  const std::uint64_t cost = std::max<std::uint64_t>(size.most, kTasksOfADraw);
  for (std::uint64_t draw = 0; draw * cost < kSearchedTasks; ++draw) {
    Stream random = task_tree_stream(seed, draw);
    auto tree = random_task_tree(shape, random, size.most);
    if (tree && tree->tasks() >= size.fewest && level_starts(*tree).size() - 1 <= size.most_levels)
      return tree;
  }
  return std::nullopt;
}

Stream task_tree_stream(std::uint64_t seed, std::uint64_t replication) {
  return {seed, replication, Purpose::workload, kTreeKey};
}

Stream task_mapping_stream(std::uint64_t seed, std::uint64_t replication) {
  return {seed, replication, Purpose::workload, kMappingKey};
}

std::vector<Rank> round_robin_ranks(Task tasks, std::uint32_t processes) {
  std::vector<Rank> ranks(tasks);
  for (Task task = 0; task < tasks; ++task) ranks[task] = task % processes;
  return ranks;
}

std::vector<Rank> random_ranks(Task tasks, std::uint32_t processes, Stream random) {
  std::vector<Rank> ranks(tasks);
  for (Rank& rank : ranks) rank = static_cast<Rank>(random.below(processes));
  return ranks;
}

std::vector<Task> level_starts(const TaskTree& tree) {
  std::vector<Task> starts = {0};
  for (Task task = 1; task < tree.tasks(); ++task)
    if (tree.parents[task] >= starts.back()) starts.push_back(task);
  starts.push_back(tree.tasks());
  return starts;
}

std::vector<Task> first_children(const TaskTree& tree) {
  std::vector<Task> first(tree.parents.size() + 1, tree.tasks());
  Task task = 0;
  for (Task child = 1; child < tree.tasks(); ++child)
    while (task <= tree.parents[child]) first[task++] = child;
  return first;
}

}  // namespace faultline::workloads
