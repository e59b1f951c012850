// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::exploration {

/// Ranks that are alike, in ascending order: at least two.
using AlikeRanks = std::vector<Rank>;

/// An exchange of ranks: the rank r becomes the rank ranks[r]. Where each rank has a node of its
/// own, the daemons of the nodes change places with their ranks.
class RankExchange {
 public:
  RankExchange(std::vector<Rank> ranks, bool daemons_follow)
      : ranks_(std::move(ranks)), daemons_follow_(daemons_follow) {}

  /// The actor that an actor becomes.
  [[nodiscard]] ActorId operator()(ActorId actor) const {
    if (actor < ranks_.size()) return ranks_[actor];
    const std::size_t node = actor - ranks_.size();
    if (!daemons_follow_ || node >= ranks_.size()) return actor;
    return static_cast<ActorId>(ranks_.size() + ranks_[node]);
  }
  /// What the answer of a rank to a choice about `what` becomes. Only choices about ranks have a
  /// known meaning (sim/core/choices.hpp); other answers do not change.
  [[nodiscard]] std::uint64_t decision(std::string_view what, std::uint64_t answer,
                                       ActorId chooser) const;
  /// True if this exchange does what `to` does after `from`.
  [[nodiscard]] bool leads(const RankExchange& from, const RankExchange& to) const;
  [[nodiscard]] bool is_inverse_of(const RankExchange& other) const;

 private:
  std::vector<Rank> ranks_;
  bool daemons_follow_;
};

/// All exchanges of ranks that are alike, except the one that changes nothing: every permutation
/// within each of these lists.
std::vector<RankExchange> exchanges_of(const std::vector<AlikeRanks>& alike, const JobShape& job);

}  // namespace faultline::exploration
