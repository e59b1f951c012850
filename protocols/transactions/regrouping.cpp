// How the ranks of a world that has lost some put the next world together.

#include <algorithm>
#include <utility>

#include "protocols/transactions/world_layer.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

constexpr std::uint32_t kBytesOfIncarnation = 8;
constexpr std::uint32_t kBytesOfHeldPoint = 16;
constexpr std::uint32_t kBytesOfPart = 8;  ///< of a world: successive actors

/// The first entry of a list, sorted by actors, that is of this actor or a later one.
template <class List>
auto place_of(List& list, ActorId actor) {
  return std::lower_bound(list.begin(), list.end(), actor,
                          [](const Incarnation& entry, ActorId of) { return entry.actor < of; });
}

/// Adds an incarnation to a list with one for each actor, if it has no later one. True if it has
/// been added.
bool put_latest(std::vector<Incarnation>& list, Incarnation life) {
  const auto place = place_of(list, life.actor);
  if (place == list.end() || place->actor != life.actor) {
    list.insert(place, life);
    return true;
  }
  const bool is_later = place->number < life.number;
  if (is_later) *place = life;
  return is_later;
}

}  // namespace

// ---- who lives --------------------------------------------------------------------------------

std::uint16_t WorldLayer::incarnation_in_world(ActorId actor) const {
  const auto place = place_of(replaced_, actor);
  return place != replaced_.end() && place->actor == actor ? place->number : std::uint16_t{0};
}

/// Who has been left out of a world has died in an earlier one.
bool WorldLayer::is_dead(ActorId actor) const {
  const auto place = place_of(dead_, actor);
  return (place != dead_.end() && place->actor == actor) || !world_.rank_of(actor);
}

std::vector<ActorId> WorldLayer::actors_of(const std::vector<Rank>& ranks) const {
  std::vector<ActorId> actors;
  actors.reserve(ranks.size());
  for (const Rank rank : ranks) actors.push_back(world_.actor_of(rank));
  return actors;
}

ActorId WorldLayer::leader() const {
  Rank first = 0;
  while (is_dead(world_.actor_of(first))) ++first;
  return world_.actor_of(first);
}

void WorldLayer::add_dead(ActorId actor) {
  put_latest(dead_, {actor, incarnation_in_world(actor)});
}

/// A late notice says nothing of who has taken the place of the dead.
void WorldLayer::on_peer_failed(Context& context, Incarnation peer) {
  if (!world_.rank_of(peer.actor)) return;
  if (is_blocked()) {
    if (!is_dead_now(peer)) unheeded_.push_back(peer);
    return;
  }
  if (phase_ == Phase::spawned) return hear_as_spawned(context, peer);
  heed(context, peer);
}

/// Nobody looks after deaths while it waits for a recovery whose calls block.
bool WorldLayer::is_blocked() const {
  return !options_->protect_recovery && phase_ != Phase::running && phase_ != Phase::resuming;
}

void WorldLayer::leave_others_out(const std::vector<ActorId>& agreed) {
  std::erase_if(dead_, [&](const Incarnation& dead) {
    const bool is_left_out = std::find(agreed.begin(), agreed.end(), dead.actor) == agreed.end();
    if (is_left_out) unheeded_.push_back(dead);
    return is_left_out;
  });
}

void WorldLayer::heed(Context& context, Incarnation peer) {
  if (!world_.rank_of(peer.actor)) return;
  if (is_replaced(peer) || !put_latest(dead_, peer)) return;
  std::erase_if(ready_, [&](const Ready& ready) { return ready.from == peer; });
  end_lost_save(context);
  if (options_->protect_recovery && epoch_.number > 0 && !all_have_entered())
    tell_those_behind(context);
  if (epoch_.number > 0 && !all_have_entered()) take_over_from(context, peer.actor);
  if (phase_ != Phase::regrouping) return on_death(context, peer.actor);
  if (leader() == self_)
    lead(context);
  else if (leader() != told_)
    tell_leader(context);
}

/// A new process does not know yet who is in the world. If its leader dies, or has perhaps done so
/// before saying anything, it tells everybody that it is there. It has been told who had been
/// replaced before it started, and a notice that was on its way to its predecessor can be late.
void WorldLayer::hear_as_spawned(Context& context, Incarnation peer) {
  if (peer.number < context.known(peer.actor).number) return;
  put_latest(dead_, peer);
  give_up_if_world_is_lost(context);
  if (!follows_ || *follows_ == peer) call_all(context);
}

void WorldLayer::call_all(Context& context) {
  follows_.reset();
  has_called_ = true;
  for (Rank rank = 0; rank < job_.processes; ++rank)
    if (rank != self_ && !is_dead(rank)) send_ready(context, rank);
}

