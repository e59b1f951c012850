// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::workloads {

/// Finds the smallest of values that all ranks contribute, again and again, on a binary tree of the
/// ranks. A rank expects a fixed number of contributions of its own and one of each child. It is a
/// plain state machine: the caller sends what it returns, and passes the result down.
class TreeReduction {
 public:
  struct Part {
    std::uint64_t number = 0;  ///< of the reduction, from 0
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();

    void digest(Digest& into) const { into.add(number, smallest); }
  };

  TreeReduction(Rank self, std::uint32_t processes, std::uint32_t own)
      : first_child_(up_to(2ULL * self + 1, processes)),
        past_children_(up_to(2ULL * self + 3, processes)),
        expected_(own + past_children_ - first_child_) {}

  static Rank parent_of(Rank rank) { return (rank - 1) / 2; }
  /// The children of this rank are those from the first to before the second.
  [[nodiscard]] std::pair<Rank, Rank> children() const { return {first_child_, past_children_}; }

  /// Takes in a contribution. A contribution to a later reduction is kept until it is its turn.
  void take(const Part& part) {
    if (part.number > now_.number) early_.push_back(part);
    if (part.number != now_.number) return;
    now_.smallest = std::min(now_.smallest, part.smallest);
    ++parts_;
  }
  /// Once all contributions have come, returns the value for the parent, or at the root the result.
  /// Then the next reduction begins.
  std::optional<Part> complete() {
    if (parts_ < expected_) return std::nullopt;
    const Part whole = std::exchange(now_, Part{.number = now_.number + 1});
    parts_ = 0;
    for (const Part& part : std::exchange(early_, {})) take(part);
    return whole;
  }

  /// The number of reductions for which this rank has had all contributions.
  [[nodiscard]] std::uint64_t completed() const { return now_.number; }

  void digest(Digest& into) const {
    into.add(now_, parts_);
    into.add_sorted(early_, [](const Part& part) { return std::pair(part.number, part.smallest); });
  }

 private:
  static Rank up_to(std::uint64_t rank, std::uint32_t processes) {
    return static_cast<Rank>(std::min<std::uint64_t>(rank, processes));
  }

  Rank first_child_;
  Rank past_children_;
  std::uint32_t expected_;
  std::uint32_t parts_ = 0;
  Part now_;
  std::vector<Part> early_;
};

}  // namespace faultline::workloads
