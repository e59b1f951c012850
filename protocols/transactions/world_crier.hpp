// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/checkpoints/rank_tree.hpp"
#include "protocols/transactions/world_members.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::transactions {

/// How the news of a world spreads from a process that is in it: to one process, to all, or over a
/// binary tree of the ranks, whose root is the leader that has put the world together.
class WorldCrier {
 public:
  /// `point`: the checkpoint to go on from. `every`: iterations between two checkpoints, which may
  /// have changed since this process heard of the world.
  WorldCrier(const WorldMembers& members, std::uint64_t point, std::uint64_t every,
             std::uint64_t control_bytes);

  void tell(RecoveryContext& context, ActorId to) const;
  void tell_all(RecoveryContext& context) const;
  /// Some ranks may not have heard of this world, because its leader has died. They wait for the
  /// first live rank of the earlier world, which this tells.
  void tell_those_behind(RecoveryContext& context) const;
  /// Tells the ranks below that one in the tree, or below those if they are dead.
  void tell_those_below(RecoveryContext& context, Rank rank) const;
  /// A dead rank may not have passed the news on. The next live rank above it does.
  void take_over_from(RecoveryContext& context, ActorId dead) const;

 private:
  [[nodiscard]] checkpoints::RankTree tree() const;

  const WorldMembers& members_;
  std::shared_ptr<const WorldNews> news_;  ///< many messages can share it
  std::uint64_t point_;
  std::uint64_t bytes_;
};

}  // namespace faultline::transactions