/// Who names a leader that has died will name another one when it hears of that, to all who have
/// called it. So one call is enough.
void WorldLayer::follow(Context& context, Incarnation leader) {
  const bool lives_again = leader.number < context.known(leader.actor).number;
  if (lives_again || is_dead_now(leader)) {
    if (!has_called_) call_all(context);
    return;
  }
  follows_ = leader;
  send_ready(context, leader.actor);
}

/// Nobody is left who knows of a world if all others are dead, or new as well.
void WorldLayer::give_up_if_world_is_lost(Context& context) const {
  std::size_t gone = dead_.size();
  for (const Ready& ready : ready_)
    if (ready.is_spawned && !is_dead(ready.from.actor)) ++gone;
  if (gone + 1 == job_.processes) context.fatal("no process is left that knows the world");
}

/// Who has been started again was dead. Often only the rank that has asked for that knows of it,
/// whoever leads by now.
void WorldLayer::on_peer_restarted(Context& context, Incarnation peer) {
  if (peer.actor >= job_.processes) return;
  if (phase_ == Phase::spawned) {
    std::erase_if(dead_, [&](const Incarnation& dead) {
      return dead.actor == peer.actor && dead.number < peer.number;
    });
    put_latest(restarted_, peer);
    // A notice of the death before is late now. So whoever may have lost its leader calls at once.
    if (!follows_ || (follows_->actor == peer.actor && follows_->number < peer.number))
      call_all(context);
    return;
  }
  if (phase_ == Phase::entering) enter_when_all_are_known(context);
  if (peer.number <= incarnation_in_world(peer.actor)) return;
  Incarnation before = peer;
  --before.number;
  on_peer_failed(context, before);
  const bool leads = phase_ == Phase::regrouping && leader() == self_;
  if (leads || std::find(asked_.begin(), asked_.end(), before) != asked_.end())
    name_leader(context, peer.actor);
}

void WorldLayer::name_leader(Context& context, ActorId spawned) const {
  context.send(spawned, kLeader, options_->control_bytes)
      .payload.put(Incarnation{leader(), incarnation_in_world(leader())});
}

/// The node may have failed before the process could start, and another one may be left.
void WorldLayer::on_restart_refused(Context& context, Incarnation peer) {
  if (peer.actor >= job_.processes) return;
  if (!put_latest(refused_, peer))
    return context.fatal("no node is left for a process that takes the place of a dead one");
  restart(context, peer);
}

// ---- to be ready ------------------------------------------------------------------------------

void WorldLayer::regroup(Context& context) {
  if (phase_ != Phase::regrouping)
    context.mark(shrinks() ? "shrink" : "regroup", epoch_.number + 1);
  phase_ = Phase::regrouping;
  taking_.reset();
  tell_leader(context);
}

void WorldLayer::tell_leader(Context& context) {
  told_ = leader();
  if (told_ == self_)
    lead(context);
  else
    send_ready(context, told_);
  for (const Ready& ready : ready_)
    if (ready.is_spawned && told_ != self_) name_leader(context, ready.from.actor);
  on_leader_told(context);
}

WorldLayer::Ready WorldLayer::own_ready() const {
  Ready ready{.from = {},
              .epoch = epoch_,
              .saved = saved_.newest(),
              .oldest = saved_.oldest(),
              .is_spawned = phase_ == Phase::spawned,
              .data_rank = data_rank_,
              .held = {}};
  ready.held.reserve(kept_.size());
  for (const KeptPoints& kept : kept_) ready.held.push_back({kept.rank, kept.points.iterations()});
  return ready;
}

void WorldLayer::send_ready(Context& context, ActorId to) const {
  const Ready ready = own_ready();
  const auto list = static_cast<std::uint32_t>(kBytesOfHeldPoint * ready.held.size());
  Message& message = context.send(to, kReady, options_->control_bytes + list);
  message.payload.put(ReadyWords{ready.epoch, ready.saved, ready.oldest, ready.is_spawned ? 1U : 0U,
                                 ready.data_rank});
  context.attach(message, ready.held);
}

