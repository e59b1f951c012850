// SPDX-License-Identifier: Apache-2.0

// How messages leave an actor, one after the other, and come to the NIC of its node.

#include <algorithm>
#include <utility>

#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

// ---- the processor ----------------------------------------------------------------------------

// Flattened, because every message takes this path and its calls were 4 % of a run's instructions.
[[gnu::flatten]] void Runtime::inject_wire() {
  ActorState& actor = *current_;
  const std::vector<Message*>& wire = turn_.wire;
  for (Message* message : wire) leave_stack(actor, *message);
  if (actor.rare_state && !actor.rare_state->fenced.empty())
    hold_at_fence(actor, wire.begin(), wire.end());
  else
    put_on_wire(turn_.self, actor, wire, false);
  turn_.wire.clear();
}

/// From here on a message is in flight, although it may still wait for its processor or its NIC.
void Runtime::leave_stack(ActorState& actor, Message& message) {
  message.flags |= kInFlight;
  message.inject_s = kNever;
  message.from_incarnation = actor.incarnation;
  message.to_incarnation =
      state_.any_restart ? known(message.from, message.to).number : std::uint16_t{0};
  state_.schedule.keep_alive(message);
  if (message.channel != Family::workload)
    count_control(message);
  else if (turn_.direct)
    note_sent(message);
  if ((message.flags & kNotifySent) != 0) ++actor.rare().on_sent_due[index_of(message.channel)];
  if (state_.roll.any_death && !state_.actors[message.to].lives_as(message.to_incarnation)) {
    message.flags |= kLost;
    if (message.channel == Family::workload) state_.auditor.lost(1, now_s());
  }
}

/// Sends messages from time cpu_s_ on. At a fence, the message and those behind it wait until
/// everything that the actor has sent before is in the network. Until then its processor handles no
/// message. `held`: a fence has already held these messages back.
void Runtime::put_on_wire(ActorId self, ActorState& actor, const std::vector<Message*>& messages,
                          bool held) {
  const double begin_s = cpu_s_;
  Outgoing& outgoing = state_.outgoing[self];
  std::size_t sent = 0;
  for (; sent < messages.size(); ++sent) {
    if ((messages[sent]->flags & kFence) != 0) {
      if (outgoing.before_nic > 0) break;
      cpu_s_ = std::max(cpu_s_, outgoing.entered_s);
    }
    inject(outgoing, messages[sent], held);
  }
  if (observer_ != nullptr && sent > 0)
    show({.kind = Sight::Kind::sending,
          .time_s = begin_s,
          .until_s = cpu_s_,
          .actor = self,
          .value = sent});
  actor.cpu_free_s = cpu_s_;
  if (job_->shares_cores)
    processors_.take_from_workers(
        self, processors_.occupied_s(self, static_cast<double>(sent) * machine().send_overhead_s));
  const auto rest = messages.begin() + static_cast<std::ptrdiff_t>(sent);
  if (held)
    actor.rare_state->fenced.assign(rest, messages.end());
  else if (rest != messages.end())
    hold_at_fence(actor, rest, messages.end());
}

void Runtime::hold_at_fence(ActorState& actor, std::vector<Message*>::const_iterator begin,
                            std::vector<Message*>::const_iterator end) {
  auto& fenced = actor.rare().fenced;
  fenced.insert(fenced.end(), begin, end);
  if (observer_ != nullptr)
    std::for_each(begin, end, [this](const Message* message) {
      show_leaving(Sight::Kind::sent, *message, cpu_s_);
    });
}

/// Called when everything that the actor had sent before its fence is in the network.
void Runtime::pass_fence(ActorId self) {
  ActorState& actor = state_.actors[self];
  const std::vector<Message*> messages = std::exchange(actor.rare_state->fenced, {});
  cpu_s_ = std::max(now_s(), actor.cpu_free_s);
  put_on_wire(self, actor, messages, true);
  processors_.look_again(self);
}

void Runtime::inject(Outgoing& outgoing, Message* message, bool held) {
  const double begin_s = cpu_s_;
  cpu_s_ = processors_.done_s(message->from, begin_s, machine().send_overhead_s);
  const NodeId node = node_of(message->from);
  Nic& nic = state_.nics[node];
  if (node != node_of(message->to) && comes_to_nic_by_event(node, *message)) {
    if (observer_ != nullptr && !held) show_leaving(Sight::Kind::sent, *message, begin_s);
    ++nic.expected;
    ++outgoing.before_nic;
    state_.schedule.add(cpu_s_, EventKind::nic_ready, message);
    return;
  }
  const Transit transit = transit_of(*message);
  double& free_s = transit.local ? outgoing.local_free_s : nic.free_s;
  message->inject_s = std::max(cpu_s_, free_s);
  free_s = message->inject_s + (transit.local ? transit.transfer_s : transit.nic_occupied_s);
  if (observer_ != nullptr) {
    if (held)
      show_leaving(Sight::Kind::injected, *message, message->inject_s);
    else
      show_leaving(Sight::Kind::sent, *message, begin_s);
  }
  enter_network(*message, transit, false);
}

