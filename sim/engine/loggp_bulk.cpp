// Messages of several packets under LogGpEngine. Each takes a fixed number of events, however long
// it is: when its first byte reaches the receiver's NIC, and when its last byte has left the NIC
// and the first link, has arrived, and has been taken in.

#include <algorithm>

#include "sim/engine/loggp_engine.hpp"

namespace faultline {

// ---- out of a node ----------------------------------------------------------------------------

void LogGpEngine::stream(Message& message, const Transit& transit) {
  leaving_[node_of(message.from)] = &message;
  const bool outlasts_nic = links_are_narrow_ && transit.transfer_s > transit.nic_occupied_s;
  if (!outlasts_nic && !on_link_between_.holds(message.from, message.to)) {
    send_first_byte(message, state_.now_s);
    return;
  }
  on_link_[&message] = false;
  join_link(message, transit);
}

void LogGpEngine::left_nic(NodeId node) {
  const auto found = leaving_.find(node);
  if (found == leaving_.end()) return;  // the network has lost it
  Message& message = *found->second;
  leaving_.erase(found);
  if (on_link_.count(&message) != 0)
    left_link_or_nic(message);
  else
    arrive(message, transit_of(message), state_.now_s);
}

/// It leaves the node when it has left both.
void LogGpEngine::left_link_or_nic(Message& message) {
  const auto found = on_link_.find(&message);
  if (!found->second) {
    found->second = true;
    return;
  }
  on_link_.erase(found);
  arrive(message, transit_of(message), state_.now_s);
}

void LogGpEngine::join_link(Message& message, const Transit& transit) {
  if (link_free_s_.empty())
    link_free_s_.resize(std::size_t{node_count()} * routes().ports(), -kNever);
  const NodeId node = node_of(message.from);
  const std::uint32_t port = port_of(message);
  BulkLane& lane = lanes_.try_emplace(lane_of(node, port), &memory_).first->second;
  lane.join(message, transit.transfer_s);
  if (fifo()) on_link_between_.add(message.from, message.to);
  if (!lane.has_begun()) begin_on_link(node, port, lane);
}

void LogGpEngine::begin_on_link(NodeId node, std::uint32_t port, BulkLane& lane) {
  const double free_s = link_free_s_[std::size_t{node} * routes().ports() + port];
  const double begin_s = std::max(state_.now_s, free_s);
  lane.begin(begin_s);
  schedule_uncounted(lane.end_s(), EventKind::bulk_passed, node, port);
  send_first_byte(lane.first(), begin_s);
}

/// The receiver's NIC counts a message from its first byte on. That of a single packet it counts
/// back from the last.
void LogGpEngine::send_first_byte(Message& message, double begin_s) {
  if (!is_bulk(message)) return;
  schedule(begin_s + transit_of(message).latency_s + machine().receive_overhead_s,
           EventKind::first_byte, &message);
}

/// The first message on a link has passed it, unless shorter ones have gone before.
void LogGpEngine::pass_link(NodeId node, std::uint32_t port) {
  const auto place = lanes_.find(lane_of(node, port));
  BulkLane& lane = place->second;
  if (lane.end_s() > state_.now_s) {
    schedule_uncounted(lane.end_s(), EventKind::bulk_passed, node, port);
    return;
  }
  Message& message = lane.first();
  lane.leave();
  if (fifo()) on_link_between_.remove(message.from, message.to);
  if (lane.is_idle())
    lanes_.erase(place);
  else
    begin_on_link(node, port, lane);
  left_link_or_nic(message);
}

// ---- into a node ------------------------------------------------------------------------------

BulkIntake& LogGpEngine::intake_of(NodeId node) {
  Nic& nic = state_.nics[node];
  nic.takes_in_bulk = true;
  const double taken_in_s = nic.intake_free_s - machine().gap_s;
  return intakes_
      .try_emplace(node, &memory_, state_.now_s, std::max(0.0, taken_in_s - state_.now_s))
      .first->second;
}

void LogGpEngine::first_byte(const Message& message) {
  const NodeId node = node_of(message.to);
  if (node == node_of(message.from)) return;
  intake_of(node).flow(state_.now_s, intake_s(message), transit_of(message).transfer_s);
}

/// The last byte of a message is there that is longer than a packet, or has to stay behind one that
/// is. It waits until the NIC has taken in what has come before. False if it comes from this node.
bool LogGpEngine::waits_as_bulk(Message& message) {
  const NodeId node = node_of(message.to);
  if (node == node_of(message.from)) return false;
  BulkIntake& intake = intake_of(node);
  if (!is_bulk(message)) intake.pass_first(state_.now_s, intake_s(message));
  const bool is_first = !intake.is_anybody_waiting();
  intake.wait(state_.now_s, message);
  if (fifo()) waiting_between_.add(message.from, message.to);
  if (!is_first) return true;
  if (intake.first_in_s() > state_.now_s)
    await_intake(node, intake);
  else
    pass_intake(node);
  return true;
}

void LogGpEngine::await_intake(NodeId node, const BulkIntake& intake) {
  schedule_uncounted(std::max(state_.now_s, intake.first_in_s()), EventKind::bulk_passed, node,
                     kIntake);
}

/// The first of the messages that wait is in, unless shorter ones have gone before.
void LogGpEngine::pass_intake(NodeId node) {
  const auto place = intakes_.find(node);
  BulkIntake& intake = place->second;
  if (intake.first_in_s() > state_.now_s) {
    await_intake(node, intake);
    return;
  }
  Message& message = intake.take_first();
  if (fifo()) waiting_between_.remove(message.from, message.to);
  Nic& nic = state_.nics[node];
  if (intake.is_anybody_waiting()) {
    await_intake(node, intake);
  } else if (intake.is_idle(state_.now_s)) {
    intakes_.erase(place);
    nic.takes_in_bulk = false;
  }
  hand_over(message, nic);
}

/// LogGP's g has passed since the NIC has taken in the message before.
void LogGpEngine::hand_over(Message& message, Nic& nic) {
  const double taken_in_s = std::max(state_.now_s, nic.intake_free_s);
  nic.intake_free_s = taken_in_s + machine().gap_s;
  if (taken_in_s > state_.now_s)
    schedule(taken_in_s, EventKind::taken_in, &message);
  else
    arrived(&message);
}

}  // namespace faultline
