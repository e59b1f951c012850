// What actors store, and find again in a later life (Context::store).

#include <utility>

#include "sim/engine/runtime.hpp"

namespace faultline::engine {

/// Stores what the handlers of the turn have asked to store.
void Runtime::store(ActorId self) {
  reach_ = Reach::anything;
  for (StorageEntry& entry : turn_.stores)
    state_.storage[{entry.family, entry.place}] = {
        .words = std::move(entry.words),
        .node = entry.storage == Storage::of_node ? node_of(self) : kNobody};
  turn_.stores.clear();
}

std::vector<std::uint64_t> Runtime::stored(Family family, std::uint64_t place) const {
  reach_ = Reach::anything;
  const auto entry = state_.storage.find({family, place});
  if (entry == state_.storage.end()) return {};
  const Stored& stored = entry->second;
  const bool is_within_reach = stored.node == kNobody || stored.node == node_of(turn_.self);
  return is_within_reach ? stored.words : std::vector<std::uint64_t>();
}

}  // namespace faultline::engine
