// SPDX-License-Identifier: Apache-2.0

// What a member of SWIM believes of the others: whether they are alive, suspected or dead.

#include <algorithm>

#include "protocols/failure_detection/swim.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::failure_detection {

void Swim::hear(DetectorContext& context, const SwimUpdate& update) {
  if (stopped_) return;
  if (update.about.actor == self_) return hear_of_me(context, update);
  if (!is_present(context, update.about)) return;
  const ActorId about = update.about.actor;
  const bool can_be_news = update.standing == Standing::alive && can_return(about);
  if (standing_of(about) == Standing::dead && !can_be_news) return;
  switch (update.standing) {
    case Standing::alive:
      return believe_alive(context, update);
    case Standing::suspect:
      return suspect(context, update);
    case Standing::dead:
      if (can_return(about) && update.refutations < refutations_of(about)) return;
      return declare_dead(context, update.about, update.refutations);
  }
  invariant(false, "an update has an unknown standing");
}

/// Where reports are final, as in section 4.2 of the paper, nobody listens any more to a member
/// that is declared dead. Else it denies that as it denies a suspicion, unless it has done so
/// already.
void Swim::hear_of_me(DetectorContext& context, const SwimUpdate& update) {
  if (update.about != context.known(self_)) return;
  if (update.standing == Standing::dead && !returns_) {
    stopped_ = true;
    context.report_failed(update.about);
  } else if (update.standing != Standing::alive && update.refutations >= refutations_) {
    refutations_ = update.refutations + 1;
    change_health(1);
    spread(context, {.about = update.about, .refutations = refutations_, .by = self_});
  }
}

bool Swim::is_present(DetectorContext& context, Incarnation life) {
  const auto found = opinions_.find(life.actor);
  const std::uint16_t latest =
      found == opinions_.end() ? context.known(life.actor).number : found->second.life;
  if (life.number <= latest) return life.number == latest;
  context.learn(life);
  begin_life(context, life);
  return true;
}

/// An actor that this member remembers nothing about is alive and has denied nothing.
Swim::Opinion& Swim::remember(Incarnation life) {
  Opinion& opinion = opinions_[life.actor];
  opinion.life = life.number;
  most_opinions_ = std::max(most_opinions_, opinions_.size());
  return opinion;
}

void Swim::end_suspicion(Opinion& opinion, ActorId of) {
  if (opinion.standing == Standing::suspect) suspicions_.erase({opinion.due_s, of});
  opinion.suspected_by = {};
  opinion.due_s = kNever;
  opinion.wanted = 0;
  opinion.least_s = 0.0;
}

void Swim::believe_alive(DetectorContext& context, const SwimUpdate& update) {
  if (update.refutations <= refutations_of(update.about.actor)) return;
  Opinion& opinion = remember(update.about);
  if (opinion.standing == Standing::dead) take_back(context, update, opinion);
  end_suspicion(opinion, update.about.actor);
  opinion.standing = Standing::alive;
  opinion.since_s = 0.0;
  opinion.refutations = update.refutations;
  spread(context, update);
}

void Swim::suspect(DetectorContext& context, const SwimUpdate& update) {
  if (update.refutations < refutations_of(update.about.actor)) return;
  Opinion& opinion = remember(update.about);
  if (opinion.standing == Standing::suspect) return confirm(context, opinion, update);
  // With too few members, nobody else can confirm the suspicion.
  const std::uint32_t wanted = options_->lifeguard && options_->suspicion_multiplier > 2
                                   ? options_->suspicion_multiplier - 2
                                   : 0;
  opinion.wanted = live_members() < wanted + 2 ? 0 : wanted;
  opinion.standing = Standing::suspect;
  opinion.refutations = update.refutations;
  opinion.since_s = context.now_s();
  opinion.least_s = options_->least_suspicion_s(live_members());
  opinion.due_s = opinion.since_s + options_->suspicion_s(opinion.least_s, 0, opinion.wanted);
  opinion.suspected_by = {update.by};
  suspicions_.insert({opinion.due_s, update.about.actor});
  suspicion_alarm_.want(context, kSuspicion, suspicions_.begin()->first);
  ++suspicions_begun_;
  spread(context, update);
}

