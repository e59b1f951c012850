// SPDX-License-Identifier: Apache-2.0
#include "protocols/checkpoints/image_store.hpp"

#include <algorithm>
#include <utility>

namespace faultline::checkpoints {

KeptImages& ImageStore::of(Incarnation client) {
  KeptImages& kept = clients_.of(client.actor);
  kept.sent_to = std::max(kept.sent_to, client.number);
  return kept;
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

}  // namespace faultline::checkpoints