void Runtime::count_control(const Message& message) {
  auto& kinds = state_.control[static_cast<std::size_t>(message.channel)];
  if (message.kind >= kinds.size()) kinds.resize(message.kind + std::size_t{1});
  ++kinds[message.kind].messages;
  kinds[message.kind].bytes += message.bytes;
}

Transit Runtime::transit_of(const Message& message) const {
  const NodeId from = node_of(message.from);
  const NodeId to = node_of(message.to);
  const auto bytes = static_cast<double>(message.bytes);
  return from == to ? local_transit(machine(), bytes)
                    : transit_over(job_->routes.route(from, to), machine(), bytes);
}

/// The message enters the network at its inject_s. From then on its sender's death no longer stops
/// it. `streams`: it leaves packet by packet.
void Runtime::enter_network(Message& message, const Transit& transit, bool streams) {
  double& entered_s = state_.outgoing[message.from].entered_s;
  entered_s = std::max(entered_s, message.inject_s);
  if ((message.flags & kNotifySent) != 0)
    promise_sent(message, message.inject_s + transit.transfer_s);
  if (message.channel == Family::failure_detection && !transit.local) count_detection_sent(message);
  if (job_->loses_messages && is_lost_in_network(message)) [[unlikely]]
    lose_in_network(message);
  else if (streams)
    stream(message, transit);
  else
    transmit(message, transit);
}

/// The load of a failure detector on the NIC of the sender's node, and on the links of the route.
void Runtime::count_detection_sent(const Message& message) {
  const NodeId from = node_of(message.from);
  state_.nics[from].detection_bytes += message.bytes;
  std::vector<std::uint64_t>& links = state_.detection_link_bytes;
  if (links.empty()) links.resize(routes().links());
  routes().for_each_link(from, node_of(message.to),
                         [&](std::size_t link) { links[link] += message.bytes; });
}

double Runtime::drawn_noise_s(const Message& message) {
  const DelayNoise& noise = *job_->spec.platform.delay_noise;
  Stream& random = state_.noise_random[message.from];
  const auto draw = [&] {
    switch (noise.law) {
      case DelayLaw::exponential:
        return random.exponential(noise.mean_s);
      case DelayLaw::uniform:
        return 2.0 * noise.mean_s * random.uniform();
      case DelayLaw::pareto:
        return random.pareto(noise.mean_s, noise.shape);
    }
    return 0.0;
  };
  const std::uint32_t draws =
      noise.per_hop ? job_->routes.hops(node_of(message.from), node_of(message.to)) : 1;
  double delay_s = 0.0;
  for (std::uint32_t i = 0; i < draws; ++i) delay_s += draw();
  return delay_s;
}

/// Whether a message that enters the network will not come out of it. What nobody will handle
/// anyway is left to go its way.
bool Runtime::is_lost_in_network(const Message& message) {
  if ((message.flags & kLost) != 0) return false;
  if (job_->cut.separates({message.from, node_of(message.from)}, {message.to, node_of(message.to)},
                          message.inject_s))
    return true;
  return may_be_lost(message) && !state_.loss_random.empty() &&
         state_.loss_random[message.from].chance(job_->spec.platform.detection_loss_probability);
}

/// The message has cost its sender and its NIC what every message costs them. It takes no link,
/// does not come to its receiver's NIC, and no later message waits for it.
void Runtime::lose_in_network(Message& message) {
  message.flags |= kLost;
  if (message.channel == Family::workload) state_.auditor.lost(1, now_s());
  state_.schedule.add(message.inject_s, EventKind::vanish, &message);
}

/// A flush that waited for the message waits no longer.
void Runtime::vanish(Message* message) {
  const ActorId receiver = message->to;
  const Incarnation sender{message->from, message->from_incarnation};
  drop(message);
  if (state_.any_flush) answer_flushes(receiver, sender);
}

// ---- the send fence ---------------------------------------------------------------------------

void Runtime::promise_sent(const Message& message, double time_s) {
  const std::uint32_t promise =
      state_.sent_promises.add({message.from, message.to, static_cast<std::uint16_t>(message.kind),
                                message.from_incarnation, message.channel});
  state_.schedule.add(time_s, EventKind::sent, message.from, promise);
}

void Runtime::tell_sent(ActorId self, std::uint32_t promise) {
  const SentPromise sent = state_.sent_promises.take(promise);
  if (!state_.actors[self].lives_as(sent.incarnation)) return;
  if (sent.from != self) return;
  --state_.actors[self].rare().on_sent_due[index_of(sent.channel)];
  turn(self, sent.channel, [&](Component& component, Context& context) {
    component.on_sent(context, sent.to, sent.kind);
    if (sent.channel == Family::workload) expect_no_new_work(turn_.active, "on_sent");
  });
}

}  // namespace faultline::engine
