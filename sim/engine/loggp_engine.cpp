#include "sim/engine/loggp_engine.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/engine/prefetch.hpp"

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
      logs_messages_(spec().component(Family::message_logging).registration != nullptr),
      messages_outgrow_cache_(logs_messages_ && actor_count() > kActorsInCache),
      links_are_narrow_(this->routes().least_bandwidth() < machine().nic_bandwidth_Bps) {
  fetches_next_message_ = !(outgrows_cache_ && logs_messages_);
}

void LogGpEngine::simulate() {
  while (!stopped() && !quiescent()) {
    const Event event = state_.queue.pop();
    if (!goes_on(event.time_s)) return;
    state_.now_s = event.time_s;
    if (outgrows_cache_)
      look_ahead();
    else if (messages_outgrow_cache_)
      look_ahead_at_messages();
    if (event.kind() == EventKind::arrive)
      take_in(event.message);
    else
      carry_out(event);
  }
}

/// Does it look now as if a message will wait in the inbox when it arrives? Then it needs no
/// component as yet.
bool LogGpEngine::will_wait(const Event& arrival) const {
  const ActorState& receiver = state_.actors[arrival.message->to];
  return !receiver.inbox_is_empty() || receiver.cpu_free_s > arrival.time_s;
}

/// Does it look as if the receiver's NIC will be busy when a message arrives? Then nothing else is
/// needed before that has taken it in.
bool LogGpEngine::is_put_off(const Event& event) const {
  if (event.kind() != EventKind::arrive) return false;
  const NodeId node = node_of(event.message->to);
  return node != node_of(event.message->from) && state_.nics[node].intake_free_s > event.time_s;
}

/// Is it going to stand behind others that wait, as it looks now? Then only its actor is needed.
bool LogGpEngine::joins_others(const Event& arrival) const {
  return !state_.actors[arrival.message->to].inbox_is_empty();
}

/// Prefetches something that an event needs, in steps, because each part is found by way of the
/// one before: first the head of its message, then its actor, what belongs to that but lies apart,
/// its components and its node, the message that it will receive, and at last what the components
/// will look at. Of a timer, a wake-up or the end of a computation, the actor is known at once. A
/// NIC that is free takes up a message.
template <LogGpEngine::Fetch what>
void LogGpEngine::fetch(const Event* event) const {
  if (event == nullptr) return;
  const Prefetching soon(*job_, state_);
  const bool is_message = event->is_about_message();
  const bool is_nic = event->kind() == EventKind::nic_ready;
  const bool is_timer = event->kind() == EventKind::timer;
  const bool is_wake = event->kind() == EventKind::wake;
  const bool is_computed = event->kind() == EventKind::compute_done;
  if (event->kind() == EventKind::nic_free) return fetch_waiting<what>(event->at.actor);
  if (!is_message && !is_timer && !is_wake && !is_computed) return;
  const auto actor_of = [=] {
    if (is_nic) return event->message->from;
    return is_message ? event->message->to : event->at.actor;
  };
  if constexpr (what == Fetch::message) {
    if (is_message)
      prefetch_head(event->message);
    else
      soon.actor(event->at.actor);
  } else if constexpr (what == Fetch::actor) {
    if (is_nic)
      soon.outgoing(actor_of());
    else if (is_message)
      soon.actor(actor_of());
    if (event->kind() == EventKind::arrive) soon.intake(actor_of());
  } else if constexpr (what == Fetch::parts) {
    if (is_nic || is_put_off(*event) || (is_message && joins_others(*event))) return;
    // Under message logging most messages set no timer.
    const bool is_program = is_message && event->message->channel != Family::message_logging;
    soon.parts(actor_of(), logs_messages_ && (is_program || is_wake) ? 1 : 2);
  } else if constexpr (what == Fetch::components) {
    if (is_put_off(*event)) return;
    if (is_nic) {
      const ActorId sender = actor_of();
      fetch_waiting<Fetch::message>(node_of(sender));
      fetch_links(node_of(sender));
      return soon.nic(sender);
    }
    if (is_message && will_wait(*event)) return soon.inbox_tail(actor_of());
    if (is_message) prefetch_rest(event->message);
    if (is_timer)
      soon.timers(actor_of());
    else
      soon.components(actor_of());
    if (!logs_messages_ || is_computed) {  // other programs send more often
      soon.nic(actor_of());
      soon.outgoing(actor_of());
    }
    if (is_computed || spec().platform.progress == Progress::shared) soon.computation(actor_of());
  } else if constexpr (what == Fetch::inbox) {
    if (is_wake) soon.inbox(actor_of());
    if (is_nic) fetch_last_waiting(node_of(actor_of()));
  } else {
    constexpr Ahead kWhat = what == Fetch::state   ? Ahead::state
                            : what == Fetch::index ? Ahead::index
                                                   : Ahead::content;
    fetch_for_receiver(*event, kWhat);
  }
}

