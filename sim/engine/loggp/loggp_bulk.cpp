// SPDX-License-Identifier: Apache-2.0

// Messages of several packets under LogGpEngine. However long one is, it takes an event each when
// its last byte has passed a narrow link, has arrived, and has been taken in. Each short message
// that goes before it adds at most one.

#include <algorithm>

#include "sim/engine/loggp/loggp_engine.hpp"

namespace faultline::engine {

// ---- out of a node ----------------------------------------------------------------------------

void LogGpEngine::stream(Message& message, const platform::Transit& transit) {
  BulkQueue& bulk = run_.network().bulk_queue(run_.node_of(message.from));
  bulk.leaving = &message;
  bulk.transit = transit;
  bulk.is_on_link = (links_are_narrow_ && can_wait_for_link(message, transit)) ||
                    on_link_between_.holds(message.from, message.to);
  if (bulk.is_on_link) {
    join_link(message, transit);
    return;
  }
  bulk.network_delay_s = network_delay_s(message, transit);
  bulk.inflow = flow(message, transit, run_.now_s());
  arrive(message, transit, run_.now_s() + transit.transfer_s, bulk.network_delay_s);
}

/// Its arrival is scheduled already, unless it is still on the link. The new event comes before
/// those of all messages that leave later, also where they arrive at the same time.
void LogGpEngine::delay_bulk(NodeId node, double duration_s) {
  BulkQueue& bulk = run_.network().bulk_queue(node);
  if (bulk.leaving == nullptr || bulk.is_on_link) return;
  Message& message = *bulk.leaving;
  pause(bulk.inflow, bulk.transit, run_.now_s(), duration_s);
  message.flags |= kDelayed;
  ++early_arrivals_[&message];
  // On a link that is hardly narrower than the NIC it takes a little longer.
  const double on_link_s = std::max(0.0, bulk.transit.transfer_s - intake_s(message));
  arrive(message, bulk.transit,
         bulk.until_s + (on_link_s <= run_.machine().gap_s ? on_link_s : 0.0),
         bulk.network_delay_s);
}

void LogGpEngine::ignore_early_arrival(Message& message) {
  const auto early = early_arrivals_.find(&message);
  if (--early->second > 0) return;
  early_arrivals_.erase(early);
  message.flags &= static_cast<std::uint8_t>(~kDelayed);
}

void LogGpEngine::join_link(Message& message, const platform::Transit& transit) {
  if (link_free_s_.empty())
    link_free_s_.resize(std::size_t{run_.job().nodes} * run_.job().routes.ports(), -kNever);
  const NodeId node = run_.node_of(message.from);
  const std::uint32_t port = port_of(message);
  BulkLane& lane = lanes_.try_emplace(lane_of(node, port), &memory_).first->second;
  lane.join({&message, transit, run_.network().is_bulk(message)});
  if (run_.network().is_fifo()) on_link_between_.add(message.from, message.to);
  if (!lane.has_begun()) begin_on_link(node, port, lane);
}

void LogGpEngine::begin_on_link(NodeId node, std::uint32_t port, BulkLane& lane) {
  const double free_s = link_free_s_[std::size_t{node} * run_.job().routes.ports() + port];
  const double begin_s = std::max(run_.now_s(), free_s);
  lane.begin(begin_s);
  run_.schedule().add(lane.end_s(), EventKind::bulk_passed, node, port);
  BulkLane::Passing& first = lane.first();
  if (first.is_long) first.inflow = flow(*first.message, first.transit, begin_s);
}

/// A shorter message goes before what is left of the first one.
void LogGpEngine::delay_on_link(BulkLane& lane, double from_s, double duration_s) {
  lane.delay(duration_s);
  BulkLane::Passing& first = lane.first();
  if (first.is_long) pause(first.inflow, first.transit, from_s, duration_s);
}

/// The first message on a link has passed it, unless shorter ones have gone before. Where shorter
/// ones to other links have held it up at the NIC, that can take longer.
void LogGpEngine::pass_link(NodeId node, std::uint32_t port) {
  const auto place = lanes_.find(lane_of(node, port));
  BulkLane& lane = place->second;
  if (lane.end_s() > run_.now_s()) {
    run_.schedule().add(lane.end_s(), EventKind::bulk_passed, node, port);
    return;
  }
  const platform::Transit transit = lane.first().transit;
  const Inflow inflow = lane.first().inflow;
  Message& message = *lane.first().message;
  lane.leave();
  if (run_.network().is_fifo()) on_link_between_.remove(message.from, message.to);
  if (lane.is_idle())
    lanes_.erase(place);
  else
    begin_on_link(node, port, lane);
  const double delay_s = network_delay_s(message, transit);
  BulkQueue& bulk = run_.network().bulk_queue(node);
  double left_s = run_.now_s();
  if (bulk.leaving == &message) {
    left_s = std::max(left_s, bulk.until_s);
    bulk.is_on_link = false;
    bulk.network_delay_s = delay_s;
    bulk.inflow = inflow;
  }
  arrive(message, transit, left_s, delay_s);
}

// ---- into a node ------------------------------------------------------------------------------

BulkIntake& LogGpEngine::intake_of(NodeId node) {
  if (intakes_.empty()) intakes_.resize(run_.job().nodes);
  Nic& nic = run_.network().nic(node);
  BulkIntake& intake = intakes_[node];
  if (!nic.takes_in_bulk) {
    nic.takes_in_bulk = true;
    const double taken_in_s = nic.intake_free_s - run_.machine().gap_s;
    intake.begin(run_.now_s(), std::max(0.0, taken_in_s - run_.now_s()),
                 std::min(taken_in_s, run_.now_s()));
  }
  return intake;
}

/// The receiver's NIC counts a message from its first byte on. That of a single packet it counts
/// back from the last.
Inflow LogGpEngine::flow(const Message& message, const platform::Transit& transit, double begin_s) {
  const NodeId node = run_.node_of(message.to);
  const double first_byte_s = begin_s + transit.latency_s + least_receive_overhead_s_;
  return intake_of(node).flow(run_.now_s(), first_byte_s, intake_s(message), transit.transfer_s,
                              node);
}

/// No byte of it leaves its sender's node from from_s on for so long.
void LogGpEngine::pause(Inflow& inflow, const platform::Transit& transit, double from_s,
                        double duration_s) {
  const double at_receiver_s = from_s + transit.latency_s + least_receive_overhead_s_;
  intakes_[inflow.node].pause(run_.now_s(), inflow, at_receiver_s, duration_s);
}

/// The last byte of a message is there that is longer than a packet, or has to stay behind one that
/// is. It waits until the NIC has taken in what has come before. False if it comes from this node,
/// or if the other waits at a node where its receiver was before.
bool LogGpEngine::waits_as_bulk(Message& message) {
  const NodeId node = run_.node_of(message.to);
  if (node == run_.node_of(message.from)) return false;
  BulkIntake& intake = intake_of(node);
  if (!run_.network().is_bulk(message)) {
    const bool waits = intake.wait_behind_its_pair(run_.now_s(), intake_s(message), message);
    if (waits) waiting_between_.add(message.from, message.to);
    return waits;
  }
  const bool is_first = !intake.is_anybody_waiting();
  intake.wait(run_.now_s(), message);
  if (is_first && intake.first_in_s() <= run_.now_s()) {
    take_in_bulk(node, intake);
    return true;
  }
  if (run_.network().is_fifo()) waiting_between_.add(message.from, message.to);
  if (is_first) await_intake(node, intake);
  return true;
}

void LogGpEngine::await_intake(NodeId node, const BulkIntake& intake) {
  run_.schedule().add(std::max(run_.now_s(), intake.first_in_s()), EventKind::bulk_passed, node,
                      kIntake);
}

/// The first of the messages that wait is in, unless shorter ones have gone before.
void LogGpEngine::pass_intake(NodeId node) {
  BulkIntake& intake = intakes_[node];
  if (intake.first_in_s() > run_.now_s()) {
    await_intake(node, intake);
    return;
  }
  if (run_.network().is_fifo()) waiting_between_.remove(intake.first().from, intake.first().to);
  take_in_bulk(node, intake);
}

/// The first of the messages that wait is in, as soon as LogGP's g has passed since the NIC has
/// taken in the message before.
void LogGpEngine::take_in_bulk(NodeId node, BulkIntake& intake) {
  Message& message = intake.take_first();
  if (intake.is_anybody_waiting())
    await_intake(node, intake);
  else if (intake.is_idle(run_.now_s()))
    run_.network().nic(node).takes_in_bulk = false;
  const double taken_in_s = run_.network().take_in_s(node, 0.0);
  if (taken_in_s > run_.now_s())
    run_.schedule().add(taken_in_s, EventKind::taken_in, &message);
  else
    run_.arrived(&message);
}

}  // namespace faultline::engine
