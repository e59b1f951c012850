// SPDX-License-Identifier: Apache-2.0

// How a new process finds the world, and how a rank enters the one that its leader has put
// together.

#include <algorithm>

#include "protocols/transactions/latest_lives.hpp"
#include "protocols/transactions/recovered_world.hpp"

namespace faultline::transactions {

// ---- a new process ----------------------------------------------------------------------------

/// A new process does not know yet which processes are in the world. If its leader dies, or may
/// have died before sending anything, it tells all ranks that it is there. It does so once, even if
/// it hears of many deaths before it has a leader. It has been told which processes had been
/// replaced before it started, and a notice that was on its way to its predecessor can be late.
void RecoveredWorld::hear_as_spawned(RecoveryContext& context, Incarnation dead) {
  if (dead.number < context.known(dead.actor).number) return;
  members_.add_dead(dead);
  give_up_if_world_is_lost(context);
  const std::optional<Incarnation>& leader = regrouping_->follows;
  if (leader ? *leader == dead : !regrouping_->has_called) call_all(context);
}

/// A notice of the death of the process before that one is late now. So a rank that may have lost
/// its leader calls at once.
void RecoveredWorld::learn_as_spawned(RecoveryContext& context, Incarnation restarted) {
  const auto is_earlier = [&](const Incarnation& process) {
    return process.actor == restarted.actor && process.number < restarted.number;
  };
  members_.forget_dead(is_earlier);
  const std::optional<Incarnation>& leader = regrouping_->follows;
  if (leader ? is_earlier(*leader) : !regrouping_->has_called)
    call_all(context);
  else if (!leader)
    send_ready(context, restarted.actor);  // the call went to the previous process
}

void RecoveredWorld::call_all(RecoveryContext& context) {
  Regrouping& own = regrouping_.change();
  own.follows.reset();
  own.has_called = true;
  for (Rank rank = 0; rank < members_.processes(); ++rank)
    if (rank != members_.self() && !members_.is_dead(rank)) send_ready(context, rank);
}

/// A rank that names a dead leader will name another one when it hears of that death, to all that
/// have called it: one call is enough. A rank that takes this process for the leader knows a world
/// of it.
void RecoveredWorld::follow(RecoveryContext& context, Incarnation leader, ActorId from) {
  if (leader == Incarnation{members_.self(), context.incarnation()})
    return send_ready(context, from);
  if (leader.number < context.known(leader.actor).number || members_.has_died(leader)) {
    if (!regrouping_->has_called) call_all(context);
    return;
  }
  regrouping_.change().follows = leader;
  send_ready(context, leader.actor);
}

/// Nobody is left that knows of a world if all others are dead, or new as well. A successor of the
/// dead may have entered one, and the process that started it may have died before telling anybody:
/// the resource manager knows. A process that has entered a world tells this one of it when called.
void RecoveredWorld::give_up_if_world_is_lost(RecoveryContext& context) const {
  std::vector<Incarnation> gone = members_.dead();
  for (const Ready& ready : regrouping_->ready)
    if (ready.is_spawned() && !members_.is_dead(ready.from.actor)) gone.push_back(ready.from);
  if (gone.size() + 1 != members_.processes()) return;
  bool is_lost = true;
  for (const Incarnation& other : gone) {
    const Incarnation entered = last_to_enter(context, other.actor);
    if (entered.number < other.number || members_.has_died(entered)) continue;
    is_lost = false;
    if (entered == other)
      send_ready(context, other.actor);
    else
      context.learn(entered);
  }
  if (is_lost) context.fatal("no process is left that knows the world");
}

/// The place where the resource manager keeps which process of an actor has entered a world last,
/// as it knows through PMIx_Connect: behind the places of all ranks.
std::uint64_t RecoveredWorld::place_of_entry(ActorId actor) const {
  return checkpoints::PointStorage::kPlaces * std::uint64_t{members_.processes()} + actor;
}

/// The processes of the start are in a world.
Incarnation RecoveredWorld::last_to_enter(const RecoveryContext& context, ActorId actor) const {
  const std::vector<std::uint64_t> words = context.stored(place_of_entry(actor));
  return {actor, words.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(words.front())};
}

// ---- entering ---------------------------------------------------------------------------------

WorldCrier RecoveredWorld::crier() const {
  return {members_, checkpoints_.point(), checkpoints_.every(), control_bytes()};
}

void RecoveredWorld::on_news(RecoveryContext& context, const Message& message, WorldSteps& steps) {
  const auto words = message.payload.get<WorldWords>();
  if (phase_ != WorldPhase::spawned && words.epoch <= members_.epoch()) {
    // Its sender may be the one that is behind.
    if (words.epoch < members_.epoch() && phase_ != WorldPhase::entering)
      crier().tell(context, message.from);
    return;
  }
  const auto& news = *context.attached<std::shared_ptr<const WorldNews>>(message);
  const Incarnation* own = find_life(news->replacements.replaced, members_.self());
  // This is the world of the process before this one.
  if ((own == nullptr ? 0 : own->number) < context.incarnation()) return;
  enter(context, words.epoch, news, words.point, steps);
}

void RecoveredWorld::enter(RecoveryContext& context, const WorldEpoch& epoch,
                           std::shared_ptr<const WorldNews> news, std::uint64_t point,
                           WorldSteps& steps) {
  const bool is_new = phase_ == WorldPhase::spawned;
  phase_ = WorldPhase::entering;
  members_.enter(epoch, std::move(news));
  checkpoints_.enter(point, members_.news()->every, is_new);
  forget_earlier_world(context);
  if (is_new) enter_as_spawned(context);
  context.mark(kJoinMark, epoch.number);
  for (const Incarnation& life : members_.replacements().replaced)
    if (life.actor != members_.self() && context.known(life.actor).number < life.number)
      context.learn(life);
  enter_when_all_are_known(context, steps);
}

void RecoveredWorld::forget_earlier_world(RecoveryContext& context) {
  told_ = kNobody;
  if (Regrouping* own = regrouping_.changed()) {
    std::erase_if(own->asked, [this](const Incarnation& dead) { return members_.is_past(dead); });
    own->spawns = false;
  }
  context.cancel_timer(WorldTimer::spawn);
  context.cancel_timer(WorldTimer::storage);
}

/// News of a world that comes late can name processes that have died since, or that had died before
/// this one started.
void RecoveredWorld::enter_as_spawned(RecoveryContext& context) {
  ++respawned_;
  new_rank_ = members_.rank();
  context.store(Storage::shared, place_of_entry(members_.self()), {context.incarnation()});
  for (Rank rank = 0; rank < members_.world().size(); ++rank) {
    const ActorId actor = members_.world().actor_of(rank);
    const Incarnation known = context.known(actor);
    if (actor != members_.self() && known.number > members_.life_of(actor))
      members_.add_dead({actor, static_cast<std::uint16_t>(known.number - 1)});
  }
}

/// A message to a new process would be lost if it were sent before this rank knows of the process.
void RecoveredWorld::enter_when_all_are_known(RecoveryContext& context, WorldSteps& steps) {
  const std::vector<Incarnation>& replaced = members_.replacements().replaced;
  const bool all = std::all_of(replaced.begin(), replaced.end(), [&](const Incarnation& life) {
    return life.actor == members_.self() || context.known(life.actor).number >= life.number;
  });
  if (!all) return;
  phase_ = WorldPhase::committing;
  if (options_->rebuild_over == "tree") crier().tell_those_below(context, members_.rank());
  if (options_->protect_recovery && !members_.dead().empty()) crier().tell_those_behind(context);
  steps.on_world(context);
  for (const Ready& ready : take(&Regrouping::ready)) on_ready(context, ready, steps);
  for (const Message& message : take(&Regrouping::early)) steps.on_message(context, message);
}

// ---- data -------------------------------------------------------------------------------------

void RecoveredWorld::give_back(RecoveryContext& context) {
  checkpoints_.give_back(context, members_);
  take_early_data(context);
}

/// Takes the data that came before the news of this world. If this rank has to regroup at once, it
/// must not report that it has no data, or keeps none.
void RecoveredWorld::take_early_data(RecoveryContext& context) {
  for (Message& message : take(&Regrouping::early)) {
    const bool is_data =
        message.kind == WorldMessage::restore || message.kind == WorldMessage::copy;
    if (!is_data || message.payload.get<WorldWords>().epoch != members_.epoch())
      regrouping_.change().early.push_back(std::move(message));
    else if (message.kind == WorldMessage::restore)
      checkpoints_.take_data(context, message, members_);
    else
      checkpoints_.keep_copy(context, message, members_);
  }
}

void RecoveredWorld::restore(RecoveryContext& context, WorldSteps& steps) {
  phase_ = WorldPhase::restoring;
  if (checkpoints_.fetch(context, members_)) data_are_there(context, steps);
}

bool RecoveredWorld::give_up_data() {
  if (phase_ != WorldPhase::restoring) return false;
  phase_ = WorldPhase::committing;
  return true;
}

void RecoveredWorld::data_are_there(RecoveryContext& context, WorldSteps& steps) {
  phase_ = WorldPhase::committing;
  steps.on_data(context);
}

}  // namespace faultline::transactions
