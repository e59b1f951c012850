// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/successors.hpp"

#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline::termination {

bool Successors::is_present(Successor& successor, std::uint32_t engagement) {
  if (engagement < successor.engagement) return false;
  if (engagement == successor.engagement) return true;
  successor.engagement = engagement;
  successor.adopted = false;
  forget_children_of(successor);
  successor.potential_children.clear();
  return true;
}

PotentialChild& Successors::potential_child(Successor& successor, Rank child) {
  if (PotentialChild* known = successor.potential_children.find(child)) return *known;
  ++potential_children_;
  return successor.potential_children.insert(child) = {.rank = child};
}

Successor& Successors::operator[](Rank rank) {
  if (Successor* known = find(rank)) return *known;
  ++size_;
  Successor& entry = entries_.insert(rank);
  EntriesByRank<PotentialChild> memory = std::move(entry.potential_children);
  memory.clear();
  entry = {.rank = rank, .potential_children = std::move(memory)};
  return entry;
}

void Successors::erase(Rank rank) {
  const Successor* successor = find(rank);
  invariant(successor != nullptr, "the successor to be removed is missing");
  forget_children_of(*successor);
  entries_.erase(rank);
  --size_;
}

void Successors::forget_children_of(const Successor& successor) {
  const std::size_t children = successor.potential_children.size();
  invariant(children <= potential_children_,
            "all successors together have fewer potential children than one of them");
  potential_children_ -= children;
}

}  // namespace faultline::termination