/// A member that was known to suspect it confirms nothing, nor does anybody after enough
/// confirmations.
void Swim::confirm(DetectorContext& context, Opinion& opinion, const SwimUpdate& update) {
  std::vector<ActorId>& by = opinion.suspected_by;
  if (by.size() > opinion.wanted || std::find(by.begin(), by.end(), update.by) != by.end()) return;
  by.push_back(update.by);
  const auto confirmations = static_cast<std::uint32_t>(by.size() - 1);
  suspicions_.erase({opinion.due_s, update.about.actor});
  opinion.due_s =
      opinion.since_s + options_->suspicion_s(opinion.least_s, confirmations, opinion.wanted);
  suspicions_.insert({opinion.due_s, update.about.actor});
  suspicion_alarm_.want(context, kSuspicion, suspicions_.begin()->first);
  spread(context, update);
}

void Swim::suspicions_are_due(DetectorContext& context) {
  const double due_s = suspicion_alarm_.rings();
  while (!suspicions_.empty() && suspicions_.begin()->first <= due_s) {
    const ActorId suspect = suspicions_.begin()->second;
    const Opinion& opinion = opinions_.at(suspect);
    declare_dead(context, {suspect, opinion.life}, opinion.refutations);
  }
  if (!suspicions_.empty()) suspicion_alarm_.want(context, kSuspicion, suspicions_.begin()->first);
}

/// `refutations`: the member may have denied as many suspicions, and only a later refutation shows
/// that it lives.
void Swim::declare_dead(DetectorContext& context, Incarnation dead, std::uint32_t refutations) {
  Opinion& opinion = remember(dead);
  end_suspicion(opinion, dead.actor);
  opinion.standing = Standing::dead;
  opinion.since_s = context.now_s();
  if (can_return(dead.actor)) opinion.refutations = std::max(opinion.refutations, refutations);
  if (members_.contains(dead.actor)) {
    ++dead_members_;
    ++members_failed_;
    expect_reconnection(context);
  }
  spread(
      context,
      {.about = dead, .standing = Standing::dead, .refutations = opinion.refutations, .by = self_});
  context.report_failed(dead);
  tell_ranks(context, kSwimReport, {dead, opinion.refutations});
}

/// A member that this one has declared dead has denied that.
void Swim::take_back(DetectorContext& context, const SwimUpdate& denial, const Opinion& opinion) {
  --dead_members_;
  count_return(context, opinion);
  context.take_back(denial.about);
  tell_ranks(context, kSwimReturn, {denial.about, denial.refutations});
}

void Swim::count_return(const DetectorContext& context, const Opinion& opinion) {
  ++members_returned_;
  if (context.now_s() - opinion.since_s < options_->flap_timeout_s) ++flaps_;
}

/// A daemon tells the ranks of its node what it now takes for dead, or no longer.
void Swim::tell_ranks(DetectorContext& context, std::uint16_t kind, const NodeNews& news) {
  if (!members_.are_daemons()) return;
  for (const Rank rank : ranks_of_daemon(context))
    if (standing_of(rank) != Standing::dead)
      context.send(rank, kind, options_->control_bytes).payload.put(news);
}

/// The operating system tells a daemon of the end of its ranks, so this news is certain.
void Swim::on_local_exit(DetectorContext& context, Incarnation rank) {
  hear(context, {.about = rank, .standing = Standing::dead, .by = self_});
}

void Swim::on_peer_restarted(DetectorContext& context, Incarnation peer) {
  const auto found = opinions_.find(peer.actor);
  if (found == opinions_.end() || found->second.life < peer.number) begin_life(context, peer);
}

/// A process that lives in a later life has died in the one before, of which this member may not
/// have heard.
void Swim::begin_life(DetectorContext& context, Incarnation life) {
  const auto before = static_cast<std::uint16_t>(life.number - 1);
  const bool was_dead = standing_of(life.actor) == Standing::dead;
  if (!was_dead || opinions_.at(life.actor).life < before) {
    if (was_dead && members_.contains(life.actor)) --dead_members_;
    declare_dead(context, {life.actor, before}, 0);
  }
  if (members_.contains(life.actor)) {
    --dead_members_;
    count_return(context, opinions_.at(life.actor));
  }
  opinions_.erase(life.actor);
  remember(life);
  spread(context, {.about = life, .by = self_});
}

Standing Swim::standing_of(ActorId actor) const {
  const auto found = opinions_.find(actor);
  return found == opinions_.end() ? Standing::alive : found->second.standing;
}

std::uint32_t Swim::refutations_of(ActorId actor) const {
  const auto found = opinions_.find(actor);
  return found == opinions_.end() ? 0 : found->second.refutations;
}

SwimUpdate Swim::as_update(ActorId actor, const Opinion& opinion) const {
  return {.about = {actor, opinion.life},
          .standing = opinion.standing,
          .refutations = opinion.refutations,
          .by = self_};
}

}  // namespace faultline::failure_detection
