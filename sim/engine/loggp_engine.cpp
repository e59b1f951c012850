#include "sim/engine/loggp_engine.hpp"

#include <algorithm>
#include <utility>

namespace faultline {

LogGpEngine::LogGpEngine(const RunSpec& spec, Topology routes, std::uint64_t seed,
                         std::uint64_t replication)
    : Runtime(spec, std::move(routes), seed, replication), taken_in_s_(node_count(), 0.0) {}

void LogGpEngine::simulate() {
  while (!stopped() && !quiescent()) {
    const Event event = queue_.pop();
    if (!goes_on(event.time_s)) return;
    now_s_ = event.time_s;
    look_ahead();
    if (event.kind() == EventKind::arrive)
      take_in(event.message);
    else
      carry_out(event);
  }
}

/// With many processes every event touches memory that no cache holds. The queue knows roughly
/// which events come next: the messages, then the actors and then the nodes and components of those
/// are fetched while earlier events are handled.
void LogGpEngine::look_ahead() {
  const auto about_actor = [](const Event& event) {
    return event.kind() == EventKind::arrive || event.kind() == EventKind::wake;
  };
  const auto actor_of = [](const Event& event) {
    return event.kind() == EventKind::arrive ? event.message->to : event.at.actor;
  };
  const Event* far = queue_.ahead(24);
  if (far != nullptr && far->kind() == EventKind::arrive) prefetch(far->message, sizeof(Message));
  const Event* near = queue_.ahead(16);
  if (near != nullptr && about_actor(*near)) prefetch_actor(actor_of(*near));
  const Event* next = queue_.ahead(8);
  if (next == nullptr || !about_actor(*next)) return;
  prefetch_components(actor_of(*next));
  prefetch(&taken_in_s_[node_of(actor_of(*next))], 1);
}

/// The event stands at the earliest moment at which the receiver can have taken the message in.
/// Added up as the NIC adds it up for the next message: in another order, rounding could let an
/// empty message overtake the one before it.
void LogGpEngine::transmit(Message& message, const Transit& transit) {
  const double arrival_s = message.inject_s + transit.transfer_s + transit.latency_s;
  schedule(arrival_s + unordered_delay_s(message.from) + machine().receive_overhead_s,
           EventKind::arrive, &message);
}

void LogGpEngine::take_in(Message* message) {
  foreground_done();
  double handle_s = now_s_;
  const NodeId node = node_of(message->to);
  if (node != node_of(message->from)) {
    const double occupied_s = static_cast<double>(message->bytes) / machine().nic_bandwidth_Bps;
    handle_s = std::max(now_s_, taken_in_s_[node] + occupied_s);
    taken_in_s_[node] = handle_s;
  }
  arrived(message, handle_s);
  after_event();
}

}  // namespace faultline
