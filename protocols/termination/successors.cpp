#include "protocols/termination/successors.hpp"

#include <algorithm>

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
  auto& children = successor.potential_children;
  const auto place = std::lower_bound(
      children.begin(), children.end(), child,
      [](const PotentialChild& entry, Rank wanted) { return entry.rank < wanted; });
  if (place != children.end() && place->rank == child) return *place;
  ++potential_children_;
  return *children.insert(place, {.rank = child});
}

std::vector<Successor>::iterator Successors::place_of(Rank rank) {
  return std::lower_bound(begin(), end(), rank,
                          [](const Successor& entry, Rank wanted) { return entry.rank < wanted; });
}

Successor* Successors::find(Rank rank) {
  const auto place = place_of(rank);
  return place != end() && place->rank == rank ? &*place : nullptr;
}

Successor& Successors::operator[](Rank rank) {
  if (Successor* known = find(rank)) return *known;
  if (end() == entries_.end()) entries_.emplace_back();
  const auto place = place_of(rank);
  std::rotate(place, end(), end() + 1);
  ++size_;
  std::vector<PotentialChild> memory = std::move(place->potential_children);
  memory.clear();
  *place = {.rank = rank, .potential_children = std::move(memory)};
  return *place;
}

void Successors::erase(Rank rank) {
  const auto place = place_of(rank);
  potential_children_ -= place->potential_children.size();
  std::rotate(place, place + 1, end());
  --size_;
}

}  // namespace faultline
