// SPDX-License-Identifier: Apache-2.0

// A reduction on a tree of ranks, contribution by contribution.

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "workloads/tree_reduction.hpp"

namespace faultline::workloads {

namespace {

using Part = TreeReduction::Part;

}  // namespace

TEST_CASE("each rank but the root is the child of one other") {
  for (const std::uint32_t processes : {1U, 2U, 3U, 6U, 7U, 100U}) {
    std::vector<int> parents(processes);
    for (Rank rank = 0; rank < processes; ++rank) {
      const auto [first, past] = TreeReduction(rank, processes, 1).children();
      for (Rank child = first; child < past; ++child) {
        ++parents[child];
        CHECK(TreeReduction::parent_of(child) == rank);
      }
    }
    CHECK(parents[0] == 0);
    for (Rank rank = 1; rank < processes; ++rank) CHECK(parents[rank] == 1);
  }
}

TEST_CASE("a reduction is complete when all have contributed, and has the smallest value") {
  TreeReduction reduction(0, 3, 2);  // two of its own, two children
  for (const std::uint64_t value : {7U, 5U, 9U}) {
    reduction.take({0, value});
    CHECK_FALSE(reduction.complete());
  }
  reduction.take({0, 6});
  const auto whole = reduction.complete();
  REQUIRE(whole);
  CHECK(whole->number == 0);
  CHECK(whole->smallest == 5);
  CHECK_FALSE(reduction.complete());
}

TEST_CASE("contributions to later reductions wait for their turn, those to earlier ones are void") {
  TreeReduction reduction(1, 4, 1);  // one of its own, one child
  for (const std::uint64_t number : {2U, 1U}) reduction.take({number, 10 * number});
  CHECK_FALSE(reduction.complete());
  reduction.take({0, 3});
  reduction.take({0, 4});
  CHECK(reduction.complete()->smallest == 3);
  reduction.take({0, 1});
  CHECK_FALSE(reduction.complete());
  reduction.take({1, 11});
  CHECK(reduction.complete()->smallest == 10);
  reduction.take({2, 19});
  const auto last = reduction.complete();
  CHECK(last->number == 2);
  CHECK(last->smallest == 19);
}

}  // namespace faultline::workloads
