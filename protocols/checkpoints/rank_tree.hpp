// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "protocols/termination/control_tree.hpp"

namespace faultline::checkpoints {

/// The control tree of the detectors with any rank as its root: the ranks are counted from there.
struct RankTree {
  std::uint32_t processes = 1;
  Rank root = 0;

  [[nodiscard]] Rank parent(Rank rank) const {
    return at(termination::ControlTree::parent((rank + processes - root) % processes));
  }
  [[nodiscard]] std::uint32_t child_count(Rank rank) const {
    return termination::ControlTree{processes}.child_count((rank + processes - root) % processes);
  }
  template <class Visit>
  void for_each_child(Rank rank, Visit visit) const {
    termination::ControlTree{processes}.for_each_child((rank + processes - root) % processes,
                                                       [&](Rank child) { visit(at(child)); });
  }

 private:
  [[nodiscard]] Rank at(Rank place) const {
    return static_cast<Rank>((std::uint64_t{place} + root) % processes);
  }
};

}  // namespace faultline::checkpoints
