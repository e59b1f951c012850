// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/core/task_tree.hpp"
#include "sim/core/types.hpp"

namespace faultline::workloads {

/// How the non-deterministic binary trees of termination-2022 section 5.2 grow. Heights count
/// levels: a complete tree of height 3 has 7 tasks, and a subtree of height 2 to 5 that replaces a
/// leaf adds 2 to 30.
struct TaskTreeShape {
  std::uint32_t minimum_height = 3;           ///< L_min: of the complete tree at the start, 1 to 26
  double lambda = 0.8;                        ///< a leaf of level l is refined with lambda^l
  std::uint32_t smallest_subtree_height = 2;  ///< of the subtree that replaces it, 1 to 26
  std::uint32_t largest_subtree_height = 5;   ///< not below the smallest, to 26
  std::uint32_t maximum_height = 30;          ///< L_max: what lies below is cropped; at least 1
};

/// The shape that the paper calls small (lambda 0.8, L_max 30), medium (0.9, 50) or big (0.93, 60),
/// or nothing for another name.
std::optional<TaskTreeShape> task_tree_preset(const std::string& name);

/// The names of the presets.
std::vector<std::string> task_tree_presets();

/// Draws a tree of that shape. Throws UsageError when it grows beyond kMostTasks.
TaskTree random_task_tree(const TaskTreeShape& shape, Stream& random);

/// Draws that tree, or returns nothing if it grows beyond `most_tasks`.
std::optional<TaskTree> random_task_tree(const TaskTreeShape& shape, Stream& random,
                                         Task most_tasks);

/// Bounds on the size of a tree.
struct TaskTreeSize {
  Task fewest = 1;
  Task most = kMostTasks;
  std::uint32_t most_levels = kNobody;
};

/// No tree of that shape has fewer tasks, or more. A tree has an odd number of them.
TaskTreeSize possible_size(const TaskTreeShape& shape);

/// Returns the first tree of that size among the replications 0, 1, ... of a seed, or nothing if a
/// search of some ten seconds finds none.
std::optional<TaskTree> random_task_tree_of_size(const TaskTreeShape& shape,
                                                 const TaskTreeSize& size, std::uint64_t seed);

/// The streams of random numbers from which the tree and the random mapping of a seed are drawn,
/// the same on every machine. No rank draws from them.
Stream task_tree_stream(std::uint64_t seed, std::uint64_t replication);
Stream task_mapping_stream(std::uint64_t seed, std::uint64_t replication);

/// The rank of every task under the round-robin mapping: task x is on rank x mod P.
std::vector<Rank> round_robin_ranks(Task tasks, std::uint32_t processes);

/// The rank of every task under the random mapping: drawn uniformly from all P, task by task.
std::vector<Rank> random_ranks(Task tasks, std::uint32_t processes, Stream random);

/// The first task of every level, followed by the number of tasks.
std::vector<Task> level_starts(const TaskTree& tree);

/// The children of task t are the tasks from `first[t]` up to, not including, `first[t + 1]`.
std::vector<Task> first_children(const TaskTree& tree);

}  // namespace faultline::workloads
