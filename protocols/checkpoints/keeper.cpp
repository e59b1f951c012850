// SPDX-License-Identifier: Apache-2.0
#include "protocols/checkpoints/keeper.hpp"

namespace faultline::checkpoints {

Rank keeper_of(const Placement& placement, const JobShape& job, Rank self) {
  const NodeId node = placement.node_of(self);
  for (std::uint32_t step = 0; step < job.processes; ++step) {
    const auto rank =
        static_cast<Rank>((std::uint64_t{self} + job.processes_per_node + step) % job.processes);
    if (placement.node_of(rank) != node) return rank;
  }
  return kNobody;
}

}  // namespace faultline::checkpoints
