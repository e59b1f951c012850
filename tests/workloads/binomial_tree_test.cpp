// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "workloads/binomial_tree.hpp"

namespace faultline::workloads {

TEST_CASE("the ranks of a binomial tree by hand") {
  // Of 6 ranks, 0 tells 1, 2 and 4; 2 tells 3; 4 tells 5; and 6, the other child of 4, is not
  // there.
  CHECK(child_dimensions(0, 6) == 0b111);
  CHECK(child_dimensions(1, 6) == 0);
  CHECK(child_dimensions(2, 6) == 0b001);
  CHECK(child_dimensions(3, 6) == 0);
  CHECK(child_dimensions(4, 6) == 0b001);
  CHECK(child_dimensions(5, 6) == 0);
  CHECK(child_dimensions(0, 1) == 0);
  CHECK(largest_bit(0b1011) == 0b1000);
}

TEST_CASE("in a binomial tree of any size each rank but 0 has one parent, a neighbour below it") {
  for (std::uint32_t processes = 1; processes <= 300; ++processes) {
    std::vector<int> parents(processes);
    for (Rank rank = 0; rank < processes; ++rank)
      for (std::uint32_t i = 0; i < 32; ++i) {
        if ((child_dimensions(rank, processes) & dimension_bit(i)) == 0) continue;
        const Rank child = rank ^ dimension_bit(i);
        REQUIRE(child > rank);
        REQUIRE(child < processes);
        ++parents[child];
      }
    CAPTURE(processes);
    CHECK(parents[0] == 0);
    for (Rank rank = 1; rank < processes; ++rank) CHECK(parents[rank] == 1);
  }
}

}  // namespace faultline::workloads
