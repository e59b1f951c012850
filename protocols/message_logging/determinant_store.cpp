// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/determinant_store.hpp"

#include <algorithm>

namespace faultline::message_logging {

void Carried::digest(Digest& into) const { into.add(epoch, deliveries, lives ? *lives : Lives{}); }

void DeterminantStore::keep(Rank receiver, const Carried& carried, std::uint64_t first) {
  const std::uint64_t last = carried.deliveries.last();
  if (first > last) return;
  StoredFor& stored = stored_.of(receiver);
  stored.last = std::max(stored.last, last);
  if (!carried.lives) {
    if (first == carried.deliveries.first()) return put(stored, carried.deliveries, 0);
    return put(stored, carried.deliveries.from(first), 0);
  }
  while (first <= last) {
    const std::uint16_t giver = giver_of(first, *carried.lives);
    std::uint64_t end = first;
    while (end < last && giver_of(end + 1, *carried.lives) == giver) ++end;
    put(stored, carried.deliveries.from(first).up_to(end), giver);
    first = end + 1;
  }
}

void DeterminantStore::put(StoredFor& stored, const DeliveryRun& deliveries,
                           std::uint16_t incarnation) {
  if (!stored.runs.empty()) {
    StoredRun& newest = stored.runs.back();
    if (newest.incarnation == incarnation && newest.deliveries.extend(deliveries)) return;
  }
  stored.runs.push_back({deliveries, incarnation});
}

void DeterminantStore::keep(const Determinant& reported) {
  StoredFor& stored = stored_.of(reported.receiver);
  stored.reported.push_back(reported);
  stored.last = std::max(stored.last, reported.ticket);
}

std::vector<Determinant> DeterminantStore::determinants_of(const StoredFor& stored) const {
  std::vector<Determinant> all = stored.reported;
  for (const StoredRun& run : stored.runs)
    run.deliveries.for_each([&](std::uint64_t ticket, const Delivery& delivery) {
      all.push_back(
          {stored.rank, self_, ticket, delivery.channel, delivery.number, run.incarnation});
    });
  return all;
}

void DeterminantStore::add_all_of(Rank receiver, std::vector<Determinant>& to) {
  const StoredFor* stored = stored_.find(receiver);
  if (stored == nullptr) return;
  const std::vector<Determinant> known = determinants_of(*stored);
  to.insert(to.end(), known.begin(), known.end());
}

void DeterminantStore::digest(Digest& into) const {
  into.add(stored_.size());
  for (const StoredFor& stored : stored_)
    into.add(stored.rank, stored.last, determinants_of(stored));
}

}  // namespace faultline::message_logging
