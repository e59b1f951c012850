// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/loggp/loggp_engine.hpp"

#include <algorithm>
#include <utility>

namespace faultline::engine {

LogGpEngine::LogGpEngine(std::shared_ptr<const RunJob> job)
    : Runtime(std::move(job)),
      links_are_narrow_(routes().least_bandwidth() < machine().nic_bandwidth_Bps),
      lanes_(&memory_),
      early_arrivals_(&memory_),
      on_link_between_(&memory_),
      waiting_between_(&memory_),
      look_ahead_(*job_, state_, link_free_s_) {
  fetches_next_message_ = !look_ahead_.sees_inboxes();
}

void LogGpEngine::simulate() {
  while (!stopped() && !quiescent()) {
    const Event event = state_.schedule.take_next();
    if (!goes_on(event.time_s)) return;
    set_now_s(event.time_s);
    look_ahead_.go_on();
    switch (event.kind()) {
      case EventKind::arrive:
        take_in(event.message);
        break;
      case EventKind::bulk_passed:
        if (event.at.detail == kIntake)
          pass_intake(event.at.actor);
        else
          pass_link(event.at.actor, event.at.detail);
        after_event();
        break;
      default:
        carry_out(event);
    }
  }
}

/// Schedules the event at the earliest time at which the receiver can have taken the message in.
/// The sum is formed in the same order as the NIC forms it for the next message. In another order,
/// rounding could let an empty message overtake the one before it.
void LogGpEngine::transmit(Message& message, const Transit& transit) {
  double begin_s = message.inject_s;
  if (links_are_narrow_ && !transit.local) {
    if (on_link_between_.holds(message.from, message.to)) [[unlikely]] {
      join_link(message, transit);
      return;
    }
    begin_s = on_link_s(message, transit);
  }
  arrive(message, transit, begin_s + transit.transfer_s, network_delay_s(message, transit));
}

/// The last byte leaves the node at left_s. The network then takes so much longer than its latency.
void LogGpEngine::arrive(Message& message, const Transit& transit, double left_s, double delay_s) {
  double arrival_s = left_s + transit.latency_s + delay_s;
  if (!state_.network.noise_random.empty() && !transit.local) [[unlikely]]
    arrival_s = in_order_s(message, arrival_s);
  state_.schedule.add(arrival_s + machine().receive_overhead_s, EventKind::arrive, &message);
}

/// When a message arrives that would arrive at that time, if it were not for those before it.
double LogGpEngine::in_order_s(const Message& message, double arrival_s) {
  if (!network_.is_fifo()) return arrival_s;
  double& last_s = state_.network.last_arrival_s[std::uint64_t{message.from} << 32 | message.to];
  last_s = std::max(last_s, arrival_s);
  return last_s;
}

/// A message that takes its link no longer than the NIC is already spaced by the NIC, unless the
/// link still has others to carry.
bool LogGpEngine::can_wait_for_link(const Message& message, const Transit& transit) const {
  return transit.transfer_s > transit.nic_occupied_s || message.inject_s < links_free_s_ ||
         !lanes_.empty();
}

/// When the first link of the route begins to carry a message that the NIC has taken up. A NIC that
/// is faster than a link can feed several links at once, but each takes its own time.
double LogGpEngine::on_link_s(const Message& message, const Transit& transit) {
  if (!can_wait_for_link(message, transit)) return message.inject_s;
  if (link_free_s_.empty())
    link_free_s_.resize(std::size_t{node_count()} * routes().ports(), -kNever);
  const NodeId node = node_of(message.from);
  const std::uint32_t port = port_of(message);
  double& free_s = link_free_s_[std::size_t{node} * routes().ports() + port];
  const double begin_s = std::max(message.inject_s, free_s);
  free_s = begin_s + transit.transfer_s;
  if (!lanes_.empty())
    if (const auto lane = lanes_.find(lane_of(node, port)); lane != lanes_.end())
      delay_on_link(lane->second, begin_s, transit.transfer_s);
  links_free_s_ = std::max(links_free_s_, free_s);
  return begin_s;
}

void LogGpEngine::take_in(Message* message) {
  if ((message->flags & kDelayed) != 0) {
    ignore_early_arrival(*message);
    after_event();
    return;
  }
  if ((network_.is_bulk(*message) || waiting_between_.holds(message->from, message->to)) &&
      waits_as_bulk(*message)) {
    after_event();
    return;
  }
  const double taken_in_s = taken_in_s_of(*message);
  if (taken_in_s > now_s()) {
    state_.schedule.add(taken_in_s, EventKind::taken_in, message);
  } else {
    arrived(message);
  }
  after_event();
}

/// When the receiver's NIC has taken the message in. A NIC receives bytes no faster than it sends
/// them.
double LogGpEngine::taken_in_s_of(const Message& message) {
  const NodeId node = node_of(message.to);
  if (node == node_of(message.from) || message.inject_s == kNever) return now_s();
  const double taken_in_s = network_.take_in_s(node, intake_s(message));
  if (state_.network.nics[node].takes_in_bulk)
    intake_of(node).pass_first(now_s(), intake_s(message));
  return taken_in_s;
}

}  // namespace faultline::engine
