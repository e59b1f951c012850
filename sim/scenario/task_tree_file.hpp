// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/task_tree.hpp"

namespace faultline::scenario {

/// Reads a file `{"parents": [null, 0, 0, ...], "ranks": [...]}`. `parents` are in breadth-first
/// order. `ranks`, the process of each task, may be left out. A task may have any number of
/// children: the trees of termination-2022 section 5.2 are binary, but nothing here needs that.
/// Throws UsageError, which names the file, the place and what was expected there, if the parents
/// are not a tree, have a cycle or another order, or if the lists differ in length.
TaskTreeFile read_task_tree(const std::string& file);
TaskTreeFile parse_task_tree(const std::string& text, const std::string& file);

/// Throws UsageError, which names the first task whose rank is not below `processes`.
void require_ranks_below(const TaskTreeFile& tree, std::uint32_t processes);

/// A file with more tasks than this would be too large to be read again.
inline constexpr Task kMostWrittenTasks = Task{1} << 22U;

/// The text of a task tree file. Empty `ranks` are left out. Throws UsageError if the text would be
/// too large to be read again.
std::string task_tree_text(const TaskTree& tree, const std::vector<Rank>& ranks);

}  // namespace faultline::scenario
