// SPDX-License-Identifier: Apache-2.0
#pragma once

// The path of every message from its sender's stack into the network. It stands apart, to be
// inlined where a turn ends: its calls were 4 % of a run's instructions.

#include <algorithm>

#include "sim/engine/network/network.hpp"

namespace faultline::engine {

inline void Network::put_on_wire(ActorId self, ActorState& actor,
                                 const std::vector<Message*>& messages, double begin_s, bool held) {
  double cpu_s = begin_s;
  Outgoing& outgoing = state_.outgoing_[self];
  std::size_t sent = 0;
  for (; sent < messages.size(); ++sent) {
    if ((messages[sent]->flags & kFence) != 0) {
      if (outgoing.before_nic > 0) break;
      cpu_s = std::max(cpu_s, outgoing.entered_s);
    }
    cpu_s = inject(outgoing, messages[sent], cpu_s, held);
  }
  if (run_.observer != nullptr && sent > 0)
    run_.show({.kind = audit::Sight::Kind::sending,
               .time_s = begin_s,
               .until_s = cpu_s,
               .actor = self,
               .value = sent});
  actor.cpu_free_s = cpu_s;
  if (run_.job.shares_cores)
    processors_.take_from_workers(self, processors_.occupied_s(self, overheads_s(messages, sent)));
  const auto rest = messages.begin() + static_cast<std::ptrdiff_t>(sent);
  if (held)
    actor.rare_state->fenced.assign(rest, messages.end());
  else if (rest != messages.end())
    hold_at_fence(actor, rest, messages.end(), cpu_s);
}

/// Returns when the processor has sent the message.
inline double Network::inject(Outgoing& outgoing, Message* message, double begin_s, bool held) {
  const double sent_s = processors_.done_s(message->from, begin_s, run_.send_overhead_s(*message));
  const NodeId node = run_.node_of(message->from);
  Nic& nic = state_.nics_[node];
  if (node != run_.node_of(message->to) && comes_to_nic_by_event(node, *message, sent_s)) {
    if (run_.observer != nullptr && !held)
      show_leaving(audit::Sight::Kind::sent, *message, begin_s);
    ++nic.expected;
    ++outgoing.before_nic;
    run_.state.schedule.add(sent_s, EventKind::nic_ready, message);
    return sent_s;
  }
  const platform::Transit transit = transit_of(*message);
  double& free_s = transit.local ? outgoing.local_free_s : nic.free_s;
  message->inject_s = std::max(sent_s, free_s);
  free_s = message->inject_s + (transit.local ? transit.transfer_s : transit.nic_occupied_s);
  if (run_.observer != nullptr) {
    if (held)
      show_leaving(audit::Sight::Kind::injected, *message, message->inject_s);
    else
      show_leaving(audit::Sight::Kind::sent, *message, begin_s);
  }
  enter(*message, transit, false);
  return sent_s;
}

/// The message enters the network at its inject_s. From then on its sender's death no longer stops
/// it. `streams`: it leaves packet by packet.
inline void Network::enter(Message& message, const platform::Transit& transit, bool streams) {
  double& entered_s = state_.outgoing_[message.from].entered_s;
  entered_s = std::max(entered_s, message.inject_s);
  if ((message.flags & kNotifySent) != 0)
    promise_sent(message, message.inject_s + transit.transfer_s);
  if (message.channel == Family::failure_detection && !transit.local) count_detection_sent(message);
  if (run_.job.loses_messages && is_lost_on_its_way(message)) [[unlikely]]
    lose(message);
  else if (streams)
    transport_.stream(message, transit);
  else
    transport_.transmit(message, transit);
}

}  // namespace faultline::engine
