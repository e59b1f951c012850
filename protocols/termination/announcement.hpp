// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "protocols/termination/control_tree.hpp"
#include "protocols/termination/failed_ranks.hpp"
#include "sim/core/termination_context.hpp"

namespace faultline::termination {

/// One rank's part in an announcement that goes down the control tree and survives deaths. A rank
/// that has announced also tells the children of a dead child, and so on downwards. It does so when
/// it announces and, for deaths that it is told of later, when it is told.
class Announcement {
 public:
  Announcement(std::uint32_t processes, Rank self, std::uint16_t kind, std::uint64_t bytes)
      : tree_{processes}, self_(self), bytes_(bytes), kind_(kind) {}

  /// The phase begins at this rank. From now on it stands in for each dead rank as it is told of
  /// the death. It was told of earlier deaths in an earlier phase, and stood in for those ranks
  /// then.
  void begin() { begun_ = true; }

  /// Announces once, and tells the children and those of the failed below this rank.
  void announce(TerminationContext& context, const FailedRanks& failed) {
    if (announced_) return;
    announced_ = true;
    tell_children(context, failed, self_, context.phase());
    context.announce();
  }

  [[nodiscard]] bool announced() const { return announced_; }
  void digest(Digest& into) const { into.add(begun_, announced_); }

  /// Repeats the announcements that the peer may not have passed on. `failed` contains the peer.
  void peer_failed(TerminationContext& context, const FailedRanks& failed, Rank peer) const {
    if (!begun_ || !stands_in_for(peer, failed)) return;
    const std::uint32_t phases = context.phase() + (announced_ ? 1 : 0);
    for (std::uint32_t phase = 0; phase < phases; ++phase)
      tell_children(context, failed, peer, phase);
  }

 private:
  void tell_children(TerminationContext& context, const FailedRanks& failed, Rank rank,
                     std::uint32_t phase) const {
    tree_.tell_children(context, rank, kind_, bytes_, phase,
                        [&failed](Rank child) { return failed.contains(child); });
  }
  /// True if the peer is below this rank, and all ranks between have failed.
  [[nodiscard]] bool stands_in_for(Rank peer, const FailedRanks& failed) const {
    while (peer != 0 && peer != self_) {
      peer = ControlTree::parent(peer);
      if (peer != self_ && !failed.contains(peer)) return false;
    }
    return peer == self_;
  }

  ControlTree tree_;
  Rank self_;
  std::uint64_t bytes_;
  std::uint16_t kind_;
  bool begun_ = false;
  bool announced_ = false;
};

}  // namespace faultline::termination
