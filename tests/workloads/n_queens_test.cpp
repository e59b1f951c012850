// SPDX-License-Identifier: Apache-2.0

// The tasks of the queens puzzle and of the other benchmarks, and the deque that holds them.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <numeric>

#include "sim/core/random.hpp"
#include "workloads/n_queens.hpp"
#include "workloads/task_list.hpp"
#include "workloads/task_range.hpp"

namespace faultline::workloads {

namespace {

/// Placements of the first rows, each the column of its queen, in depth-first order.
using QueensPlaced = std::vector<int>;

void place(int board, std::size_t depth, const QueensPlaced& so_far,
           std::vector<QueensPlaced>& all) {
  all.push_back(so_far);
  if (so_far.size() == depth) return;
  for (int column = 0; column < board; ++column) {
    bool attacked = false;
    const auto row = static_cast<int>(so_far.size());
    for (int other = 0; other < row; ++other) {
      const int there = so_far[static_cast<std::size_t>(other)];
      attacked = attacked || there == column || std::abs(there - column) == row - other;
    }
    if (attacked) continue;
    QueensPlaced next = so_far;
    next.push_back(column);
    place(board, depth, next, all);
  }
}

std::vector<QueensPlaced> placements(int board, std::size_t depth, const QueensPlaced& from = {}) {
  std::vector<QueensPlaced> all;
  place(board, depth, from, all);
  return all;
}

std::uint64_t sum(const std::vector<std::uint32_t>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("The queens' trees have the published numbers of placements and solutions") {
  // Solutions: OEIS A000170. Placements of eight queens by level: Knuth, The Art of Computer
  // Programming, volume 4B, section 7.2.2; with the empty board they are 2057.
  const std::vector<std::uint64_t> solutions = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
  for (std::uint32_t board = 1; board <= solutions.size(); ++board)
    CHECK(n_queens_tasks(board, 1).solutions == solutions[board - 1]);
  const std::vector<std::size_t> profile = {8, 42, 140, 344, 568, 550, 312, 92};
  for (std::uint32_t cut = 1; cut <= 8; ++cut) {
    const QueensTasks tasks = n_queens_tasks(8, cut);
    CHECK(tasks.nodes.size() == profile[cut - 1]);
    CHECK(sum(tasks.nodes) + 1 == 2057);
  }
}

TEST_CASE("Every task of the queens has the placements that plain search finds") {
  for (int board = 1; board <= 7; ++board)
    for (int cut = 1; cut <= board; ++cut) {
      CAPTURE(board, cut);
      const auto depth = static_cast<std::size_t>(cut);
      const QueensTasks tasks =
          n_queens_tasks(static_cast<std::uint32_t>(board), static_cast<std::uint32_t>(cut));
      std::vector<std::uint32_t> nodes;
      std::vector<std::uint8_t> divergence;
      std::uint32_t on_the_way = 0;
      QueensPlaced last;
      for (const QueensPlaced& placement : placements(board, depth)) {
        if (placement.empty()) continue;
        ++on_the_way;
        if (placement.size() < depth) continue;
        const auto below = placements(board, static_cast<std::size_t>(board), placement).size() - 1;
        nodes.push_back(on_the_way + static_cast<std::uint32_t>(below));
        const auto differ =
            std::mismatch(placement.begin(), placement.end(), last.begin(), last.end());
        divergence.push_back(
            static_cast<std::uint8_t>(last.empty() ? 0 : differ.first - placement.begin() + 1));
        last = placement;
        on_the_way = 0;
      }
      if (nodes.empty()) {
        nodes.push_back(0);
        divergence.push_back(0);
      }
      nodes.back() += on_the_way;
      CHECK(tasks.nodes == nodes);
      CHECK(tasks.divergence == divergence);
    }
}

TEST_CASE("The lists of several boards, asked for in turn, are each of their own board") {
  for (const auto& [board, cut] : {std::pair{8U, 4U}, {8U, 3U}, {6U, 3U}, {8U, 4U}}) {
    const QueensTasks tasks = n_queens_tasks(board, cut);
    const TaskList list = n_queens_list(board, cut, 2.0);
    CHECK(list.weights == tasks.nodes);
    CHECK(list.divergence == tasks.divergence);
    CHECK(list.compute_s(0) == 2.0 * tasks.nodes[0]);
  }
}

TEST_CASE("A deque of ranges gives up what a deque of tasks would") {
  // Entries are placements: the owner takes the newest and makes its children until it has one at
  // the cut; a thief gets the oldest with all that comes of it.
  constexpr int kBoard = 6;
  constexpr std::size_t kCut = 4;
  const QueensTasks tasks = n_queens_tasks(kBoard, kCut);
  std::vector<QueensPlaced> leaves;
  for (const QueensPlaced& placement : placements(kBoard, kCut))
    if (placement.size() == kCut) leaves.push_back(placement);
  const auto leaves_below = [&](const QueensPlaced& top) {
    TaskRange range{};
    for (std::uint32_t i = 0; i < leaves.size(); ++i)
      if (std::equal(top.begin(), top.end(), leaves[i].begin())) {
        if (range.size() == 0) range.begin = i;
        range.end = i + 1;
      }
    return range;
  };
  const auto expand = [&](std::deque<QueensPlaced>& entries) {
    while (!entries.empty() && entries.back().size() < kCut) {
      const QueensPlaced newest = entries.back();
      entries.pop_back();
      auto children = placements(kBoard, newest.size() + 1, newest);
      for (std::size_t i = children.size(); i-- > 1;)
        if (leaves_below(children[i]).size() > 0) entries.push_back(children[i]);
    }
  };
  Stream random(3, 0, Purpose::workload, 0);
  for (int run = 0; run < 200; ++run) {
    std::deque<QueensPlaced> entries{{}};
    TaskDeque deque;
    deque.put({0, static_cast<std::uint32_t>(leaves.size())});
    for (expand(entries); !entries.empty(); expand(entries)) {
      REQUIRE_FALSE(deque.empty());
      if (random.chance(0.5)) {
        CHECK(leaves[deque.take()] == entries.back());
        entries.pop_back();
      } else {
        CHECK(deque.steal_one(tasks.divergence) == leaves_below(entries.front()));
        entries.pop_front();
      }
    }
    CHECK(deque.empty());
  }
}

TEST_CASE("Half of a deque is the last half of its oldest range") {
  TaskDeque deque;
  deque.put({10, 15});
  deque.put({40, 41});
  CHECK(deque.take() == 40);
  deque.put({20, 22});
  CHECK(deque.steal_half() == TaskRange{12, 15});
  CHECK(deque.steal_half() == TaskRange{11, 12});
  CHECK(deque.steal_half() == TaskRange{10, 11});
  CHECK(deque.steal_one({}) == TaskRange{21, 22});
  CHECK(deque.take() == 20);
  CHECK(deque.empty());
}

TEST_CASE("Estimated task sizes follow their models") {
  constexpr std::uint32_t kTasks = 200000;
  const auto moments = [](const TaskList& list) {
    double mean = 0;
    double square = 0;
    for (std::uint32_t task = 0; task < list.tasks(); ++task) {
      mean += list.compute_s(task) / list.tasks();
      square += std::pow(list.compute_s(task), 2) / list.tasks();
    }
    return std::pair(mean, square / mean / mean);
  };
  // With r uniform in the unit ball and w = (1 - r^2)^(3/2): E w = 3 pi / 32, E w^2 = 16 / 105.
  const auto [fock, fock_square] = moments(hartree_fock_list(kTasks, 2e-3, 1));
  CHECK(fock == Approx(2e-3));
  CHECK(fock_square == Approx(16.0 / 105 / std::pow(3 * M_PI / 32, 2)).epsilon(0.01));
  // An extent uniform on 20 to 60 has mean 40 and variance (41^2 - 1) / 12 = 140.
  const auto [tensor, tensor_square] = moments(tensor_contraction_list(kTasks, 1.0, 1));
  CHECK(tensor == Approx(1.0));
  CHECK(tensor_square == Approx(std::pow(1 + 140.0 / 1600, 4)).epsilon(0.01));
  CHECK(hartree_fock_list(100, 1, 1).weights == hartree_fock_list(100, 1, 1).weights);
  CHECK(hartree_fock_list(100, 1, 1).weights != hartree_fock_list(100, 1, 2).weights);
}

}  // namespace faultline::workloads
