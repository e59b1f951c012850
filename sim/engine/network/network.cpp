// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/network/network_wire.hpp"

#include <utility>

namespace faultline::engine {

// ---- out of an actor --------------------------------------------------------------------------

void Network::hold_at_fence(ActorState& actor, std::vector<Message*>::const_iterator begin,
                            std::vector<Message*>::const_iterator end, double now_s) {
  auto& fenced = actor.rare().fenced;
  fenced.insert(fenced.end(), begin, end);
  if (run_.observer != nullptr)
    std::for_each(begin, end, [&](const Message* message) {
      show_leaving(audit::Sight::Kind::sent, *message, now_s);
    });
}

/// Processor time that the first messages have taken.
double Network::overheads_s(const std::vector<Message*>& messages, std::size_t sent) const {
  if (!run_.job.has_costs_by_size)
    return static_cast<double>(sent) * run_.machine().send_overhead_s;
  double sum_s = 0.0;
  for (std::size_t i = 0; i < sent; ++i) sum_s += run_.send_overhead_s(*messages[i]);
  return sum_s;
}

/// Called when everything that the actor had sent before its fence is in the network.
void Network::pass_fence(ActorId self) {
  ActorState& actor = run_.state.actors[self];
  const std::vector<Message*> messages = std::exchange(actor.rare_state->fenced, {});
  put_on_wire(self, actor, messages, std::max(run_.now_s(), actor.cpu_free_s), true);
  processors_.look_again(self);
}

void Network::promise_sent(const Message& message, double time_s) {
  const std::uint32_t promise =
      state_.sent_promises_.add({message.from, message.to, static_cast<std::uint16_t>(message.kind),
                                 message.from_incarnation, message.channel});
  run_.state.schedule.add(time_s, EventKind::sent, message.from, promise);
}

std::optional<SentPromise> Network::take_promise(const Event& sent) {
  const ActorId self = sent.at.actor;
  const SentPromise promise = state_.sent_promises_.take(sent.at.detail);
  if (!run_.lives({self, promise.incarnation}) || promise.from != self) return std::nullopt;
  --run_.state.actors[self].rare().on_sent_due[index_of(promise.channel)];
  return promise;
}

/// Shows that at time_s a message has begun to leave its sender. At its inject_s it enters the
/// network.
void Network::show_leaving(audit::Sight::Kind kind, const Message& message, double time_s) const {
  run_.show({.kind = kind,
             .time_s = time_s,
             .until_s = message.inject_s,
             .actor = message.from,
             .peer = message.to,
             .message = &message});
}

// ---- across the network -----------------------------------------------------------------------

/// The load of a failure detector on the NIC of the sender's node, and on the links of the route.
void Network::count_detection_sent(const Message& message) {
  const NodeId from = run_.node_of(message.from);
  state_.nics_[from].detection_bytes += message.bytes;
  std::vector<std::uint64_t>& links = state_.detection_link_bytes_;
  if (links.empty()) links.resize(run_.job.routes.links());
  run_.job.routes.for_each_link(from, run_.node_of(message.to),
                                [&](std::size_t link) { links[link] += message.bytes; });
}

double Network::drawn_noise_s(const Message& message) {
  const scenario::DelayNoise& noise = *run_.job.spec.platform.delay_noise;
  Stream& random = state_.noise_random_[message.from];
  const auto draw = [&] {
    switch (noise.law) {
      case scenario::DelayLaw::exponential:
        return random.exponential(noise.mean_s);
      case scenario::DelayLaw::uniform:
        return 2.0 * noise.mean_s * random.uniform();
      case scenario::DelayLaw::pareto:
        return random.pareto(noise.mean_s, noise.shape);
    }
    return 0.0;
  };
  const std::uint32_t draws =
      noise.per_hop ? run_.job.routes.hops(run_.node_of(message.from), run_.node_of(message.to))
                    : 1;
  double delay_s = 0.0;
  for (std::uint32_t i = 0; i < draws; ++i) delay_s += draw();
  return delay_s;
}

double Network::cut_wait_s(const Message& message) const {
  if (!run_.job.cut.delays()) return 0.0;
  return run_.job.cut.wait_s({message.from, run_.node_of(message.from)},
                             {message.to, run_.node_of(message.to)}, message.inject_s);
}

bool Network::any_in_flight(Incarnation from, ActorId to) {
  const auto& rare = run_.state.actors[to].rare_state;
  const Refusal* refusal = rare ? rare->refused.of(from) : nullptr;
  const auto is_meant = [&](const Message& message) {
    return message.from == from.actor && message.from_incarnation == from.number &&
           message.to == to && (message.flags & (kInFlight | kLost)) == kInFlight &&
           message.channel != Family::failure_detection &&
           (refusal == nullptr || !refusal->covers(message));
  };
  if (!run_.lives(from)) return state_.last_messages_.any(from, to, run_.state.pool, is_meant);
  bool found = false;
  run_.state.pool.for_each_in_flight(
      [&](const Message& message) { found = found || is_meant(message); });
  return found;
}

bool Network::leaves_no_choice(const Event& event) const {
  if (event.kind() == EventKind::nic_ready)
    return !departures_wait_ || sender_is_gone(*event.message);
  if (event.kind() != EventKind::sent) return true;
  const SentPromise& sent = state_.promise(event);
  return sent.from != event.at.actor || !run_.lives({sent.from, sent.incarnation});
}

// ---- what is lost -----------------------------------------------------------------------------

/// Whether a message that enters the network will not come out of it. What nobody will handle
/// anyway is left to go its way.
bool Network::is_lost_on_its_way(const Message& message) {
  if ((message.flags & kLost) != 0) return false;
  if (run_.job.cut.separates({message.from, run_.node_of(message.from)},
                             {message.to, run_.node_of(message.to)}, message.inject_s))
    return true;
  return may_be_lost(message) && !state_.loss_random_.empty() &&
         state_.loss_random_[message.from].chance(
             run_.job.spec.platform.detection_loss_probability);
}

void Network::lose(Message& message) {
  note_lost(message);
  run_.state.schedule.add(message.inject_s, EventKind::vanish, &message);
}

void Network::lose_messages_of(ActorId dead) {
  ActorState& state = run_.state.actors[dead];
  std::uint64_t lost = 0;
  run_.state.pool.for_each_in_flight([&](Message& message) {
    const bool uninjected = message.from == dead && message.from_incarnation == state.incarnation &&
                            (message.flags & kArrived) == 0 && message.inject_s > run_.now_s();
    if (uninjected) withdraw(message);
    if ((message.flags & kLost) != 0 || (message.to != dead && !uninjected)) return;
    message.flags |= kLost;
    if (message.channel == Family::workload) ++lost;
  });
  run_.state.truth.auditor().lost(lost, run_.now_s());
  while (!state.inbox_is_empty()) forget_unsent(state.take_out());
  state_.nics_[run_.node_of(dead)].expected -= std::exchange(state_.outgoing_[dead].before_nic, 0U);
  if (!state.rare_state) return;
  for (Message* message : state.rare_state->early) discard(message);
  for (Message* message : state.rare_state->fenced) forget_unsent(message);
}

void Network::drop(Message* message) {
  if ((message->flags & kLost) == 0 && message->channel == Family::workload)
    run_.state.truth.auditor().lost(1, run_.now_s());
  discard(message);
}

void Network::discard(Message* message) {
  if (run_.observer != nullptr)
    run_.show({.kind = audit::Sight::Kind::lost,
               .time_s = run_.now_s(),
               .actor = message->from,
               .peer = message->to,
               .message = message});
  run_.state.pool.give_back(message);
}

void Network::void_promises(ActorId self, Family layer) {
  bool any = false;
  for (std::size_t level = 0; level < index_of(layer); ++level)
    any = std::exchange(run_.state.actors[self].rare_state->on_sent_due[level], 0) > 0 || any;
  if (!any) return;
  const Incarnation now = run_.incarnation_of(self);
  state_.sent_promises_.forget_above(now, layer);
  run_.state.pool.for_each_in_flight([&](Message& message) {
    if (Incarnation{message.from, message.from_incarnation} == now &&
        index_of(message.channel) < index_of(layer))
      message.flags &= static_cast<std::uint8_t>(~kNotifySent);
  });
}

}  // namespace faultline::engine
