// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/checkpoint.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

KeptImages& ImageStore::of(Incarnation client) {
  auto place =
      std::lower_bound(clients_.begin(), clients_.end(), client.actor,
                       [](const KeptImages& kept, Rank rank) { return kept.client < rank; });
  if (place == clients_.end() || place->client != client.actor)
    place = clients_.insert(
        place,
        {.client = client.actor, .sent_to = 0, .committed = std::nullopt, .pending = std::nullopt});
  place->sent_to = std::max(place->sent_to, client.number);
  return *place;
}

void ImageStore::put_pending(Incarnation client, const Checkpoint& checkpoint) {
  of(client).pending = checkpoint;
}

void ImageStore::put_committed(Incarnation client, const Checkpoint& checkpoint) {
  auto& committed = of(client).committed;
  if (!committed || committed->number <= checkpoint.number) committed = checkpoint;
}

void ImageStore::commit(std::uint64_t number) {
  for (KeptImages& kept : clients_) {
    if (kept.pending && kept.pending->number == number)
      kept.committed = std::exchange(kept.pending, std::nullopt);
    if (kept.committed && kept.committed->number < number) kept.committed.reset();
  }
}

void ImageStore::drop_pending() {
  for (KeptImages& kept : clients_) kept.pending.reset();
}

Rank keeper_of(const Placement& placement, const JobShape& job, Rank self) {
  const NodeId node = placement.node_of(self);
  for (std::uint32_t step = 0; step < job.processes; ++step) {
    const auto rank =
        static_cast<Rank>((std::uint64_t{self} + job.processes_per_node + step) % job.processes);
    if (placement.node_of(rank) != node) return rank;
  }
  return kNobody;
}

}  // namespace faultline
