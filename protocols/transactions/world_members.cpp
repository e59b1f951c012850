// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/world_members.hpp"

#include <algorithm>
#include <utility>

#include "protocols/transactions/latest_lives.hpp"

namespace faultline::transactions {

// ---- the world --------------------------------------------------------------------------------

const Replacements& WorldMembers::replacements() const {
  static const Replacements none;
  return news_ ? news_->replacements : none;
}

std::uint16_t WorldMembers::life_of(ActorId actor) const {
  const Incarnation* found = find_life(replacements().replaced, actor);
  return found == nullptr ? std::uint16_t{0} : found->number;
}

bool WorldMembers::is_fresh(ActorId actor) const {
  const std::vector<ActorId>& fresh = replacements().fresh;
  return std::find(fresh.begin(), fresh.end(), actor) != fresh.end();
}

std::vector<ActorId> WorldMembers::actors_of(const std::vector<Rank>& ranks) const {
  std::vector<ActorId> actors;
  actors.reserve(ranks.size());
  for (const Rank rank : ranks) actors.push_back(world_.actor_of(rank));
  return actors;
}

void WorldMembers::enter(const WorldEpoch& epoch, std::shared_ptr<const WorldNews> news) {
  epoch_ = epoch;
  news_ = std::move(news);
  world_ = news_->world;
  forget_dead([this](const Incarnation& dead) { return is_past(dead); });
  if (dead_.empty()) dead_ = {};  // a large job has as many such lists as ranks
}

// ---- the dead ---------------------------------------------------------------------------------

bool WorldMembers::add_dead(Incarnation process) { return put_latest(dead_, process); }

bool WorldMembers::is_dead(ActorId actor) const {
  return find_life(dead_, actor) != nullptr || !has(actor);
}

bool WorldMembers::has_died(Incarnation process) const {
  const Incarnation* found = find_life(dead_, process.actor);
  return found != nullptr && found->number >= process.number;
}

// ---- the next world ---------------------------------------------------------------------------

ActorId WorldMembers::leader() const {
  for (Rank first = 0; first < world_.size(); ++first)
    if (!is_gone(first)) return world_.actor_of(first);
  return self_;
}

World WorldMembers::next(const std::string& recovery) const {
  World next = world_;
  if (recovery == "rebuild") return next;
  std::vector<Rank> lost;
  lost.reserve(dead_.size());
  for (const Incarnation& dead : dead_) lost.push_back(*world_.rank_of(dead.actor));
  std::sort(lost.begin(), lost.end());
  next.shrink(lost);
  if (recovery == "merge")
    for (const Rank rank : lost) next.append(world_.actor_of(rank));
  return next;
}

}  // namespace faultline::transactions
