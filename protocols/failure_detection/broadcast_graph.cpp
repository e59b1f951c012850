// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/broadcast_graph.hpp"

#include <algorithm>
#include <cmath>

namespace faultline::failure_detection {

namespace {

/// Adds a distance modulo `members`, unless it is there or leads back to the sender.
void add_distance(std::vector<std::uint32_t>& distances, std::uint64_t distance,
                  std::uint32_t members) {
  const auto reduced = static_cast<std::uint32_t>(distance % members);
  if (reduced == 0) return;
  if (std::find(distances.begin(), distances.end(), reduced) == distances.end())
    distances.push_back(reduced);
}

/// The distance that leads as far back as this one leads forward.
std::uint64_t backward(std::uint64_t distance, std::uint32_t members) {
  return members - distance % members;
}

}  // namespace

std::vector<std::uint32_t> binomial_distances(std::uint32_t members, std::uint32_t largest,
                                              SendOrder order) {
  std::vector<std::uint32_t> distances;
  for (std::uint64_t power = 1; power <= largest; power *= 2) {
    add_distance(distances, power, members);
    if (order == SendOrder::alternating) add_distance(distances, backward(power, members), members);
  }
  if (order == SendOrder::tree_first)
    for (std::uint64_t power = 1; power <= largest; power *= 2)
      add_distance(distances, backward(power, members), members);
  return distances;
}

std::vector<std::uint32_t> prrte_distances(std::uint32_t members, bool even) {
  std::vector<std::uint32_t> distances;
  const auto add = [&](std::uint32_t i) {
    const std::uint64_t distance = (std::uint64_t{1} << i) - 1;
    add_distance(distances, distance, members);
    add_distance(distances, backward(distance, members), members);
  };
  const auto last = static_cast<std::uint32_t>(std::log(static_cast<double>(members)));
  if (even)
    for (std::uint32_t i = 1; i <= last + 1; ++i) add(i);
  else
    for (std::uint32_t i = last; i > 0; --i) add(i);
  return distances;
}

std::uint32_t RoutingTree::next_hop(std::uint32_t from, std::uint32_t to) const {
  // Parents have lower numbers than their children, so the way down to `to` leaves a member upwards
  // unless it is above `to`.
  while (to > from) {
    const std::uint32_t above = parent(to);
    if (above == from) return to;
    to = above;
  }
  return parent(from);
}

std::uint32_t RoutingTree::degree(std::uint32_t member, std::uint32_t members) const {
  const std::uint64_t first_child = std::uint64_t{radix} * member + 1;
  const std::uint64_t children =
      first_child < members ? std::min<std::uint64_t>(radix, members - first_child) : 0;
  return static_cast<std::uint32_t>(children) + (member > 0 ? 1 : 0);
}

}  // namespace faultline::failure_detection