void WorldLayer::on_ready(Context& context, const Ready& ready) {
  const std::uint16_t expected = incarnation_in_world(ready.from.actor);
  if (phase_ != Phase::spawned) {
    if (ready.from.number < expected) return;
    // It is in this world without knowing it.
    const bool is_behind = ready.is_spawned ? ready.from.number == expected : ready.epoch < epoch_;
    if (is_behind && phase_ != Phase::entering) return tell_world(context, ready.from.actor);
  }
  const auto place =
      std::lower_bound(ready_.begin(), ready_.end(), ready.from.actor,
                       [](const Ready& entry, ActorId of) { return entry.from.actor < of; });
  if (place == ready_.end() || place->from.actor != ready.from.actor)
    ready_.insert(place, ready);
  else if (place->from.number <= ready.from.number)
    *place = ready;
  if (phase_ == Phase::regrouping && leader() != self_ && ready.is_spawned)
    name_leader(context, ready.from.actor);
  else if (phase_ == Phase::regrouping)
    try_to_put_together(context);
  else if (phase_ == Phase::spawned)
    give_up_if_world_is_lost(context);
  else
    on_late_ready(context, ready.from.actor);
}

std::vector<Rank> WorldLayer::waiting_ranks() const {
  std::vector<Rank> ranks;
  ranks.reserve(ready_.size());
  for (const Ready& ready : ready_) ranks.push_back(ready.from.actor);
  return ranks;
}

// ---- to lead ----------------------------------------------------------------------------------

void WorldLayer::lead(Context& context) {
  told_ = self_;
  for (const Incarnation& dead : dead_) {
    if (shrinks()) break;
    if (std::find(asked_.begin(), asked_.end(), dead) != asked_.end() || spawns_) continue;
    spawns_ = true;
    context.set_timer(kSpawnTimer, options_->spawn_s);
  }
  try_to_put_together(context);
}

void WorldLayer::spawn(Context& context) {
  spawns_ = false;
  if (phase_ != Phase::regrouping || leader() != self_) return;
  for (const Incarnation& dead : dead_) {
    if (std::find(asked_.begin(), asked_.end(), dead) != asked_.end()) continue;
    asked_.push_back(dead);
    context.mark("spawn", epoch_.number + 1);
    restart(context, dead);
  }
}

void WorldLayer::restart(Context& context, Incarnation dead) const {
  context.restart(dead,
                  options_->spawn == "same-node" ? RestartOn::same_node : RestartOn::spare_node);
}

bool WorldLayer::is_dead_now(Incarnation process) const {
  const auto place = place_of(dead_, process.actor);
  return place != dead_.end() && place->actor == process.actor && place->number >= process.number;
}

bool WorldLayer::all_are_ready() const {
  std::size_t members = 1;
  for (const Ready& ready : ready_) {
    const auto place = place_of(dead_, ready.from.actor);
    const bool has_died = place != dead_.end() && place->actor == ready.from.actor;
    if (has_died && shrinks()) continue;
    if (ready.is_spawned != has_died) return false;
    if (has_died && ready.from.number <= place->number) return false;
    ++members;
  }
  return members + (shrinks() ? dead_.size() : 0) == world_.size();
}

void WorldLayer::try_to_put_together(Context& context) {
  if (phase_ != Phase::regrouping || leader() != self_ || !all_are_ready()) return;
  const std::optional<std::uint64_t> point = common_point();
  if (!point)
    return context.fatal(options_->checkpoint == "local" ? "a checkpoint is lost with its node"
                                                         : "both copies of a checkpoint are lost");
  put_together(context, *point);
}

/// The world in which all who are ready go on: new processes have the ranks of the dead, or the
/// last ones, or there are none.
World WorldLayer::next_world() const {
  World next = world_;
  if (options_->recovery == "rebuild") return next;
  std::vector<Rank> lost;
  lost.reserve(dead_.size());
  for (const Incarnation& dead : dead_) lost.push_back(*world_.rank_of(dead.actor));
  std::sort(lost.begin(), lost.end());
  next.shrink(lost);
  if (shrinks()) return next;
  for (const Rank rank : lost) next.append(world_.actor_of(rank));
  return next;
}

void WorldLayer::put_together(Context& context, std::uint64_t point) {
  std::uint32_t number = epoch_.number;
  WorldNews news{next_world(), replaced_, {}, self_, every_};
  for (const Ready& ready : ready_) {
    number = std::max(number, ready.epoch.number);
    if (ready.from.number > 0) put_latest(news.replaced, ready.from);
    if (ready.is_spawned) news.fresh.push_back(ready.from.actor);
  }
  std::uint32_t losses = job_.processes - news.world.size();
  for (const Incarnation& life : news.replaced) losses += life.number;
  ready_.clear();
  enter(context, {number + 1, losses}, std::move(news), point);
  if (options_->rebuild_over == "tree") return;
  for (Rank rank = 0; rank < world_.size(); ++rank)
    if (const ActorId actor = world_.actor_of(rank); actor != self_) tell_world(context, actor);
}

