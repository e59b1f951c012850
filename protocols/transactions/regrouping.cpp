// SPDX-License-Identifier: Apache-2.0

// How the ranks of a world that has lost some put the next world together.

#include <algorithm>

#include "protocols/transactions/latest_lives.hpp"
#include "protocols/transactions/recovered_world.hpp"

namespace faultline::transactions {

namespace {

constexpr std::uint32_t kBytesOfHeldPoint = 16;

}  // namespace

// ---- deaths -----------------------------------------------------------------------------------

/// A late notice does not concern the process that has taken the place of the dead one.
void RecoveredWorld::on_peer_failed(RecoveryContext& context, Incarnation peer, WorldSteps& steps) {
  if (!members_.has(peer.actor)) return;
  if (is_blocked()) {
    if (!members_.has_died(peer)) regrouping_.change().unheeded.push_back(peer);
    return;
  }
  if (phase_ == WorldPhase::spawned) return hear_as_spawned(context, peer);
  heed(context, peer, steps);
}

/// A rank heeds no deaths while it waits for a recovery whose calls block.
bool RecoveredWorld::is_blocked() const {
  return !options_->protect_recovery && phase_ != WorldPhase::running &&
         phase_ != WorldPhase::resuming;
}

void RecoveredWorld::leave_others_out(const std::vector<Rank>& agreed) {
  const std::vector<ActorId> known = members_.actors_of(agreed);
  members_.forget_dead([&](const Incarnation& dead) {
    const bool is_left_out = std::find(known.begin(), known.end(), dead.actor) == known.end();
    if (is_left_out) regrouping_.change().unheeded.push_back(dead);
    return is_left_out;
  });
}

void RecoveredWorld::add_dead(const std::vector<Rank>& agreed) {
  for (const Rank rank : agreed) members_.add_dead(members_.process_with(rank));
}

void RecoveredWorld::end_lost_save(RecoveryContext& context, const WorldSteps& steps) {
  checkpoints_.end_lost(context, members_, is_broken(steps));
}

void RecoveredWorld::heed(RecoveryContext& context, Incarnation peer, WorldSteps& steps) {
  if (members_.is_past(peer) || !members_.add_dead(peer)) return;
  if (Regrouping* own = regrouping_.changed()) own->ready.erase(peer);
  end_lost_save(context, steps);
  if (members_.epoch().number > 0 && !steps.all_have_entered()) {
    if (options_->protect_recovery) crier().tell_those_behind(context);
    // A dead rank may not have passed the world on.
    if (options_->rebuild_over == "tree" && phase_ != WorldPhase::entering)
      crier().take_over_from(context, peer.actor);
  }
  if (phase_ != WorldPhase::regrouping) return steps.on_death(context, peer.actor);
  if (members_.leader() != told_)
    tell_leader(context, steps);
  else if (leads())
    lead(context, steps);
}

/// A process that has been started again was dead. Often only the rank that has asked for the
/// restart knows of it, whichever rank leads by now.
void RecoveredWorld::on_peer_restarted(RecoveryContext& context, Incarnation peer,
                                       WorldSteps& steps) {
  if (peer.actor >= members_.processes()) return;
  if (phase_ == WorldPhase::spawned) return learn_as_spawned(context, peer);
  if (phase_ == WorldPhase::entering) enter_when_all_are_known(context, steps);
  if (peer.number <= members_.life_of(peer.actor)) return;
  Incarnation before = peer;
  --before.number;
  on_peer_failed(context, before, steps);
  if (leads() || has_asked_for(before)) name_leader(context, peer.actor);
}

void RecoveredWorld::on_restart_refused(RecoveryContext& context, Incarnation peer) const {
  if (peer.actor < members_.processes())
    context.fatal("no node is left for a process that takes the place of a dead one");
}

// ---- being ready ------------------------------------------------------------------------------

void RecoveredWorld::regroup(RecoveryContext& context, WorldSteps& steps) {
  if (phase_ != WorldPhase::regrouping)
    context.mark(shrinks() ? kShrinkMark : kRegroupMark, members_.epoch().number + 1);
  phase_ = WorldPhase::regrouping;
  checkpoints_.give_up();
  tell_leader(context, steps);
}

void RecoveredWorld::tell_leader(RecoveryContext& context, WorldSteps& steps) {
  const ActorId told = told_ = members_.leader();
  // The others have agreed that it is dead, and died themselves: it waits for its end.
  if (members_.is_dead(told)) return;
  if (told == members_.self())
    lead(context, steps);
  else
    send_ready(context, told);
  for (const Ready& ready : regrouping_->ready)
    if (ready.is_spawned() && told != members_.self()) name_leader(context, ready.from.actor);
  steps.on_leader_told(context);
}

void RecoveredWorld::name_leader(RecoveryContext& context, ActorId spawned) const {
  context.send(spawned, WorldMessage::leader, control_bytes())
      .payload.put(members_.process_of(members_.leader()));
}

Ready RecoveredWorld::own_ready() const {
  Ready ready;
  ready.words.epoch = members_.epoch();
  ready.words.is_spawned = phase_ == WorldPhase::spawned ? 1 : 0;
  checkpoints_.report_to(ready);
  return ready;
}

void RecoveredWorld::send_ready(RecoveryContext& context, ActorId to) const {
  const Ready ready = own_ready();
  Message& message = context.send(to, WorldMessage::ready,
                                  control_bytes() + kBytesOfHeldPoint * ready.held.size());
  message.payload.put(ready.words);
  if (!ready.held.empty()) context.attach(message, ready.held);
}

void RecoveredWorld::on_ready(RecoveryContext& context, const Ready& ready, WorldSteps& steps) {
  if (phase_ != WorldPhase::spawned) {
    const std::uint16_t expected = members_.life_of(ready.from.actor);
    if (ready.from.number < expected) return;
    // The sender is in this world without knowing it.
    const bool is_behind =
        ready.is_spawned() ? ready.from.number == expected : ready.words.epoch < members_.epoch();
    if (is_behind && phase_ != WorldPhase::entering) return crier().tell(context, ready.from.actor);
  }
  RollCall& known = regrouping_.change().ready;
  if (leads()) known.reserve(members_.world().size() - 1);
  known.put(ready);
  if (phase_ == WorldPhase::spawned)
    give_up_if_world_is_lost(context);
  else if (phase_ != WorldPhase::regrouping)
    steps.on_late_ready(context, ready.from.actor);
  else if (leads())
    try_to_put_together(context, steps);
  else if (ready.is_spawned())
    name_leader(context, ready.from.actor);
}

// ---- leading ----------------------------------------------------------------------------------

void RecoveredWorld::lead(RecoveryContext& context, WorldSteps& steps) {
  Regrouping& own = regrouping_.change();
  told_ = members_.self();
  const auto is_new = [this](const Incarnation& dead) { return !has_asked_for(dead); };
  const std::vector<Incarnation>& dead = members_.dead();
  if (!shrinks() && !own.spawns && std::any_of(dead.begin(), dead.end(), is_new)) {
    own.spawns = true;
    context.set_timer(WorldTimer::spawn, options_->spawn_s);
  }
  try_to_put_together(context, steps);
}

void RecoveredWorld::spawn(RecoveryContext& context) {
  Regrouping& own = regrouping_.change();
  own.spawns = false;
  if (!leads()) return;
  for (const Incarnation& dead : members_.dead()) {
    if (has_asked_for(dead)) continue;
    own.asked.push_back(dead);
    context.mark(kSpawnMark, members_.epoch().number + 1);
    context.restart(dead,
                    options_->spawn == "same-node" ? RestartOn::same_node : RestartOn::spare_node);
  }
}

bool RecoveredWorld::has_asked_for(Incarnation dead) const {
  const std::vector<Incarnation>& asked = regrouping_->asked;
  return std::find(asked.begin(), asked.end(), dead) != asked.end();
}

void RecoveredWorld::try_to_put_together(RecoveryContext& context, WorldSteps& steps) {
  const RollCall& ready = regrouping_->ready;
  if (!leads() || !ready.is_complete(members_, shrinks())) return;
  const std::optional<std::uint64_t> point =
      checkpoints_.common_point(own_ready(), ready, members_);
  if (!point)
    return context.fatal(options_->checkpoint == "local" ? "a checkpoint is lost with its node"
                                                         : "both copies of a checkpoint are lost");
  put_together(context, *point, steps);
}

void RecoveredWorld::put_together(RecoveryContext& context, std::uint64_t point,
                                  WorldSteps& steps) {
  std::uint32_t number = members_.epoch().number;
  WorldNews news{members_.next(options_->recovery),
                 {members_.replacements().replaced, {}, members_.self()},
                 checkpoints_.every()};
  for (const Ready& ready : regrouping_->ready) {
    number = std::max(number, ready.words.epoch.number);
    if (ready.from.number > 0) put_latest(news.replacements.replaced, ready.from);
    if (ready.is_spawned()) news.replacements.fresh.push_back(ready.from.actor);
  }
  std::uint32_t losses = members_.processes() - news.world.size();
  for (const Incarnation& life : news.replacements.replaced) losses += life.number;
  // The list has an entry for each rank. Its memory is freed before the messages to all ranks take
  // some.
  regrouping_.change().ready = {};
  enter(context, {number + 1, losses}, std::make_shared<const WorldNews>(std::move(news)), point,
        steps);
  if (options_->rebuild_over != "tree") crier().tell_all(context);
}

}  // namespace faultline::transactions
