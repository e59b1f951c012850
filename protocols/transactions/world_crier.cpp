// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/world_crier.hpp"

namespace faultline::transactions {

namespace {

constexpr std::uint32_t kBytesOfIncarnation = 8;
constexpr std::uint32_t kBytesOfPart = 8;  ///< of a world: successive actors

std::shared_ptr<const WorldNews> news_of(const WorldMembers& members, std::uint64_t every) {
  if (members.news() && members.news()->every == every) return members.news();
  return std::make_shared<const WorldNews>(
      WorldNews{members.world(), members.replacements(), every});
}

}  // namespace

WorldCrier::WorldCrier(const WorldMembers& members, std::uint64_t point, std::uint64_t every,
                       std::uint64_t control_bytes)
    : members_(members),
      news_(news_of(members, every)),
      point_(point),
      bytes_(control_bytes + kBytesOfIncarnation * members.replacements().replaced.size()) {
  if (!members.world().is_first(members.processes()))
    members.world().for_each_run([this](ActorId, std::uint32_t) { bytes_ += kBytesOfPart; });
}

void WorldCrier::tell(RecoveryContext& context, ActorId to) const {
  Message& message = context.send(to, WorldMessage::world, bytes_);
  message.payload.put(WorldWords{members_.epoch(), point_});
  context.attach(message, news_);
}

void WorldCrier::tell_all(RecoveryContext& context) const {
  for (Rank rank = 0; rank < members_.world().size(); ++rank)
    if (const ActorId actor = members_.world().actor_of(rank); actor != members_.self())
      tell(context, actor);
}

void WorldCrier::tell_those_behind(RecoveryContext& context) const {
  for (Rank rank = 0; rank < members_.world().size(); ++rank) {
    const ActorId first = members_.world().actor_of(rank);
    if (members_.is_dead(first) || members_.is_fresh(first)) continue;
    if (first != members_.self()) tell(context, first);
    return;
  }
}

// ---- over a tree ------------------------------------------------------------------------------

checkpoints::RankTree WorldCrier::tree() const {
  const World& world = members_.world();
  return {world.size(), *world.rank_of(members_.replacements().put_together_by)};
}

void WorldCrier::tell_those_below(RecoveryContext& context, Rank rank) const {
  tree().for_each_child(rank, [&](Rank child) {
    if (members_.is_gone(child))
      tell_those_below(context, child);
    else
      tell(context, members_.world().actor_of(child));
  });
}

void WorldCrier::take_over_from(RecoveryContext& context, ActorId dead) const {
  const Rank rank = *members_.world().rank_of(dead);
  Rank above = rank;
  while (above != tree().root && members_.is_gone(above)) above = tree().parent(above);
  if (above == members_.rank()) tell_those_below(context, rank);
}

}  // namespace faultline::transactions