void WorldLayer::tell_world(Context& context, ActorId to) const {
  std::uint32_t list = kBytesOfIncarnation * static_cast<std::uint32_t>(replaced_.size());
  if (!world_.is_first(job_.processes))
    world_.for_each_run([&list](ActorId, std::uint32_t) { list += kBytesOfPart; });
  Message& message = context.send(to, kWorld, options_->control_bytes + list);
  message.payload.put(WorldWords{epoch_, point_});
  context.attach(message, WorldNews{world_, replaced_, fresh_, put_together_by_, every_});
}

/// Some may not have heard of this world, because its leader has died. They wait for the first of
/// the earlier world that lives.
void WorldLayer::tell_those_behind(Context& context) const {
  for (Rank rank = 0; rank < world_.size(); ++rank) {
    const ActorId first = world_.actor_of(rank);
    if (is_dead(first) || std::find(fresh_.begin(), fresh_.end(), first) != fresh_.end()) continue;
    if (first != self_) tell_world(context, first);
    return;
  }
}

// ---- to enter ---------------------------------------------------------------------------------

void WorldLayer::on_world_message(Context& context, const Message& message) {
  const auto words = message.payload.get<WorldWords>();
  if (phase_ != Phase::spawned && words.epoch <= epoch_) {
    // Its sender may be the one who is behind.
    if (words.epoch < epoch_ && phase_ != Phase::entering) tell_world(context, message.from);
    return;
  }
  const auto& news = *context.attached<WorldNews>(message);
  const auto own = place_of(news.replaced, self_);
  const bool was_replaced = own != news.replaced.end() && own->actor == self_;
  // It is the world of the process before this one.
  if ((was_replaced ? own->number : 0) < context.incarnation()) return;
  enter(context, words.epoch, news, words.point);
}

void WorldLayer::enter(Context& context, const WorldEpoch& epoch, WorldNews news,
                       std::uint64_t point) {
  const bool is_new = phase_ == Phase::spawned;
  phase_ = Phase::entering;
  epoch_ = epoch;
  world_ = std::move(news.world);
  replaced_ = std::move(news.replaced);
  fresh_ = std::move(news.fresh);
  put_together_by_ = news.put_together_by;
  every_ = news.every;
  point_ = point;
  if (is_new) {
    ++respawned_;
    new_rank_ = rank();
  }
  forget_earlier_world(context);
  // A world that has been long on its way can name processes that have died since.
  for (const Incarnation& life : std::exchange(restarted_, {}))
    if (world_.rank_of(life.actor) && life.number > incarnation_in_world(life.actor))
      put_latest(dead_, {life.actor, static_cast<std::uint16_t>(life.number - 1)});
  if (is_new) saved_.go_back_to(point);
  context.mark("join", epoch.number);
  for (const Incarnation& life : replaced_)
    if (life.actor != self_ && context.known(life.actor).number < life.number) context.learn(life);
  enter_when_all_are_known(context);
}

void WorldLayer::forget_earlier_world(Context& context) {
  std::erase_if(dead_, [this](const Incarnation& dead) {
    return dead.number < incarnation_in_world(dead.actor) || !world_.rank_of(dead.actor);
  });
  came_.reset();
  std::erase_if(asked_, [this](const Incarnation& dead) {
    return dead.number < incarnation_in_world(dead.actor) || !world_.rank_of(dead.actor);
  });
  told_ = kNobody;
  taking_.reset();
  stored_below_ = 0;
  stored_here_ = false;
  stored_early_.clear();
  context.cancel_timer(kSpawnTimer);
  context.cancel_timer(kStorageTimer);
  spawns_ = false;
}

void WorldLayer::restore_world(Context& context) {
  phase_ = Phase::restoring;
  give_back(context);
  restore(context);
}

/// What is sent to a new process before this rank knows of it would be lost.
void WorldLayer::enter_when_all_are_known(Context& context) {
  const bool all = std::all_of(replaced_.begin(), replaced_.end(), [&](const Incarnation& life) {
    return life.actor == self_ || context.known(life.actor).number >= life.number;
  });
  if (!all) return;
  phase_ = Phase::restoring;
  if (options_->rebuild_over == "tree") tell_those_below(context, place_in_tree(self_));
  if (restores_later()) {
    phase_ = Phase::committing;
    on_world(context);
  } else {
    give_back(context);
    take_early_data(context);
    on_world(context);
    if (phase_ == Phase::restoring) restore(context);
  }
  for (const Ready& ready : std::exchange(ready_, {})) on_ready(context, ready);
  for (const Message& message : std::exchange(early_, {})) on_message(context, message);
}

}  // namespace faultline
