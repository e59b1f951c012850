// SPDX-License-Identifier: Apache-2.0

// How a member of SWIM probes others, for itself and for other members, and what it concludes.

#include <algorithm>

#include "protocols/failure_detection/swim.hpp"

namespace faultline::failure_detection {

/// The next member in the order that is not known to be dead; nobody if all are.
std::optional<ActorId> Swim::next_target() {
  for (std::uint64_t seen = 0; seen < 2 * std::uint64_t{members_.count()}; ++seen) {
    if (position_ == members_.count()) {
      order_ = KeyedPermutation(members_.count(), random.next());
      position_ = 0;
    }
    const ActorId target = members_.actor(order_(position_++));
    if (target != self_ && standing_of(target) != Standing::dead) return target;
  }
  return std::nullopt;
}

/// Probes begin at the ticks of a clock. A probe that takes longer, because this member is not
/// well, lets ticks pass.
void Swim::begin_probe(DetectorContext& context) {
  const double period_s = options_->heartbeat_period_s;
  do next_probe_s_ += period_s;
  while (next_probe_s_ <= context.now_s() + kRounding * period_s);
  const auto target = next_target();
  if (!target) return rest(context);
  probe_ = {.stage = Probe::Stage::direct,
            .number = probe_.number + 1,
            .target = context.known(*target),
            .end_s = context.now_s() + period_s * (health_ + 1)};
  const SwimProbeNumber number{self_, probe_.number};
  // Lifeguard tells a suspect at once that it is suspected.
  const bool tells = options_->lifeguard && standing_of(*target) == Standing::suspect;
  SwimUpdates updates =
      tells ? SwimUpdates{as_update(*target, opinions_.at(*target))} : take_updates();
  send_with(context, *target, kSwimPing, std::move(updates)).payload.put(number);
  context.set_timer(kProbe, options_->answer_within_s(), true);
}

/// Waits until the next period.
void Swim::rest(DetectorContext& context) {
  probe_.stage = Probe::Stage::over;
  context.set_timer(kProbe, std::max(0.0, next_probe_s_ - context.now_s()), true);
}

void Swim::ask_others(DetectorContext& context) {
  probe_.stage = Probe::Stage::indirect;
  const SwimProbeNumber number{self_, probe_.number};
  const ActorId target = probe_.target.actor;
  const auto helpers = pick(options_->indirect_probes, [&](ActorId actor) {
    return actor != target && standing_of(actor) == Standing::alive;
  });
  for (const ActorId helper : helpers) {
    Message& request = send(context, helper, kSwimPingRequest);
    request.payload.put(SwimPingRequest{number, probe_.target});
  }
  probe_.asked = static_cast<std::uint32_t>(helpers.size());
  if (options_->fallback_probe) send(context, target, kSwimFallbackPing).payload.put(number);
  context.set_timer(kProbe, std::max(0.0, probe_.end_s - context.now_s()), true);
}

// If helpers do not even report that they got no answer, it is probably this member that is slow.
void Swim::probe_failed(DetectorContext& context) {
  if (probe_.asked > 0)
    change_health(static_cast<int>(probe_.asked - std::min(probe_.asked, probe_.denied)));
  else
    change_health(1);
  hear(context, {.about = probe_.target,
                 .standing = Standing::suspect,
                 .refutations = refutations_of(probe_.target.actor),
                 .by = self_});
  probe_.stage = Probe::Stage::over;
  if (next_probe_s_ <= context.now_s())
    begin_probe(context);
  else
    rest(context);
}

/// A member has answered this member's own probe, or the one that it made for another.
void Swim::acknowledged(DetectorContext& context, SwimProbeNumber probe) {
  if (probe.prober != self_) {
    const auto relay = std::find_if(relays_.begin(), relays_.end(), [probe](const Relay& one) {
      return one.probe.prober == probe.prober && one.probe.number == probe.number;
    });
    if (relay == relays_.end()) return;
    relays_.erase(relay);
    send(context, probe.prober, kSwimAck).payload.put(probe);
    return;
  }
  if (probe_.stage == Probe::Stage::over || probe.number != probe_.number) return;
  if (probe_.stage == Probe::Stage::indirect) ++rescues_;
  change_health(-1);
  rest(context);
}

void Swim::change_health(int difference) {
  if (!options_->lifeguard) return;
  const auto worse = static_cast<std::int64_t>(health_) + difference;
  health_ = static_cast<std::uint32_t>(
      std::clamp(worse, std::int64_t{0}, std::int64_t{options_->health_maximum}));
}

void Swim::ping_for(DetectorContext& context, const Message& request) {
  const auto [probe, target] = request.payload.get<SwimPingRequest>();
  relays_.push_back({probe, context.now_s() + options_->answer_within_s()});
  send(context, target.actor, kSwimPing).payload.put(probe);
  relay_alarm_.want(context, kRelay, relays_.front().due_s);
}

/// All relays wait equally long, so the first one is due first.
void Swim::give_up_relays(DetectorContext& context) {
  const double due_s = relay_alarm_.rings();
  const auto late = [due_s](const Relay& relay) { return relay.due_s <= due_s; };
  const auto in_time = std::find_if_not(relays_.begin(), relays_.end(), late);
  if (options_->lifeguard)
    for (auto relay = relays_.begin(); relay != in_time; ++relay)
      send(context, relay->probe.prober, kSwimNack).payload.put(relay->probe);
  relays_.erase(relays_.begin(), in_time);
  if (!relays_.empty()) relay_alarm_.want(context, kRelay, relays_.front().due_s);
}

/// Picks up to `count` different other members that are accepted. Gives up after three draws for
/// each member, as memberlist does.
std::vector<ActorId> Swim::pick(std::uint32_t count, const Accept& accept) {
  std::vector<ActorId> picked;
  const std::uint64_t draws = std::uint64_t{3} * members_.count();
  for (std::uint64_t draw = 0; draw < draws && picked.size() < count; ++draw) {
    const ActorId actor =
        members_.actor(static_cast<std::uint32_t>(random.below(members_.count())));
    if (actor != self_ && std::find(picked.begin(), picked.end(), actor) == picked.end() &&
        accept(actor))
      picked.push_back(actor);
  }
  return picked;
}

}  // namespace faultline::failure_detection
