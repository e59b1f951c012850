// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace faultline::failure_detection {

// The graphs along which members 0 to N-1 pass a report on. A member sends to the members at
// certain distances after it, modulo N.

/// The order in which a member of the binomial graph sends.
enum class SendOrder : std::uint8_t {
  /// First along the binomial tree with its root at the reporter, that is to the distances +2^k,
  /// then to the redundant rest (rdaemon-2019 section 4.6, figure 5).
  tree_first,
  /// +2^k, then -2^k, for each k (rdaemon-2019 algorithm 1; ULFM).
  alternating,
};

/// The binomial graph BMG (Angskun, Bosilca, Dongarra 2007): the distinct distances +2^k and -2^k
/// modulo `members`, for all 2^k <= largest. Nobody is its own neighbour.
std::vector<std::uint32_t> binomial_distances(std::uint32_t members, std::uint32_t largest,
                                              SendOrder order);

/// The graph of PRRTE's module grpcomm/bmg: +-(2^i - 1) for i from 1 to [ln N] + 1. A member with
/// an even number begins with the shortest. One with an odd number begins with the longest, and
/// leaves out the last i.
std::vector<std::uint32_t> prrte_distances(std::uint32_t members, bool even);

/// A tree over members 0, 1, ...: the children of m are radix m + 1 to radix m + radix.
struct RoutingTree {
  std::uint32_t radix = 1;

  [[nodiscard]] std::uint32_t parent(std::uint32_t member) const { return (member - 1) / radix; }
  /// The neighbour in the tree to which `from` passes a message for `to`, another member.
  [[nodiscard]] std::uint32_t next_hop(std::uint32_t from, std::uint32_t to) const;
  /// The number of neighbours of a member in the tree of that many members.
  [[nodiscard]] std::uint32_t degree(std::uint32_t member, std::uint32_t members) const;
};

}  // namespace faultline::failure_detection
