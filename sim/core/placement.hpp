// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline {

/// Which actors lie on which nodes. It changes when a rank restarts on another node.
class Placement {
 public:
  Placement() = default;
  /// `processes` ranks that fill one of `nodes` nodes after the other.
  static Placement in_blocks(std::uint32_t processes, std::uint32_t nodes,
                             std::uint32_t ranks_per_node);
  /// Rank r lies on `node_of_rank[r]`.
  Placement(std::vector<NodeId> node_of_rank, std::uint32_t nodes);

  [[nodiscard]] NodeId node_of(ActorId actor) const {
    // Ranks in blocks are the usual case. A division is faster than a table that is not in cache,
    // and a multiplication by the reciprocal is faster still.
    if (actor >= processes_) return actor - processes_;
    if (reciprocal_ > 0) return static_cast<NodeId>(actor * reciprocal_ >> kReciprocalBits);
    return ranks_per_block_ > 0 ? actor / ranks_per_block_ : node_of_[actor];
  }
  /// The address of the node's daemon.
  [[nodiscard]] ActorId daemon_of(NodeId node) const { return processes_ + node; }
  /// The ranks on a node, in the order of their numbers.
  [[nodiscard]] std::vector<Rank> ranks_on(NodeId node) const;

  [[nodiscard]] std::vector<NodeId> nodes_of_ranks() const;

  void move(Rank rank, NodeId node);

 private:
  static constexpr unsigned kReciprocalBits = 32;

  void list_ranks();

  std::uint32_t nodes_ = 0;
  std::uint32_t processes_ = 0;
  std::uint32_t ranks_per_block_ = 0;  ///< 0: not in blocks, look into node_of_
  std::uint64_t reciprocal_ = 0;       ///< of ranks_per_block_; 0 where it would not be exact
  std::vector<NodeId> node_of_;
  std::vector<std::vector<Rank>> ranks_on_;  ///< empty while they are in blocks
};

}  // namespace faultline
