// SPDX-License-Identifier: Apache-2.0
#include "sim/core/placement.hpp"

#include <catch2/catch.hpp>

namespace faultline {

TEST_CASE("ranks in blocks lie on the nodes that a division gives, in jobs of any size") {
  for (const std::uint32_t per_node : {1U, 2U, 3U, 7U, 22U, 64U, 999U, 65535U, 70000U})
    for (const std::uint32_t processes : {1U, 1000U, 65536U, 1048576U, 3145728U, 50000000U}) {
      const std::uint32_t nodes = (processes + per_node - 1) / per_node;
      const Placement placement = Placement::in_blocks(processes, nodes, per_node);
      std::uint32_t wrong = 0;
      const auto check = [&](std::uint64_t rank) {
        if (rank < processes)
          wrong += placement.node_of(static_cast<Rank>(rank)) != rank / per_node ? 1 : 0;
      };
      for (std::uint64_t node = 0; node < 2000; ++node)  // around the borders of blocks
        for (const std::uint64_t first : {node * per_node, (nodes - 1 - node % nodes) * per_node}) {
          check(first);
          check(first + per_node - 1);
        }
      check(processes - 1);
      INFO(processes << " ranks, " << per_node << " to a node");
      CHECK(wrong == 0);
      CHECK(placement.node_of(processes + 5) == 5);
    }
}

}  // namespace faultline
