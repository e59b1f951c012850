// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/loggp/loggp_engine.hpp"

#include <algorithm>
#include <utility>

#include "sim/engine/ahead/look_ahead.hpp"

namespace faultline::engine {

LogGpEngine::LogGpEngine(std::shared_ptr<const RunJob> job)
    : run_(std::move(job), *this),
      links_are_narrow_(run_.job().routes.least_bandwidth() < run_.machine().nic_bandwidth_Bps),
      delays_differ_(run_.job().has_costs_by_size),
      least_receive_overhead_s_(run_.job().least_receive_overhead_s),
      lanes_(&memory_),
      early_arrivals_(&memory_),
      on_link_between_(&memory_),
      waiting_between_(&memory_) {}

void LogGpEngine::simulate() {
  const LookAhead look_ahead(run_.job(), run_.state(), link_free_s_);
  while (!run_.stopped() && !run_.quiescent()) {
    const Event event = run_.schedule().take_next();
    if (!run_.goes_on(event.time_s)) return;
    run_.set_now_s(event.time_s);
    look_ahead.go_on();
    switch (event.kind()) {
      case EventKind::arrive:
        take_in(event.message);
        break;
      case EventKind::bulk_passed:
        if (event.at.detail == kIntake)
          pass_intake(event.at.actor);
        else
          pass_link(event.at.actor, event.at.detail);
        run_.after_event();
        break;
      default:
        run_.carry_out(event);
    }
  }
}

/// Schedules the event at the earliest time at which the receiver can have taken the message in.
/// The sum is formed in the same order as the NIC forms it for the next message. In another order,
/// rounding could let an empty message overtake the one before it.
void LogGpEngine::transmit(Message& message, const platform::Transit& transit) {
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
/// The event comes when a processor that is free has received a message of the least overhead, so
/// that the events come in the order of arrivals. Processors::receives_at_once() has the rest.
void LogGpEngine::arrive(Message& message, const platform::Transit& transit, double left_s,
                         double delay_s) {
  double arrival_s = left_s + transit.latency_s + delay_s + least_receive_overhead_s_;
  if (delays_differ_ || run_.network().is_noisy(transit)) [[unlikely]]
    arrival_s = run_.network().in_order_s(message, arrival_s);
  run_.schedule().add(arrival_s, EventKind::arrive, &message);
}

/// A message that takes its link no longer than the NIC is already spaced by the NIC, unless the
/// link still has others to carry.
bool LogGpEngine::can_wait_for_link(const Message& message,
                                    const platform::Transit& transit) const {
  return transit.transfer_s > transit.nic_occupied_s || message.inject_s < links_free_s_ ||
         !lanes_.empty();
}

/// When the first link of the route begins to carry a message that the NIC has taken up. A NIC that
/// is faster than a link can feed several links at once, but each takes its own time.
double LogGpEngine::on_link_s(const Message& message, const platform::Transit& transit) {
  if (!can_wait_for_link(message, transit)) return message.inject_s;
  if (link_free_s_.empty())
    link_free_s_.resize(std::size_t{run_.job().nodes} * run_.job().routes.ports(), -kNever);
  const NodeId node = run_.node_of(message.from);
  const std::uint32_t port = port_of(message);
  double& free_s = link_free_s_[std::size_t{node} * run_.job().routes.ports() + port];
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
    run_.after_event();
    return;
  }
  if ((run_.network().is_bulk(*message) || waiting_between_.holds(message->from, message->to)) &&
      waits_as_bulk(*message)) {
    run_.after_event();
    return;
  }
  const double taken_in_s = taken_in_s_of(*message);
  if (taken_in_s > run_.now_s()) {
    run_.schedule().add(taken_in_s, EventKind::taken_in, message);
  } else {
    run_.arrived(message);
  }
  run_.after_event();
}

/// When the receiver's NIC has taken the message in. A NIC receives bytes no faster than it sends
/// them.
double LogGpEngine::taken_in_s_of(const Message& message) {
  const NodeId node = run_.node_of(message.to);
  if (node == run_.node_of(message.from) || message.inject_s == kNever) return run_.now_s();
  const double taken_in_s = run_.network().take_in_s(node, intake_s(message));
  if (run_.network().nic(node).takes_in_bulk)
    intake_of(node).pass_first(run_.now_s(), intake_s(message));
  return taken_in_s;
}

}  // namespace faultline::engine
