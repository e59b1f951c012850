#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// A task of a tree, numbered breadth first: task 0 is the root, the tasks of a level follow those
/// of the level above, and siblings stand together.
using Task = std::uint32_t;

/// What stands for the root's parent.
inline constexpr Task kNoTask = kNobody;

/// Larger trees are refused: with lambda near 1 they double every level.
inline constexpr Task kMostTasks = Task{1} << 26U;

/// A tree of tasks in breadth-first order: `parents[0]` is kNoTask, and no later parent is smaller
/// than the one before it. Four bytes a task.
struct TaskTree {
  std::vector<Task> parents = {kNoTask};

  [[nodiscard]] Task tasks() const { return static_cast<Task>(parents.size()); }
  bool operator==(const TaskTree&) const = default;
};

/// A tree that stands in a file, and the process of every task.
struct TaskTreeFile {
  std::string file;  ///< as the user named it
  TaskTree tree;
  std::vector<Rank> ranks;  ///< empty where the file leaves them out
};

}  // namespace faultline
