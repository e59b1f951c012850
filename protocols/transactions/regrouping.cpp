// SPDX-License-Identifier: Apache-2.0

// How the ranks of a world that has lost some put the next world together.

#include <algorithm>
#include <utility>

#include "protocols/transactions/latest_lives.hpp"
#include "protocols/transactions/world_layer.hpp"

namespace faultline {

namespace {

constexpr std::uint32_t kBytesOfHeldPoint = 16;

}  // namespace

// ---- the living -------------------------------------------------------------------------------

/// In the first world, nobody is new.
const Replacements& WorldLayer::replacements() const {
  static const Replacements none;
  return news_ ? news_->replacements : none;
}

std::uint16_t WorldLayer::incarnation_in_world(ActorId actor) const {
  const std::vector<Incarnation>& replaced = replacements().replaced;
  const auto place = place_of_life(replaced, actor);
  return place != replaced.end() && place->actor == actor ? place->number : std::uint16_t{0};
}

/// A process that was left out of a world died in an earlier one.
bool WorldLayer::is_dead(ActorId actor) const {
  const auto place = place_of_life(dead_, actor);
  return (place != dead_.end() && place->actor == actor) || !world_.rank_of(actor);
}

std::vector<ActorId> WorldLayer::actors_of(const std::vector<Rank>& ranks) const {
  std::vector<ActorId> actors;
  actors.reserve(ranks.size());
  for (const Rank rank : ranks) actors.push_back(world_.actor_of(rank));
  return actors;
}

/// A process that has been told that it is dead itself, and all others are, can turn to nobody
/// else.
ActorId WorldLayer::leader() const {
  for (Rank first = 0; first < world_.size(); ++first)
    if (const ActorId actor = world_.actor_of(first); !is_dead(actor)) return actor;
  return self_;
}

void WorldLayer::add_dead(ActorId actor) {
  put_latest(dead_, {actor, incarnation_in_world(actor)});
}

/// A late notice does not concern the process that has taken the place of the dead one.
void WorldLayer::on_peer_failed(Context& context, Incarnation peer) {
  if (!world_.rank_of(peer.actor)) return;
  if (is_blocked()) {
    if (!is_dead_now(peer)) regrouping_.change().unheeded.push_back(peer);
    return;
  }
  if (phase_ == Phase::spawned) return hear_as_spawned(context, peer);
  heed(context, peer);
}

/// A rank heeds no deaths while it waits for a recovery whose calls block.
bool WorldLayer::is_blocked() const {
  return !options_->protect_recovery && phase_ != Phase::running && phase_ != Phase::resuming;
}

void WorldLayer::leave_others_out(const std::vector<ActorId>& agreed) {
  std::erase_if(dead_, [&](const Incarnation& dead) {
    const bool is_left_out = std::find(agreed.begin(), agreed.end(), dead.actor) == agreed.end();
    if (is_left_out) regrouping_.change().unheeded.push_back(dead);
    return is_left_out;
  });
}

void WorldLayer::heed(Context& context, Incarnation peer) {
  if (!world_.rank_of(peer.actor)) return;
  if (is_replaced(peer) || !put_latest(dead_, peer)) return;
  if (Regrouping* own = regrouping_.changed())
    std::erase_if(own->ready, [&](const Ready& ready) { return ready.from == peer; });
  end_lost_save(context);
  if (options_->protect_recovery && epoch_.number > 0 && !all_have_entered())
    tell_those_behind(context);
  if (epoch_.number > 0 && !all_have_entered()) take_over_from(context, peer.actor);
  if (phase_ != Phase::regrouping) return on_death(context, peer.actor);
  if (leader() != told_)
    tell_leader(context);
  else if (leader() == self_)
    lead(context);
}

/// A new process does not know yet which processes are in the world. If its leader dies, or may
/// have died before sending anything, it tells all ranks that it is there. It does so once, even if
/// it hears of many deaths before it has a leader. It has been told which processes had been
/// replaced before it started, and a notice that was on its way to its predecessor can be late.
void WorldLayer::hear_as_spawned(Context& context, Incarnation peer) {
  if (peer.number < context.known(peer.actor).number) return;
  put_latest(dead_, peer);
  give_up_if_world_is_lost(context);
  const bool has_leader = regrouping_->follows.has_value();
  if (has_leader ? *regrouping_->follows == peer : !regrouping_->has_called) call_all(context);
}

void WorldLayer::call_all(Context& context) {
  Regrouping& own = regrouping_.change();
  own.follows.reset();
  own.has_called = true;
  for (Rank rank = 0; rank < processes_; ++rank)
    if (rank != self_ && !is_dead(rank)) send_ready(context, rank);
}

/// A rank that names a dead leader will name another one when it hears of that death, to all that
/// have called it: one call is enough. A rank that takes this process for the leader knows a world
/// of it.
void WorldLayer::follow(Context& context, Incarnation leader, ActorId from) {
  if (leader == Incarnation{self_, context.incarnation()}) return send_ready(context, from);
  if (leader.number < context.known(leader.actor).number || is_dead_now(leader)) {
    if (!regrouping_->has_called) call_all(context);
    return;
  }
  regrouping_.change().follows = leader;
  send_ready(context, leader.actor);
}

/// Nobody is left that knows of a world if all others are dead, or new as well. A successor of the
/// dead may have entered one, and the process that started it may have died before telling anybody:
/// the resource manager knows. A process that has entered a world tells this one of it when called.
void WorldLayer::give_up_if_world_is_lost(Context& context) const {
  std::vector<Incarnation> gone = dead_;
  for (const Ready& ready : regrouping_->ready)
    if (ready.is_spawned && !is_dead(ready.from.actor)) gone.push_back(ready.from);
  if (gone.size() + 1 != processes_) return;
  bool is_lost = true;
  for (const Incarnation& other : gone) {
    const Incarnation entered = last_to_enter(context, other.actor);
    if (entered.number < other.number || is_dead_now(entered)) continue;
    is_lost = false;
    if (entered == other)
      send_ready(context, other.actor);
    else
      context.learn(entered);
  }
  if (is_lost) context.fatal("no process is left that knows the world");
}

/// The last process of an actor that has entered a world. The processes of the start are in one.
Incarnation WorldLayer::last_to_enter(const Context& context, ActorId actor) const {
  const std::vector<std::uint64_t> words = context.stored(place_of_entry(actor));
  return {actor, words.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(words.front())};
}

/// A process that has been started again was dead. Often only the rank that has asked for the
/// restart knows of it, whichever rank leads by now.
void WorldLayer::on_peer_restarted(Context& context, Incarnation peer) {
  if (peer.actor >= processes_) return;
  if (phase_ == Phase::spawned) {
    std::erase_if(dead_, [&](const Incarnation& dead) {
      return dead.actor == peer.actor && dead.number < peer.number;
    });
    // A notice of the death of the previous process is late now. So a rank that may have lost its
    // leader calls at once.
    const std::optional<Incarnation>& leader = regrouping_->follows;
    if (leader ? leader->actor == peer.actor && leader->number < peer.number
               : !regrouping_->has_called)
      call_all(context);
    else if (!leader)
      send_ready(context, peer.actor);  // the call went to the previous process
    return;
  }
  if (phase_ == Phase::entering) enter_when_all_are_known(context);
  if (peer.number <= incarnation_in_world(peer.actor)) return;
  Incarnation before = peer;
  --before.number;
  on_peer_failed(context, before);
  const bool leads = phase_ == Phase::regrouping && leader() == self_;
  if (leads || has_asked_for(before)) name_leader(context, peer.actor);
}

void WorldLayer::name_leader(Context& context, ActorId spawned) const {
  context.send(spawned, kLeader, options_->control_bytes)
      .payload.put(Incarnation{leader(), incarnation_in_world(leader())});
}

void WorldLayer::on_restart_refused(Context& context, Incarnation peer) {
  if (peer.actor < processes_)
    context.fatal("no node is left for a process that takes the place of a dead one");
}

// ---- being ready ------------------------------------------------------------------------------

void WorldLayer::regroup(Context& context) {
  if (phase_ != Phase::regrouping)
    context.mark(shrinks() ? kShrinkMark : kRegroupMark, epoch_.number + 1);
  phase_ = Phase::regrouping;
  if (Checkpoints* own = checkpoints_.changed()) own->data.give_up();
  tell_leader(context);
}

void WorldLayer::tell_leader(Context& context) {
  const ActorId told = told_ = leader();
  if (told == self_)
    lead(context);
  else
    send_ready(context, told);
  for (const Ready& ready : regrouping_->ready)
    if (ready.is_spawned && told != self_) name_leader(context, ready.from.actor);
  on_leader_told(context);
}

WorldLayer::Ready WorldLayer::own_ready() const {
  Ready ready{.from = {},
              .epoch = epoch_,
              .saved = checkpoints_->data.saved().newest(),
              .oldest = checkpoints_->data.saved().oldest(),
              .is_spawned = phase_ == Phase::spawned,
              .data_rank = data_rank_,
              .held = {}};
  ready.held.reserve(checkpoints_->data.kept.size());
  for (const KeptPoints& kept : checkpoints_->data.kept)
    ready.held.push_back({kept.rank, kept.points.iterations()});
  return ready;
}

void WorldLayer::send_ready(Context& context, ActorId to) const {
  const Ready ready = own_ready();
  const std::uint64_t list = kBytesOfHeldPoint * ready.held.size();
  Message& message = context.send(to, kReady, options_->control_bytes + list);
  message.payload.put(ReadyWords{ready.epoch, ready.saved, ready.oldest, ready.is_spawned ? 1U : 0U,
                                 ready.data_rank});
  if (!ready.held.empty()) context.attach(message, ready.held);
}

void WorldLayer::on_ready(Context& context, const Ready& ready) {
  const std::uint16_t expected = incarnation_in_world(ready.from.actor);
  if (phase_ != Phase::spawned) {
    if (ready.from.number < expected) return;
    // The sender is in this world without knowing it.
    const bool is_behind = ready.is_spawned ? ready.from.number == expected : ready.epoch < epoch_;
    if (is_behind && phase_ != Phase::entering) return tell_world(context, ready.from.actor);
  }
  std::vector<Ready>& known = regrouping_.change().ready;
  if (phase_ == Phase::regrouping && leader() == self_) known.reserve(world_.size() - 1);
  // A message from an earlier world may come later.
  const auto place =
      std::lower_bound(known.begin(), known.end(), ready.from.actor,
                       [](const Ready& entry, ActorId of) { return entry.from.actor < of; });
  if (place == known.end() || place->from.actor != ready.from.actor)
    known.insert(place, ready);
  else if (std::pair(place->from.number, place->epoch) <= std::pair(ready.from.number, ready.epoch))
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
  ranks.reserve(regrouping_->ready.size());
  for (const Ready& ready : regrouping_->ready) ranks.push_back(ready.from.actor);
  return ranks;
}

// ---- leading ----------------------------------------------------------------------------------

void WorldLayer::lead(Context& context) {
  Regrouping& own = regrouping_.change();
  told_ = self_;
  const bool lacks_some = !shrinks() && std::any_of(dead_.begin(), dead_.end(), [this](auto dead) {
    return !has_asked_for(dead);
  });
  if (lacks_some && !own.spawns) {
    own.spawns = true;
    context.set_timer(kSpawnTimer, options_->spawn_s);
  }
  try_to_put_together(context);
}

void WorldLayer::spawn(Context& context) {
  Regrouping& own = regrouping_.change();
  own.spawns = false;
  if (phase_ != Phase::regrouping || leader() != self_) return;
  for (const Incarnation& dead : dead_) {
    if (has_asked_for(dead)) continue;
    own.asked.push_back(dead);
    context.mark(kSpawnMark, epoch_.number + 1);
    restart(context, dead);
  }
}

bool WorldLayer::has_asked_for(Incarnation dead) const {
  const std::vector<Incarnation>& asked = regrouping_->asked;
  return std::find(asked.begin(), asked.end(), dead) != asked.end();
}

void WorldLayer::restart(Context& context, Incarnation dead) const {
  context.restart(dead,
                  options_->spawn == "same-node" ? RestartOn::same_node : RestartOn::spare_node);
}

bool WorldLayer::is_dead_now(Incarnation process) const {
  const auto place = place_of_life(dead_, process.actor);
  return place != dead_.end() && place->actor == process.actor && place->number >= process.number;
}

bool WorldLayer::all_are_ready() const {
  std::size_t members = 1;
  for (const Ready& ready : regrouping_->ready) {
    const auto place = place_of_life(dead_, ready.from.actor);
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

/// The world in which all that are ready go on. New processes have the ranks of the dead, or the
/// last ranks, or there are none.
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
  WorldNews news{next_world(), {replacements().replaced, {}, self_}, checkpoints_->data.every()};
  for (const Ready& ready : regrouping_->ready) {
    number = std::max(number, ready.epoch.number);
    if (ready.from.number > 0) put_latest(news.replacements.replaced, ready.from);
    if (ready.is_spawned) news.replacements.fresh.push_back(ready.from.actor);
  }
  std::uint32_t losses = processes_ - news.world.size();
  for (const Incarnation& life : news.replacements.replaced) losses += life.number;
  // The list has an entry for each rank. Its memory is freed before the messages to all ranks take
  // some.
  regrouping_.change().ready = {};
  enter(context, {number + 1, losses}, std::make_shared<const WorldNews>(std::move(news)), point);
  if (options_->rebuild_over == "tree") return;
  const std::shared_ptr<const WorldNews> all = news_of_world();
  for (Rank rank = 0; rank < world_.size(); ++rank)
    if (const ActorId actor = world_.actor_of(rank); actor != self_)
      send_world(context, actor, all);
}

/// Some ranks may not have heard of this world, because its leader has died. They wait for the
/// first live rank of the earlier world.
void WorldLayer::tell_those_behind(Context& context) const {
  for (Rank rank = 0; rank < world_.size(); ++rank) {
    const ActorId first = world_.actor_of(rank);
    if (is_dead(first) || std::find(fresh().begin(), fresh().end(), first) != fresh().end())
      continue;
    if (first != self_) tell_world(context, first);
    return;
  }
}

}  // namespace faultline
