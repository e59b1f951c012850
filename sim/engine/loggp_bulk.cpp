// Messages of several packets under LogGpEngine. Each takes a fixed number of events, however long
// it is: when its first byte leaves and reaches the receiver's NIC, and when its last byte has left
// the NIC and the first link, has arrived, and has been taken in.

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
  BulkLane& lane = lanes_[lane_of(node, port)];
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

// ---- into a node ------------------------------------------------------------------------------

void LogGpEngine::first_byte(Message* message) {
  if (node_of(message->to) != node_of(message->from)) join_intake(*message, {});
}

void LogGpEngine::join_intake(Message& message, Intake so_far) {
  const NodeId node = node_of(message.to);
  coming_in_[&message] = so_far;
  if (fifo()) coming_in_between_.add(message.from, message.to);
  state_.nics[node].takes_in_bulk = true;
  BulkLane& lane = lanes_[lane_of(node, kIntake)];
  lane.join(message, intake_s(message));
  if (!lane.has_begun()) begin_intake(node, lane);
}

void LogGpEngine::begin_intake(NodeId node, BulkLane& lane) {
  lane.begin(std::max(state_.now_s, state_.nics[node].intake_free_s));
  schedule_uncounted(lane.end_s(), EventKind::bulk_passed, node, kIntake);
}

/// The last byte of a message arrives. True if it is one of several packets, or has to stay behind
/// one: the NIC takes them in one after the other.
bool LogGpEngine::comes_in_as_bulk(Message& message) {
  const auto found = coming_in_.find(&message);
  if (found == coming_in_.end()) {
    if (!coming_in_between_.holds(message.from, message.to)) return false;
    join_intake(message, {.has_arrived = true});
    return true;
  }
  found->second.has_arrived = true;
  if (!found->second.has_passed) return true;
  coming_in_.erase(found);
  arrived(&message);
  return true;
}

// ---- lanes ------------------------------------------------------------------------------------

/// The first message of a lane has passed it, unless shorter ones have gone before.
void LogGpEngine::pass(NodeId node, std::uint32_t port) {
  const auto place = lanes_.find(lane_of(node, port));
  BulkLane& lane = place->second;
  if (lane.end_s() > state_.now_s) {
    schedule_uncounted(lane.end_s(), EventKind::bulk_passed, node, port);
    return;
  }
  Message& message = lane.first();
  lane.leave();
  const bool comes_in = port == kIntake;
  if (fifo()) (comes_in ? coming_in_between_ : on_link_between_).remove(message.from, message.to);
  double& free_s = state_.nics[node].intake_free_s;
  if (comes_in) free_s = std::max(free_s, state_.now_s + machine().gap_s);
  if (lane.is_idle()) {
    lanes_.erase(place);
    if (comes_in) state_.nics[node].takes_in_bulk = false;
  } else if (comes_in) {
    begin_intake(node, lane);
  } else {
    begin_on_link(node, port, lane);
  }
  if (!comes_in) {
    left_link_or_nic(message);
    return;
  }
  const auto found = coming_in_.find(&message);
  found->second.has_passed = true;
  if (!found->second.has_arrived) return;
  coming_in_.erase(found);
  arrived(&message);
}

}  // namespace faultline
