// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/ahead/look_ahead.hpp"

#include <algorithm>
#include <iterator>

#include "sim/engine/ahead/prefetch.hpp"

namespace faultline::engine {

namespace {

/// How many components an actor has.
std::uint64_t components_of(const RunSpec& spec) {
  return static_cast<std::uint64_t>(
      std::count_if(std::begin(spec.components), std::end(spec.components),
                    [](const ComponentChoice& one) { return one.registration != nullptr; }));
}

}  // namespace

LookAhead::LookAhead(const RunJob& job, const RunState& state,
                     const std::vector<double>& link_free_s)
    : job_(job),
      state_(state),
      link_free_s_(link_free_s),
      logs_messages_(job.spec.component(Family::message_logging).registration != nullptr) {
  const std::uint64_t actors = state.actors.size();
  if (components_of(job.spec) * actors > kComponentsInCache)
    looks_at_ = logs_messages_ ? Sight::slot : Sight::events;
  else
    looks_at_ = logs_messages_ && actors > kActorsInCache ? Sight::messages : Sight::nothing;
}

void LookAhead::look() {
  if (looks_at_ == Sight::slot)
    look_at_slot();
  else if (looks_at_ == Sight::events)
    look_at_events();
  else
    look_at_messages();
}

// ---- which events -----------------------------------------------------------------------------

/// Looks at the events in the slots of the queue, and at those in its heap.
void LookAhead::look_at_events() {
  const EventQueue& queue = state_.schedule.queue();
  if (!logs_messages_) {
    fetch<Step::message>(queue.ahead(32));
    fetch<Step::actor>(queue.ahead(24));
    fetch<Step::parts>(queue.ahead(16));
    fetch<Step::components>(queue.ahead(9));
    fetch<Step::inbox>(queue.ahead(5));
  }
  if (queue.risen(0) == nullptr) return;
  fetch<Step::message>(queue.risen(4));
  fetch<Step::actor>(queue.risen(3));
  fetch<Step::parts>(queue.risen(2));
  fetch<Step::components>(queue.risen(1));
  fetch<Step::inbox>(queue.risen(0));
}

/// For message logging, which needs much memory for each event: several events at a time. A
/// processor that has to find out where the page of a fetch lies goes on meanwhile, but not far, so
/// fetches that stand close together wait together. Where an event needs little, what is fetched so
/// early costs more than that.
void LookAhead::look_at_slot() {
  const EventQueue& queue = state_.schedule.queue();
  if (queue.risen(0) != nullptr) look_at_events();
  const bool is_new_slot = queue.openings() != looked_at_;
  if (is_new_slot) {
    done_.fill(0);
    taken_.clear();
    handled_.clear();
  }
  if (--until_look_ > 0 && !is_new_slot) return;
  looked_at_ = queue.openings();
  until_look_ = kEventsPerLook;
  take_steps();
}

/// Apart from what comes before each event, so that this need not save any registers.
[[gnu::noinline]] void LookAhead::take_steps() {
  fetch_in_slot<Step::message>(112);
  fetch_in_slot<Step::actor>(96);
  fetch_in_slot<Step::parts>(80, &taken_);
  fetch_pending<Step::components>(taken_, 64, &handled_);
  fetch_pending<Step::inbox>(taken_, 48);
  fetch_pending<Step::state>(handled_, 48);
  fetch_pending<Step::index>(handled_, 32);
  fetch_pending<Step::content>(handled_, 24);
}

/// A step for all events of the open slot that come up to so far after the next one. Those that
/// need another step are added to `next`.
template <LookAhead::Step step>
void LookAhead::fetch_in_slot(std::size_t distance, Pending* next) {
  const std::vector<Event>& staged = state_.schedule.queue().staged();
  const std::size_t first = state_.schedule.queue().next_staged();
  std::size_t done = std::max(done_[static_cast<std::size_t>(step)], first);
  for (const std::size_t end = std::min(staged.size(), first + distance); done < end; ++done)
    if (fetch<step>(staged[done]) && next != nullptr) next->add(staged[done], done);
  done_[static_cast<std::size_t>(step)] = done;
}

/// Looks ahead at events that another step has found.
template <LookAhead::Step step>
void LookAhead::fetch_pending(const Pending& from, std::size_t distance, Pending* next) {
  const std::size_t behind = state_.schedule.queue().next_staged() + distance;
  std::size_t done = done_[static_cast<std::size_t>(step)];
  for (const std::size_t end = from.end(); done < end && from.place(done) < behind; ++done)
    if (fetch<step>(from.event(done)) && next != nullptr)
      next->add(from.event(done), from.place(done));
  done_[static_cast<std::size_t>(step)] = done;
}

/// For medium jobs with message logging, in which messages wait long and the logs drive them from
/// the cache: only these, and the actors of other events. Whatever else is fetched has to be found
/// by way of what is not in the cache either, and takes longer than it saves.
void LookAhead::look_at_messages() {
  const EventQueue& queue = state_.schedule.queue();
  fetch<Step::message>(queue.ahead(6));
}

// ---- what an event needs ----------------------------------------------------------------------

/// Fetches something that an event needs, in steps, because each part is found by way of the one
/// before. False if it needs no further step; only some steps find that out.
template <LookAhead::Step step>
bool LookAhead::fetch(const Event& event) const {
  if constexpr (step == Step::parts) return fetch_parts(event);
  if constexpr (step == Step::components) return fetch_components(event);
  if constexpr (step == Step::message) fetch_head(event);
  if constexpr (step == Step::actor) fetch_actor(event);
  if constexpr (step == Step::inbox) fetch_inbox(event);
  if constexpr (step == Step::state) fetch_for_receiver(event, Ahead::state);
  if constexpr (step == Step::index) fetch_for_receiver(event, Ahead::index);
  if constexpr (step == Step::content) fetch_for_receiver(event, Ahead::content);
  return true;
}

/// The head of its message. Of a timer, a wake-up or the end of a computation, the actor is known
/// at once.
void LookAhead::fetch_head(const Event& event) const {
  switch (event.kind()) {
    case EventKind::arrive:
    case EventKind::taken_in:
    case EventKind::nic_ready:
      prefetch_head(event.message);
      return;
    case EventKind::timer:
    case EventKind::wake:
    case EventKind::compute_done:
      Prefetching(job_, state_).actor(event.at.actor);
      return;
    case EventKind::nic_free:
      Prefetching(job_, state_).intake(event.at.actor);
      fetch_queue(event.at.actor);
      fetch_links(event.at.actor);
      return;
    default:
      return;
  }
}

/// Its actor, and the NIC of that. All that a message needs which leaves.
void LookAhead::fetch_actor(const Event& event) const {
  const Prefetching soon(job_, state_);
  switch (event.kind()) {
    case EventKind::arrive:
      soon.intake(node_of(event.message->to));
      [[fallthrough]];
    case EventKind::taken_in:
      soon.actor(event.message->to);
      return;
    case EventKind::nic_ready: {
      const ActorId sender = event.message->from;
      const NodeId node = node_of(sender);
      soon.outgoing(sender);
      soon.nic(node);
      fetch_queue(node);
      fetch_links(node);
      return;
    }
    default:
      return;
  }
}

/// What belongs to its actor but lies apart. Under message logging most messages set no timer.
bool LookAhead::fetch_parts(const Event& event) const {
  const Prefetching soon(job_, state_);
  switch (event.kind()) {
    case EventKind::arrive:
      if (is_put_off(event)) return false;
      [[fallthrough]];
    case EventKind::taken_in: {
      if (joins_others(event)) return true;
      const bool is_program = event.message->channel != Family::message_logging;
      soon.parts(event.message->to, logs_messages_ && is_program ? 1 : 2);
      return true;
    }
    case EventKind::wake:
      soon.parts(event.at.actor, logs_messages_ ? 1 : 2);
      return true;
    case EventKind::timer:
    case EventKind::compute_done:
      soon.parts(event.at.actor, 2);
      return true;
    case EventKind::nic_free:
      if (const Message* next = before_nic(event.at.actor).head) prefetch_head(next);
      return true;
    case EventKind::nic_ready:
      return true;
    default:
      return false;
  }
}

/// The components of its actor. True if a receiver will handle a message at once, as it looks now.
bool LookAhead::fetch_components(const Event& event) const {
  const Prefetching soon(job_, state_);
  switch (event.kind()) {
    case EventKind::nic_free:
      if (const Message* next = before_nic(event.at.actor).head) soon.outgoing(next->from);
      return false;
    case EventKind::arrive:
      if (is_put_off(event)) return false;
      [[fallthrough]];
    case EventKind::taken_in:
      if (will_wait(event)) {
        soon.inbox_tail(event.message->to);
        return false;
      }
      prefetch_rest(event.message);
      fetch_stack(event.message->to, false);
      return true;
    case EventKind::wake:
      fetch_stack(event.at.actor, false);
      return true;
    case EventKind::timer:
      soon.timers(event.at.actor);
      fetch_stack(event.at.actor, false);
      return false;
    case EventKind::compute_done:
      fetch_stack(event.at.actor, true);
      return false;
    default:
      return false;
  }
}

/// The components of an actor, and what its messages leave by. `is_computed`: it ends a
/// computation.
[[gnu::noinline]] void LookAhead::fetch_stack(ActorId actor, bool is_computed) const {
  const Prefetching soon(job_, state_);
  soon.components(actor);
  if (!logs_messages_ || is_computed) {  // other programs send more often
    soon.nic(node_of(actor));
    soon.outgoing(actor);
  }
  if (is_computed || job_.spec.platform.progress == Progress::shared) soon.computation(actor);
}

/// The message that a wake-up will receive; or the last one before a NIC, behind which another one
/// will stand.
void LookAhead::fetch_inbox(const Event& event) const {
  if (event.kind() == EventKind::wake) {
    Prefetching(job_, state_).inbox(event.at.actor);
  } else if (event.kind() == EventKind::nic_ready) {
    const NicQueue waiting = before_nic(node_of(event.message->from));
    if (waiting.head != nullptr) prefetch_head(waiting.tail);
  }
}

/// The receiver of a message at that event, or kNobody.
ActorId LookAhead::receiver_at(const Event& event) {
  switch (event.kind()) {
    case EventKind::wake:
      return event.at.actor;
    case EventKind::arrive:
    case EventKind::taken_in:
      return event.message->to;
    default:
      return kNobody;
  }
}

/// The message that the receiver handles then, or null.
const Message* LookAhead::received_at(const Event& event) const {
  return event.kind() == EventKind::wake ? state_.actors[event.at.actor].inbox_head : event.message;
}

/// Lets message logging and the program fetch what they will look at when a message is received.
void LookAhead::fetch_for_receiver(const Event& event, Ahead what) const {
  const ActorState& receiver = state_.actors[receiver_at(event)];
  const Message* message = received_at(event);
  if (message == nullptr) return;
  // At first the message is on its way into the cache.
  if (what != Ahead::state && message->channel == Family::message_logging) return;
  if (const Layer* logging = receiver.layer(Family::message_logging))
    logging->fetch_ahead(*message, what);
  if (receiver.workload && what == Ahead::index) receiver.workload->fetch_ahead(*message, what);
}

/// Which messages stand before a NIC.
void LookAhead::fetch_queue(NodeId node) const {
  if (const NicQueue* queue = state_.network.queue(node)) prefetch(queue, sizeof(NicQueue));
}

/// When the links from a node are free.
void LookAhead::fetch_links(NodeId node) const {
  if (link_free_s_.empty()) return;
  const std::size_t ports = job_.routes.ports();
  prefetch(&link_free_s_[node * ports], ports * sizeof(double));
}

// ---- what it looks like now -------------------------------------------------------------------

/// Will a message wait in the inbox when it arrives? Then it needs no component as yet.
bool LookAhead::will_wait(const Event& arrival) const {
  const ActorState& receiver = state_.actors[arrival.message->to];
  return !receiver.inbox_is_empty() || receiver.cpu_free_s > arrival.time_s;
}

/// Will the receiver's NIC be busy when a message arrives? Then nothing else is needed before that
/// has taken it in.
bool LookAhead::is_put_off(const Event& arrival) const {
  const NodeId node = node_of(arrival.message->to);
  return node != node_of(arrival.message->from) &&
         state_.network.nic(node).intake_free_s > arrival.time_s;
}

/// Is it going to stand behind others that wait? Then only its actor is needed.
bool LookAhead::joins_others(const Event& arrival) const {
  return !state_.actors[arrival.message->to].inbox_is_empty();
}

}  // namespace faultline::engine
