// SPDX-License-Identifier: Apache-2.0

// How the news of a new world spreads: to one rank, or over a binary tree of its ranks, whose root
// is the leader that has put it together.

#include "protocols/transactions/world_layer.hpp"

namespace faultline {

namespace {

constexpr std::uint32_t kBytesOfIncarnation = 8;
constexpr std::uint32_t kBytesOfPart = 8;  ///< of a world: successive actors

}  // namespace

/// Passes the news that this rank has got on to others, unless the interval of checkpoints has
/// changed since.
std::shared_ptr<const WorldNews> WorldLayer::news_of_world() const {
  if (news_ && news_->every == checkpoints_->data.every()) return news_;
  return std::make_shared<const WorldNews>(
      WorldNews{world_, replacements(), checkpoints_->data.every()});
}

void WorldLayer::tell_world(Context& context, ActorId to) const {
  send_world(context, to, news_of_world());
}

/// Many messages can share the news.
void WorldLayer::send_world(Context& context, ActorId to,
                            const std::shared_ptr<const WorldNews>& news) const {
  std::uint64_t list = kBytesOfIncarnation * replacements().replaced.size();
  if (!world_.is_first(processes_))
    world_.for_each_run([&list](ActorId, std::uint32_t) { list += kBytesOfPart; });
  Message& message = context.send(to, kWorld, options_->control_bytes + list);
  message.payload.put(WorldWords{epoch_, point_});
  context.attach(message, news);
}

std::uint64_t WorldLayer::place_in_tree(ActorId actor) const {
  const std::uint64_t ranks = world_.size();
  return (*world_.rank_of(actor) + ranks - *world_.rank_of(replacements().put_together_by)) % ranks;
}

ActorId WorldLayer::actor_in_tree(std::uint64_t place) const {
  return world_.actor_of(
      static_cast<Rank>((place + *world_.rank_of(replacements().put_together_by)) % world_.size()));
}

/// Sends the news to the ranks below a place, or below those if they are dead.
void WorldLayer::tell_those_below(Context& context, std::uint64_t place) const {
  for (std::uint64_t below = 2 * place + 1; below <= 2 * place + 2 && below < world_.size();
       ++below) {
    const ActorId actor = actor_in_tree(below);
    if (is_dead(actor))
      tell_those_below(context, below);
    else
      tell_world(context, actor);
  }
}

/// A dead rank may not have passed the world on. The next live rank above it does.
void WorldLayer::take_over_from(Context& context, ActorId dead) const {
  if (options_->rebuild_over != "tree" || phase_ == Phase::entering) return;
  const std::uint64_t place = place_in_tree(dead);
  std::uint64_t above = place;
  while (above > 0 && is_dead(actor_in_tree(above))) above = (above - 1) / 2;
  if (actor_in_tree(above) == self_) tell_those_below(context, place);
}

}  // namespace faultline
