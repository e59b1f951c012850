#include "protocols/termination/successors.hpp"

#include <utility>

namespace faultline {

bool Successors::is_present(Successor& successor, std::uint32_t engagement) {
  if (engagement < successor.engagement) return false;
  if (engagement == successor.engagement) return true;
  successor.engagement = engagement;
  successor.adopted = false;
  potential_children_ -= successor.potential_children.size();
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
  RankTable<PotentialChild> memory = std::move(entry.potential_children);
  memory.clear();
  entry = {.rank = rank, .potential_children = std::move(memory)};
  return entry;
}

void Successors::erase(Rank rank) {
  potential_children_ -= find(rank)->potential_children.size();
  entries_.erase(rank);
  --size_;
}

}  // namespace faultline
