// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/roll_call.hpp"

#include <map>
#include <set>
#include <utility>

#include "protocols/transactions/latest_lives.hpp"

namespace faultline::transactions {

namespace {

template <class Visit>
void for_each_ready(const Ready& own, const RollCall& others, const Visit& visit) {
  visit(own);
  for (const Ready& ready : others) visit(ready);
}

}  // namespace

void RollCall::put(const Ready& ready) {
  const auto place =
      std::lower_bound(entries_.begin(), entries_.end(), ready.from.actor,
                       [](const Ready& entry, ActorId of) { return entry.from.actor < of; });
  if (place == entries_.end() || place->from.actor != ready.from.actor)
    entries_.insert(place, ready);
  else if (std::pair(place->from.number, place->words.epoch) <=
           std::pair(ready.from.number, ready.words.epoch))
    *place = ready;
}

bool RollCall::is_complete(const WorldMembers& members, bool shrinks) const {
  std::size_t present = 1;
  for (const Ready& ready : entries_) {
    const Incarnation* dead = find_life(members.dead(), ready.from.actor);
    if (dead != nullptr && shrinks) continue;
    if (ready.is_spawned() != (dead != nullptr)) return false;
    if (dead != nullptr && ready.from.number <= dead->number) return false;
    ++present;
  }
  return present + (shrinks ? members.dead().size() : 0) == members.world().size();
}

// ---- a checkpoint that all have ---------------------------------------------------------------

std::uint64_t point_in_storage(const Ready& own, const RollCall& others) {
  std::uint64_t latest = 0;
  for_each_ready(own, others,
                 [&](const Ready& ready) { latest = std::max(latest, ready.words.saved); });
  return latest;
}

std::optional<std::uint64_t> point_on_nodes(const Ready& own, const RollCall& others,
                                            bool together) {
  std::uint64_t common = own.words.saved;
  std::uint64_t oldest = 0;
  for_each_ready(own, others, [&](const Ready& ready) {
    if (!together)
      common = std::min(common, ready.words.saved);
    else if (!ready.is_spawned())
      common = std::max(common, ready.words.saved);
    if (!together || ready.is_spawned()) oldest = std::max(oldest, ready.words.oldest);
  });
  const bool all_have = std::all_of(others.begin(), others.end(), [&](const Ready& ready) {
    return !together || !ready.is_spawned() || common <= ready.words.saved;
  });
  return common < oldest || !all_have ? std::nullopt : std::optional(common);
}

/// If no live process has a rank's data, only a keeper's copy is left. If there is none, the rank
/// may have died before its first checkpoint: then nobody has taken the second one yet.
std::optional<std::uint64_t> point_with_partners(const Ready& own, const RollCall& others,
                                                 const WorldMembers& members, bool shrinks) {
  std::vector<bool> is_there(members.processes(), shrinks);
  std::uint64_t common = UINT64_MAX;
  std::uint64_t oldest = 0;
  for_each_ready(own, others, [&](const Ready& ready) {
    if (ready.words.data_rank == kNobody || members.has_died(ready.from)) return;
    is_there[ready.words.data_rank] = true;
    common = std::min(common, ready.words.saved);
    oldest = std::max(oldest, ready.words.oldest);
  });
  std::map<Rank, std::set<std::uint64_t>> copies;
  for_each_ready(own, others, [&](const Ready& ready) {
    for (const checkpoints::HeldPoints& held : ready.held)
      if (!is_there[held.rank])
        copies[held.rank].insert(held.iterations.begin(), held.iterations.end());
  });
  for (Rank rank = 0; rank < is_there.size(); ++rank) {
    if (is_there[rank]) continue;
    const std::set<std::uint64_t>& held = copies[rank];
    common = std::min(common, held.empty() ? 0 : *held.rbegin());
  }
  const bool all_have = std::all_of(copies.begin(), copies.end(), [common](const auto& of_rank) {
    return common == 0 || of_rank.second.contains(common);
  });
  return common < oldest || (common > 0 && !all_have) ? std::nullopt : std::optional(common);
}

}  // namespace faultline::transactions
