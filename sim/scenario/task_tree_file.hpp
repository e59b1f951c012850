#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/task_tree.hpp"

namespace faultline {

/// Reads a file `{"parents": [null, 0, 0, ...], "ranks": [...]}`: parents in breadth-first order,
/// and the process of every task, which may be left out. A task may have any number of children:
/// the trees of termination-2022 section 5.2 are binary, but no rule that reads them needs that.
/// Throws UsageError that names the file, the place and what was expected there: not a tree, a
/// cycle, another order than breadth first, lists of different lengths.
TaskTreeFile read_task_tree(const std::string& file);
TaskTreeFile parse_task_tree(const std::string& text, const std::string& file);

/// Throws UsageError that names the first task whose rank a job of so many processes does not have.
void require_ranks_below(const TaskTreeFile& tree, std::uint32_t processes);

/// No file of so many tasks is small enough to be read again.
inline constexpr Task kMostWrittenTasks = Task{1} << 22U;

/// The text of such a file; empty `ranks` are left out. Throws UsageError when it would be larger
/// than what can be read again.
std::string task_tree_text(const TaskTree& tree, const std::vector<Rank>& ranks);

}  // namespace faultline
