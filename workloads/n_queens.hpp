// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace faultline::workloads {

/// The search tree of the queens puzzle, cut into tasks: one for each placement of `cut_depth`
/// queens in the first rows, in depth-first order.
struct QueensTasks {
  /// The number of partial placements that each task visits: its own, all below it, and those on
  /// the way to it from the task before. Together the tasks visit the whole tree, except the empty
  /// board.
  std::vector<std::uint32_t> nodes;
  /// The first row, from 1, in which a task differs from the one before; 0 for the first.
  std::vector<std::uint8_t> divergence;
  std::uint64_t solutions = 0;
};

/// Searches the whole tree of a board of at most 16 rows: 27 million placements at 14 rows, 1,141
/// million at 16, some hundred million a second. 1 <= cut_depth <= board.
QueensTasks n_queens_tasks(std::uint32_t board, std::uint32_t cut_depth);

}  // namespace faultline::workloads
