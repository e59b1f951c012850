// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/storage/stable_storage.hpp"

namespace faultline::engine {

void StableStorage::put(StorageEntry entry, NodeId node) {
  places_[{entry.family, entry.place}] = {
      .words = std::move(entry.words), .node = entry.storage == Storage::of_node ? node : kNobody};
}

std::vector<std::uint64_t> StableStorage::words(Family family, std::uint64_t place,
                                                NodeId node) const {
  const auto found = places_.find({family, place});
  if (found == places_.end()) return {};
  const Stored& stored = found->second;
  const bool is_within_reach = stored.node == kNobody || stored.node == node;
  return is_within_reach ? stored.words : std::vector<std::uint64_t>();
}

void StableStorage::lose(NodeId node) {
  std::erase_if(places_, [node](const auto& place) { return place.second.node == node; });
}

/// An actor that finds no words cannot tell whether any were ever stored.
void StableStorage::digest(Digest& into) const {
  std::size_t places = 0;
  for (const auto& [place, stored] : places_) {
    if (stored.words.empty()) continue;
    ++places;
    into.add(place.first, place.second, stored.words, stored.node);
  }
  into.add(places);
}

}  // namespace faultline::engine