/// The same for a NIC: its queue, then the message that stands first there, then who has sent that.
template <LogGpEngine::Fetch what>
void LogGpEngine::fetch_waiting(NodeId node) const {
  if (state_.nic_queues.empty()) return;
  const NicQueue& waiting = state_.nic_queues[node];
  if constexpr (what == Fetch::message) {
    prefetch(&waiting, sizeof(NicQueue));
    prefetch(&state_.nics[node], sizeof(Nic));
  } else if constexpr (what == Fetch::parts) {
    if (waiting.head != nullptr) prefetch_head(waiting.head);
  } else if constexpr (what == Fetch::components) {
    if (waiting.head != nullptr) Prefetching(*job_, state_).outgoing(waiting.head->from);
    fetch_links(node);
  }
}

/// The last message before a NIC, behind which another one will stand.
void LogGpEngine::fetch_last_waiting(NodeId node) const {
  if (state_.nic_queues.empty()) return;
  const NicQueue& waiting = state_.nic_queues[node];
  if (waiting.head != nullptr) prefetch_head(waiting.tail);
}

/// When the links from a node are free.
void LogGpEngine::fetch_links(NodeId node) const {
  if (link_free_s_.empty()) return;
  const std::size_t ports = routes().ports();
  prefetch(&link_free_s_[node * ports], ports * sizeof(double));
}

/// Lets message logging and the program fetch what they will look at when a message is received.
void LogGpEngine::fetch_for_receiver(const Event& event, Ahead what) const {
  const Message* message = nullptr;
  if (event.kind() == EventKind::wake) {
    message = state_.actors[event.at.actor].inbox_head;
  } else if (event.kind() == EventKind::arrive || event.kind() == EventKind::taken_in) {
    if (!is_put_off(event) && !will_wait(event)) message = event.message;
  }
  if (message == nullptr) return;
  // At first the message is on its way into the cache.
  if (what != Ahead::state && message->channel == Family::message_logging) return;
  const ActorState& receiver =
      state_.actors[event.is_about_message() ? message->to : event.at.actor];
  if (const Layer* logging = receiver.layer(Family::message_logging))
    logging->fetch_ahead(*message, what);
  if (receiver.workload && what == Ahead::index) receiver.workload->fetch_ahead(*message, what);
}

/// With many processes every event touches memory that is not in cache. The queue knows roughly
/// which events come next, of those in its slots and of those in its heap. While earlier events are
/// handled, this fetches what they need.
void LogGpEngine::look_ahead() {
  const EventQueue& queue = state_.queue;
  if (logs_messages_) {
    look_ahead_in_slot();
  } else {
    fetch<Fetch::message>(queue.ahead(32));
    fetch<Fetch::actor>(queue.ahead(24));
    fetch<Fetch::parts>(queue.ahead(16));
    fetch<Fetch::components>(queue.ahead(9));
    fetch<Fetch::inbox>(queue.ahead(5));
  }
  if (queue.risen(0) == nullptr) return;
  fetch<Fetch::message>(queue.risen(4));
  fetch<Fetch::actor>(queue.risen(3));
  fetch<Fetch::parts>(queue.risen(2));
  fetch<Fetch::components>(queue.risen(1));
  fetch<Fetch::inbox>(queue.risen(0));
}

/// The same for message logging, which needs much memory for each event: for several events at a
/// time. A processor that has to find out where the page of a fetch lies goes on meanwhile, but not
/// far, so fetches that stand close together wait together. Where an event needs little, what is
/// fetched so early costs more than that.
void LogGpEngine::look_ahead_in_slot() {
  const EventQueue& queue = state_.queue;
  const bool is_new_slot = queue.openings() != looked_at_;
  if (is_new_slot) fetched_.fill(0);
  if (--until_look_ > 0 && !is_new_slot) return;
  looked_at_ = queue.openings();
  until_look_ = kEventsPerLook;
  fetch_up_to<Fetch::message>(112);
  fetch_up_to<Fetch::actor>(96);
  fetch_up_to<Fetch::parts>(80);
  fetch_up_to<Fetch::components>(64);
  fetch_up_to<Fetch::inbox>(48);
  fetch_up_to<Fetch::state>(48);
  fetch_up_to<Fetch::index>(32);
  fetch_up_to<Fetch::content>(24);
}

/// Fetches that of all events that come up to so far after the next one.
template <LogGpEngine::Fetch what>
void LogGpEngine::fetch_up_to(std::size_t distance) {
  const std::vector<Event>& staged = state_.queue.staged();
  const std::size_t next = state_.queue.next_staged();
  std::size_t& fetched = fetched_[static_cast<std::size_t>(what)];
  fetched = std::max(fetched, next);
  for (const std::size_t end = std::min(staged.size(), next + distance); fetched < end; ++fetched)
    fetch<what>(&staged[fetched]);
}

/// The same for medium jobs with message logging, in which messages wait long and the logs drive
/// them from the cache: only messages, and the actors of other events.
void LogGpEngine::look_ahead_at_messages() {
  const EventQueue& queue = state_.queue;
  fetch<Fetch::message>(queue.ahead(6));
  fetch<Fetch::inbox>(queue.ahead(3));
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
