// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "protocols/termination/control_tree.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::transactions {

/// The tree over which the members of a group agree: all that are not absent, as a binary heap in
/// the order of their ranks, or as a star around the first one. The *position* of a member is its
/// place in that order. Needs memory for the absent members alone.
struct AgreementTree {
  enum class Shape : std::uint8_t { heap, star };

  Shape shape = Shape::heap;
  std::uint32_t members = 1;      ///< ranks 0..members-1, with the absent
  std::vector<Rank> absent = {};  ///< ascending

  [[nodiscard]] std::uint32_t size() const {
    return members - static_cast<std::uint32_t>(absent.size());
  }
  /// The position of a rank that is not absent.
  [[nodiscard]] std::uint32_t position_of(Rank rank) const {
    const auto before = std::lower_bound(absent.begin(), absent.end(), rank) - absent.begin();
    return rank - static_cast<std::uint32_t>(before);
  }
  [[nodiscard]] Rank rank_at(std::uint32_t position) const {
    std::uint32_t low = 0;
    auto high = static_cast<std::uint32_t>(absent.size());
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (absent[middle] - middle <= position)
        low = middle + 1;
      else
        high = middle;
    }
    return position + low;
  }
  /// The parent of a position above 0.
  [[nodiscard]] std::uint32_t parent(std::uint32_t position) const {
    return shape == Shape::star ? 0 : termination::ControlTree::parent(position);
  }
  template <class Visit>
  void for_each_child(std::uint32_t position, const Visit& visit) const {
    if (shape == Shape::heap)
      return termination::ControlTree{size()}.for_each_child(position, visit);
    if (position > 0) return;
    for (std::uint32_t child = 1; child < size(); ++child) visit(child);
  }

  void digest(Digest& into) const { into.add(shape, members, absent); }
  friend bool operator==(const AgreementTree&, const AgreementTree&) = default;
};

}  // namespace faultline::transactions
