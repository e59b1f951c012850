// SPDX-License-Identifier: Apache-2.0

// How a rank enters the world that its leader has put together.

#include <algorithm>
#include <utility>
#include <vector>

#include "protocols/transactions/latest_lives.hpp"
#include "protocols/transactions/world_layer.hpp"

namespace faultline {

void WorldLayer::on_world_message(Context& context, const Message& message) {
  const auto words = message.payload.get<WorldWords>();
  if (phase_ != Phase::spawned && words.epoch <= epoch_) {
    // Its sender may be the one that is behind.
    if (words.epoch < epoch_ && phase_ != Phase::entering) tell_world(context, message.from);
    return;
  }
  const auto& news = *context.attached<std::shared_ptr<const WorldNews>>(message);
  const std::vector<Incarnation>& replaced = news->replacements.replaced;
  const auto own = place_of_life(replaced, self_);
  const bool was_replaced = own != replaced.end() && own->actor == self_;
  // This is the world of the process before this one.
  if ((was_replaced ? own->number : 0) < context.incarnation()) return;
  enter(context, words.epoch, news, words.point);
}

void WorldLayer::enter(Context& context, const WorldEpoch& epoch,
                       std::shared_ptr<const WorldNews> news, std::uint64_t point) {
  const bool is_new = phase_ == Phase::spawned;
  phase_ = Phase::entering;
  epoch_ = epoch;
  news_ = std::move(news);
  world_ = news_->world;
  if (checkpoints_->data.every() != news_->every)
    checkpoints_.change().data.set_every(news_->every);
  point_ = point;
  if (is_new) {
    ++respawned_;
    new_rank_ = rank();
    context.store(Storage::shared, place_of_entry(self_), {context.incarnation()});
  }
  forget_earlier_world(context);
  if (is_new) take_up_restarts(context);
  if (Checkpoints* own = checkpoints_.changed(); own != nullptr && is_new)
    own->data.saved().go_back_to(point);
  context.mark(kJoinMark, epoch.number);
  for (const Incarnation& life : replacements().replaced)
    if (life.actor != self_ && context.known(life.actor).number < life.number) context.learn(life);
  enter_when_all_are_known(context);
}

/// News of a world that comes late can name processes that have died since, or that had died before
/// this one started.
void WorldLayer::take_up_restarts(const Context& context) {
  for (Rank rank = 0; rank < world_.size(); ++rank) {
    const ActorId actor = world_.actor_of(rank);
    const Incarnation known = context.known(actor);
    if (actor != self_ && known.number > incarnation_in_world(actor))
      put_latest(dead_, {actor, static_cast<std::uint16_t>(known.number - 1)});
  }
}

void WorldLayer::forget_earlier_world(Context& context) {
  const auto is_past = [this](const Incarnation& dead) {
    return dead.number < incarnation_in_world(dead.actor) || !world_.rank_of(dead.actor);
  };
  std::erase_if(dead_, is_past);
  if (dead_.empty()) dead_ = {};  // a large job has as many such lists as ranks
  told_ = kNobody;
  if (Regrouping* own = regrouping_.changed()) {
    std::erase_if(own->asked, is_past);
    own->spawns = false;
  }
  if (Checkpoints* own = checkpoints_.changed()) own->data.forget_unfinished();
  context.cancel_timer(kSpawnTimer);
  context.cancel_timer(kStorageTimer);
}

void WorldLayer::restore_world(Context& context) {
  phase_ = Phase::restoring;
  give_back(context);
  restore(context);
}

/// A message to a new process would be lost if it were sent before this rank knows of the process.
void WorldLayer::enter_when_all_are_known(Context& context) {
  const bool all = std::all_of(
      replacements().replaced.begin(), replacements().replaced.end(), [&](const Incarnation& life) {
        return life.actor == self_ || context.known(life.actor).number >= life.number;
      });
  if (!all) return;
  phase_ = Phase::restoring;
  if (options_->rebuild_over == "tree") tell_those_below(context, place_in_tree(self_));
  if (options_->protect_recovery && !dead_.empty()) tell_those_behind(context);
  if (restores_later()) {
    phase_ = Phase::committing;
    on_world(context);
  } else {
    give_back(context);
    take_early_data(context);
    on_world(context);
    if (phase_ == Phase::restoring) restore(context);
  }
  for (const Ready& ready : take(&Regrouping::ready)) on_ready(context, ready);
  for (const Message& message : take(&Regrouping::early)) on_message(context, message);
}

}  // namespace faultline
