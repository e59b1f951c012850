// SPDX-License-Identifier: Apache-2.0

// How the news that a member of SWIM has heard reaches the others.

#include <algorithm>
#include <cmath>

#include "protocols/failure_detection/swim.hpp"

namespace faultline::failure_detection {

/// A member without news sends no gossip, but its rounds go on at their times.
void Swim::spread(DetectorContext& context, const SwimUpdate& update) {
  updates_.add(update);
  if (options_->gossip_members == 0) return;
  const double rounds = (context.now_s() - gossip_phase_s_) / options_->gossip_period_s;
  gossip_alarm_.want(
      context, kGossip,
      gossip_phase_s_ + (std::floor(rounds + kRounding) + 1) * options_->gossip_period_s);
}

SwimUpdates Swim::take_updates() {
  if (updates_.empty()) return {};
  const auto room = static_cast<std::uint32_t>((options_->packet_bytes - options_->control_bytes) /
                                               options_->update_bytes);
  return updates_.take(room, options_->transmissions(live_members()));
}

Message& Swim::send(DetectorContext& context, ActorId to, std::uint16_t kind) {
  Message& probing = send_with(context, to, kind, take_updates());
  DetectorContext::background(probing);
  return probing;
}

Message& Swim::send_with(DetectorContext& context, ActorId to, std::uint16_t kind,
                         SwimUpdates updates) {
  const std::uint64_t bytes = options_->control_bytes + updates.size() * options_->update_bytes;
  Message& message = context.send(to, kind, bytes);
  if (!updates.empty()) context.attach(message, std::move(updates));
  return message;
}

void Swim::gossip(DetectorContext& context) {
  const double round_s = gossip_alarm_.rings();
  const auto listeners = pick(options_->gossip_members, [&](ActorId actor) {
    return standing_of(actor) != Standing::dead ||
           context.now_s() - opinions_.at(actor).since_s <= options_->gossip_to_dead_s;
  });
  for (const ActorId listener : listeners) {
    SwimUpdates updates = take_updates();
    if (updates.empty()) break;
    send_with(context, listener, kSwimGossip, std::move(updates));
  }
  if (!updates_.empty()) gossip_alarm_.want(context, kGossip, round_s + options_->gossip_period_s);
}

void Swim::push_pull(DetectorContext& context) {
  const auto peer = pick(1, [&](ActorId actor) { return standing_of(actor) == Standing::alive; });
  if (!peer.empty()) send_state(context, peer.front(), kSwimPush);
}

/// memberlist sends the state of every member, and the size here is that. News of members that are
/// simply alive has no effect and is left out.
void Swim::send_state(DetectorContext& context, ActorId to, std::uint16_t kind) {
  SwimUpdates state{{.about = context.known(self_), .refutations = refutations_, .by = self_}};
  for (const auto& [actor, opinion] : opinions_) state.push_back(as_update(actor, opinion));
  const std::uint64_t bytes =
      options_->control_bytes +
      options_->update_bytes * std::max<std::uint64_t>(members_.count(), state.size());
  Message& message = context.send(to, kind, bytes);
  context.attach(message, std::move(state));
  DetectorContext::background(message);
}

/// A member that another one takes for dead is only suspected here, so that it can deny it. A rank
/// whose end its daemon has seen is dead.
void Swim::merge_state(DetectorContext& context, const SwimUpdates& state) {
  for (SwimUpdate update : state) {
    if (update.standing == Standing::dead && members_.contains(update.about.actor))
      update.standing = Standing::suspect;
    update.by = self_;
    hear(context, update);
  }
}

/// This member takes another one for dead, and will tell it so. The times of a member follow from
/// those of its gossip, so that those of different members are apart.
void Swim::expect_reconnection(DetectorContext& context) {
  if (!options_->reconnect_period_s) return;
  const double period_s = *options_->reconnect_period_s;
  const double phase_s = gossip_phase_s_ / options_->gossip_period_s * period_s;
  const double rounds = (context.now_s() - phase_s) / period_s;
  reconnect_alarm_.want(context, kReconnect,
                        phase_s + (std::floor(rounds + kRounding) + 1) * period_s);
}

/// One of the members that this one takes for dead may live, and have been cut off. If it can deny
/// that, it gets all that this one knows, and answers with what it knows, as when Serf reconnects.
/// Else it gets the news of its death.
void Swim::reconnect(DetectorContext& context) {
  reconnect_alarm_.rings();
  std::vector<ActorId> dead;
  for (const auto& [actor, opinion] : opinions_)
    if (opinion.standing == Standing::dead && members_.contains(actor)) dead.push_back(actor);
  if (dead.empty()) return;
  const ActorId to = dead[random.below(dead.size())];
  if (returns_)
    send_state(context, to, kSwimPush);
  else
    DetectorContext::background(
        send_with(context, to, kSwimGossip, {as_update(to, opinions_.at(to))}));
  expect_reconnection(context);
}

void Swim::tell_rank_of_all(DetectorContext& context, Rank rank) {
  for (const auto& [actor, opinion] : opinions_)
    if (opinion.standing == Standing::dead && actor != rank)
      context.send(rank, kSwimReport, options_->control_bytes)
          .payload.put(NodeNews{{actor, opinion.life}, opinion.refutations});
}

}  // namespace faultline::failure_detection
