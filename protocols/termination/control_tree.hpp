// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/invariant.hpp"
#include "sim/core/termination_context.hpp"

namespace faultline::termination {

/// The static control tree of the detectors: a binary heap on the ranks with rank 0 as its root
/// (PaRSEC and vt both use it).
struct ControlTree {
  std::uint32_t processes = 1;

  [[nodiscard]] static Rank parent(Rank rank) {
    invariant(rank > 0, "something asks for the parent of the root of the control tree");
    return (rank - 1) / 2;
  }
  [[nodiscard]] std::uint32_t child_count(Rank rank) const {
    const std::uint64_t first = 2 * std::uint64_t{rank} + 1;
    if (first >= processes) return 0;
    return first + 1 < processes ? 2 : 1;
  }
  /// The child of `from` whose subtree holds `descendant`, a rank below `from`.
  [[nodiscard]] static Rank child_towards(Rank from, Rank descendant) {
    invariant(descendant > from,
              "child_towards looks for a rank in a subtree that does not hold it");
    while (parent(descendant) != from) {
      descendant = parent(descendant);
      invariant(descendant > from,
                "child_towards looks for a rank in a subtree that does not hold it");
    }
    return descendant;
  }
  template <class Visit>
  void for_each_child(Rank rank, Visit visit) const {
    for (std::uint32_t i = 0; i < child_count(rank); ++i) visit(2 * rank + 1 + i);
  }
  /// Sends an announcement of that kind and size to the children of a rank, and in place of each
  /// child that is `gone` to the children of that child.
  template <class Gone>
  void tell_children(TerminationContext& context, Rank rank, std::uint16_t kind,
                     std::uint64_t bytes, std::uint32_t phase, Gone gone) const {
    for_each_child(rank, [&](Rank child) {
      if (gone(child))
        tell_children(context, child, kind, bytes, phase, gone);
      else
        context.send(child, kind, bytes).put_in_phase(phase);
    });
  }
  /// Announces the end at this rank and tells its children; for detectors under which no rank dies.
  void announce(TerminationContext& context, std::uint16_t kind, std::uint64_t bytes) const {
    tell_children(context, context.self(), kind, bytes, context.phase(),
                  [](Rank) { return false; });
    context.announce();
  }
};

}  // namespace faultline::termination
