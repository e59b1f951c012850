// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// A task of a tree, numbered breadth first: task 0 is the root, the tasks of a level follow those
/// of the level above, and siblings have consecutive numbers.
using Task = std::uint32_t;

/// Stands for the parent of the root, which has none.
inline constexpr Task kNoTask = kNobody;

/// Larger trees are refused. With lambda near 1 a tree doubles with every level.
inline constexpr Task kMostTasks = Task{1} << 26U;

/// A tree of tasks in breadth-first order, four bytes per task. `parents[0]` is kNoTask; from
/// `parents[1]` on, the numbers never decrease.
struct TaskTree {
  std::vector<Task> parents = {kNoTask};

  [[nodiscard]] Task tasks() const { return static_cast<Task>(parents.size()); }
  bool operator==(const TaskTree&) const = default;
};

/// A tree read from a file, with the process of each task.
struct TaskTreeFile {
  std::string file;  ///< as the user named it
  TaskTree tree;
  std::vector<Rank> ranks;  ///< empty if the file leaves them out
};

}  // namespace faultline
