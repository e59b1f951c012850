// SPDX-License-Identifier: Apache-2.0
#include "sim/core/placement.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

Placement Placement::in_blocks(std::uint32_t processes, std::uint32_t nodes,
                               std::uint32_t ranks_per_node) {
  Placement placement;
  placement.processes_ = processes;
  placement.nodes_ = nodes;
  placement.ranks_per_block_ = ranks_per_node;
  // The reciprocal, rounded up, is too large by less than 1 / 2^32. For a rank r that adds less
  // than r / 2^32 to the quotient, and quotients are 1 / ranks_per_node apart from the next whole.
  constexpr std::uint64_t kOne = std::uint64_t{1} << kReciprocalBits;
  if (std::uint64_t{processes} * ranks_per_node < kOne)
    placement.reciprocal_ = (kOne + ranks_per_node - 1) / ranks_per_node;
  return placement;
}

Placement::Placement(std::vector<NodeId> node_of_rank, std::uint32_t nodes)
    : nodes_(nodes),
      processes_(static_cast<std::uint32_t>(node_of_rank.size())),
      node_of_(std::move(node_of_rank)) {
  list_ranks();
}

void Placement::list_ranks() {
  ranks_on_.resize(nodes_);
  for (Rank rank = 0; rank < processes_; ++rank) ranks_on_[node_of_[rank]].push_back(rank);
}

std::vector<NodeId> Placement::nodes_of_ranks() const {
  if (ranks_per_block_ == 0) return node_of_;
  std::vector<NodeId> nodes(processes_);
  for (Rank rank = 0; rank < processes_; ++rank) nodes[rank] = rank / ranks_per_block_;
  return nodes;
}

std::vector<Rank> Placement::ranks_on(NodeId node) const {
  if (ranks_per_block_ == 0) return ranks_on_[node];
  std::vector<Rank> ranks;
  const std::uint64_t first = std::uint64_t{node} * ranks_per_block_;
  for (std::uint64_t rank = first;
       rank < std::min<std::uint64_t>(first + ranks_per_block_, processes_); ++rank)
    ranks.push_back(static_cast<Rank>(rank));
  return ranks;
}

void Placement::move(Rank rank, NodeId node) {
  if (node == node_of(rank)) return;
  if (ranks_per_block_ > 0) {
    node_of_ = nodes_of_ranks();
    ranks_per_block_ = 0;
    reciprocal_ = 0;
    list_ranks();
  }
  std::erase(ranks_on_[node_of_[rank]], rank);
  auto& ranks = ranks_on_[node];
  ranks.insert(std::lower_bound(ranks.begin(), ranks.end(), rank), rank);
  node_of_[rank] = node;
}

}  // namespace faultline
