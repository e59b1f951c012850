// SPDX-License-Identifier: Apache-2.0
#include "workloads/task_list.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "sim/core/random.hpp"
#include "workloads/n_queens.hpp"

namespace faultline::workloads {

namespace {

/// Beyond the key of every rank, daemon and incarnation, so that no component draws from the same
/// stream.
constexpr std::uint64_t kTaskListKey = std::uint64_t{1} << 62U;

template <class Draw>
TaskList drawn_list(std::uint32_t tasks, double mean_s, std::uint64_t seed, Draw draw) {
  Stream random(seed, 0, Purpose::workload, kTaskListKey);
  TaskList list;
  list.weights.resize(tasks);
  for (std::uint32_t& weight : list.weights) weight = draw(random);
  const double sum = std::accumulate(list.weights.begin(), list.weights.end(), 0.0);
  list.weight_s = mean_s * tasks / sum;
  return list;
}

// Draws a point of the unit ball by rejection, without a function of the mathematical library whose
// last bit differs between machines.
double squared_distance(Stream& random) {
  for (;;) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = 2.0 * random.uniform() - 1.0;
      sum += x * x;
    }
    if (sum < 1.0) return sum;
  }
}

struct CountedBoard {
  std::uint32_t board = 0;
  std::uint32_t cut_depth = 0;
  QueensTasks tasks;
};

/// Counting a large board takes longer than a run, and most runs of a process are of the same
/// board. So the result is kept. It depends on the arguments alone, and task lists copy it: no
/// component refers to it.
const QueensTasks& counted(std::uint32_t board, std::uint32_t cut_depth) {
  static CountedBoard last;
  if (last.board != board || last.cut_depth != cut_depth)
    last = {board, cut_depth, n_queens_tasks(board, cut_depth)};
  return last.tasks;
}

}  // namespace

TaskList n_queens_list(std::uint32_t board, std::uint32_t cut_depth, double node_s) {
  const QueensTasks& queens = counted(board, cut_depth);
  return {queens.nodes, queens.divergence, node_s};
}

TaskList hartree_fock_list(std::uint32_t tasks, double mean_s, std::uint64_t seed) {
  return drawn_list(tasks, mean_s, seed, [](Stream& random) {
    constexpr double kLargest = 1e6;
    const double left = 1.0 - squared_distance(random);
    return 1 + static_cast<std::uint32_t>(kLargest * left * std::sqrt(left));
  });
}

TaskList tensor_contraction_list(std::uint32_t tasks, double mean_s, std::uint64_t seed) {
  return drawn_list(tasks, mean_s, seed, [](Stream& random) {
    constexpr std::uint32_t kSmallestTile = 20;
    constexpr std::uint32_t kTiles = 41;
    std::uint32_t product = 1;
    for (int index = 0; index < 4; ++index)
      product *= kSmallestTile + static_cast<std::uint32_t>(random.below(kTiles));
    return product;
  });
}

}  // namespace faultline::workloads
