// SPDX-License-Identifier: Apache-2.0
#include "workloads/n_queens.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace faultline::workloads {

namespace {

/// Squares of the next row that the queens so far attack along columns and both diagonals.
struct Attacks {
  std::uint32_t columns = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;

  [[nodiscard]] std::uint32_t free(std::uint32_t row) const {
    return row & ~(columns | left | right);
  }
  [[nodiscard]] Attacks with(std::uint32_t queen) const {
    return {columns | queen, (left | queen) << 1U, (right | queen) >> 1U};
  }
};

class Search {
 public:
  Search(std::uint32_t board, std::uint32_t cut_depth)
      : board_(board), cut_depth_(cut_depth), row_((1U << board) - 1U) {}

  QueensTasks run() {
    visit({}, 0);
    if (tasks_.nodes.empty()) {  // the tree ends above the cut: it is one task
      tasks_.nodes.push_back(0);
      tasks_.divergence.push_back(0);
    }
    tasks_.nodes.back() += on_the_way_;
    return std::move(tasks_);
  }

 private:
  void visit(const Attacks& attacks, std::uint32_t depth) {
    if (depth == cut_depth_) {
      const std::uint64_t below = below_of(attacks, depth);
      tasks_.nodes.push_back(static_cast<std::uint32_t>(below) + on_the_way_);
      tasks_.divergence.push_back(tasks_.divergence.empty() ? std::uint8_t{0} : diverged_);
      on_the_way_ = 0;
      diverged_ = static_cast<std::uint8_t>(cut_depth_);
      return;
    }
    for (std::uint32_t free = attacks.free(row_); free != 0; free &= free - 1) {
      ++on_the_way_;
      visit(attacks.with(free & -free), depth + 1);
      // The next task differs in this row from the last one, unless it does so further up.
      diverged_ = std::min(diverged_, static_cast<std::uint8_t>(depth + 1));
    }
  }

  /// The last row adds leaves only: they are counted, not visited.
  std::uint64_t below_of(const Attacks& attacks, std::uint32_t depth) {
    std::uint32_t free = attacks.free(row_);
    if (depth + 1 >= board_) {
      const auto leaves = static_cast<std::uint64_t>(std::popcount(free));
      tasks_.solutions += depth == board_ ? 1 : leaves;
      return leaves;
    }
    std::uint64_t nodes = 0;
    for (; free != 0; free &= free - 1)
      nodes += 1 + below_of(attacks.with(free & -free), depth + 1);
    return nodes;
  }

  std::uint32_t board_;
  std::uint32_t cut_depth_;
  std::uint32_t row_;
  std::uint32_t on_the_way_ = 0;  ///< placements since the last task that belong to none yet
  std::uint8_t diverged_ = 0;
  QueensTasks tasks_;
};

}  // namespace

QueensTasks n_queens_tasks(std::uint32_t board, std::uint32_t cut_depth) {
  return Search(board, cut_depth).run();
}

}  // namespace faultline::workloads
