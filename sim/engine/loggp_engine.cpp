#include "sim/engine/loggp_engine.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace faultline {

namespace {

/// How many components an actor has.
std::uint64_t components_of(const RunSpec& spec) {
  return static_cast<std::uint64_t>(
      std::count_if(std::begin(spec.components), std::end(spec.components),
                    [](const ComponentChoice& one) { return one.registration != nullptr; }));
}

}  // namespace

LogGpEngine::LogGpEngine(std::shared_ptr<const RunJob> job)
    : Runtime(std::move(job)),
      outgrows_cache_(components_of(spec()) * actor_count() > kComponentsInCache),
      links_are_narrow_(this->routes().least_bandwidth() < machine().nic_bandwidth_Bps) {}

void LogGpEngine::simulate() {
  while (!stopped() && !quiescent()) {
    const Event event = state_.queue.pop();
    if (!goes_on(event.time_s)) return;
    state_.now_s = event.time_s;
    if (outgrows_cache_) look_ahead();
    if (event.kind() == EventKind::arrive)
      take_in(event.message);
    else
      carry_out(event);
  }
}

/// With many processes every event touches memory that is not in cache. The queue knows roughly
/// which events come next, of those that it has sorted and of those in its heap. While earlier
/// events are handled, this prefetches what they need, step by step.
void LogGpEngine::look_ahead() {
  constexpr std::array<std::size_t, kFetchSteps> kEventsAhead{4, 9, 16, 24, 32};
  for (std::size_t step = 0; step < kFetchSteps; ++step) {
    if (const Event* sorted = state_.queue.ahead(kEventsAhead[step])) fetch(*sorted, step);
    if (const Event* in_heap = state_.queue.risen(step)) fetch(*in_heap, step);
  }
}

/// The last step has the number 0. First comes the message, then the actor, what belongs to it but
/// lies apart, and at last its components and its node. Of a timer or a wake-up, the actor is known
/// at once.
void LogGpEngine::fetch(const Event& event, std::size_t step) const {
  const EventKind kind = event.kind();
  const bool is_message = event.is_about_message();
  if (!is_message && kind != EventKind::timer && kind != EventKind::wake) return;
  const auto actor = [&] {
    if (!is_message) return event.at.actor;
    return kind == EventKind::nic_ready ? event.message->from : event.message->to;
  };
  switch (step) {
    case 4:
      return is_message ? prefetch(event.message, sizeof(Message)) : prefetch_actor(actor());
    case 3:
      return is_message ? prefetch_actor(actor()) : void();
    case 2:
      return kind == EventKind::nic_ready ? void() : prefetch_parts(actor());
    case 1:
      if (kind == EventKind::nic_ready) return prefetch_nic(actor());
      return kind == EventKind::timer ? prefetch_timers(actor()) : prefetch_components(actor());
    default:
      return kind == EventKind::wake ? prefetch_inbox(actor()) : void();
  }
}

/// Schedules the event at the earliest time at which the receiver can have taken the message in.
/// The sum is formed in the same order as the NIC forms it for the next message. In another order,
/// rounding could let an empty message overtake the one before it.
void LogGpEngine::transmit(Message& message, const Transit& transit) {
  const double begin_s =
      links_are_narrow_ && !transit.local ? on_link_s(message, transit) : message.inject_s;
  double arrival_s = begin_s + transit.transfer_s + transit.latency_s;
  if (!state_.noise_random.empty() && !transit.local) [[unlikely]]
    arrival_s = in_order_s(message, arrival_s + noise_s(message, transit));
  schedule(arrival_s + unordered_delay_s(message.from) + machine().receive_overhead_s,
           EventKind::arrive, &message);
}

/// When a message arrives that would arrive at that time, if it were not for those before it.
double LogGpEngine::in_order_s(const Message& message, double arrival_s) {
  if (!fifo()) return arrival_s;
  double& last_s = state_.last_arrival_s[std::uint64_t{message.from} << 32 | message.to];
  last_s = std::max(last_s, arrival_s);
  return last_s;
}

/// When the first link of the route begins to carry a message that the NIC has taken up. A NIC that
/// is faster than a link can feed several links at once, but each takes its own time.
double LogGpEngine::on_link_s(const Message& message, const Transit& transit) {
  const bool outlasts_nic = transit.transfer_s > transit.nic_occupied_s;
  // A message that takes its link no longer than the NIC is already spaced by the NIC.
  if (!outlasts_nic && message.inject_s >= links_free_s_) return message.inject_s;
  if (link_free_s_.empty())
    link_free_s_.resize(std::size_t{node_count()} * routes().ports(), -kNever);
  const NodeId node = node_of(message.from);
  double& free_s =
      link_free_s_[std::size_t{node} * routes().ports() + routes().port(node, node_of(message.to))];
  const double begin_s = std::max(message.inject_s, free_s);
  free_s = begin_s + transit.transfer_s;
  links_free_s_ = std::max(links_free_s_, free_s);
  return begin_s;
}

void LogGpEngine::take_in(Message* message) {
  const double taken_in_s = taken_in_s_of(*message);
  if (taken_in_s > state_.now_s) {
    schedule(taken_in_s, EventKind::taken_in, message);
  } else {
    arrived(message);
  }
  after_event();
}

/// When the receiver's NIC has taken the message in. LogGP's g separates two receptions as it
/// separates two sends (Alexandrov et al., 1995, section 2). A NIC receives bytes no faster than it
/// sends them.
double LogGpEngine::taken_in_s_of(const Message& message) {
  const NodeId node = node_of(message.to);
  if (node == node_of(message.from) || message.inject_s == kNever) return state_.now_s;
  const double occupied_s = static_cast<double>(message.bytes) / machine().nic_bandwidth_Bps;
  double& free_s = state_.nics[node].intake_free_s;
  const double taken_in_s = std::max(state_.now_s, free_s + occupied_s);
  free_s = taken_in_s + machine().gap_s;
  return taken_in_s;
}

}  // namespace faultline
