// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/ahead/look_ahead.hpp"

#include <algorithm>
#include <iterator>

#include "sim/core/prefetched.hpp"
#include "sim/engine/ahead/prefetch.hpp"

namespace faultline::engine {

namespace {

/// How many components all actors have together.
std::uint64_t components_of(const scenario::RunSpec& spec, std::uint64_t actors) {
  const auto families = std::count_if(
      std::begin(spec.components), std::end(spec.components),
      [](const scenario::ComponentChoice& one) { return one.registration != nullptr; });
  return static_cast<std::uint64_t>(families) * actors;
}

/// The program of a rank, if it is Prefetched; else null.
const Prefetched* as_prefetched(const RunState& state, ActorId rank) {
  return dynamic_cast<const Prefetched*>(state.actors[rank].workload.get());
}

}  // namespace

LookAhead::LookAhead(const RunJob& job, const RunState& state,
                     const std::vector<double>& link_free_s)
    : job_(job),
      state_(state),
      link_free_s_(link_free_s),
      is_on_(components_of(job.spec, state.actors.size()) > kComponentsInCache),
      has_prefetched_programs_(as_prefetched(state, 0) != nullptr) {}

// A later step finds its way by what an earlier one has fetched, so it comes when that is there.
// docs/performance.md has what was measured.
constexpr std::array<LookAhead::Step, 6> LookAhead::kSteps{{
    {&LookAhead::fetch_message, 32, 4},
    {&LookAhead::fetch_actor, 24, 3},
    {&LookAhead::fetch_parts, 16, 2},
    {&LookAhead::fetch_components, 9, 1},
    {&LookAhead::fetch_inbox, 5, 0},
    {&LookAhead::fetch_for_program, 3, 0},
}};

void LookAhead::look() const {
  const EventQueue& queue = state_.schedule.queue();
  const bool has_risen = queue.risen(0) != nullptr;
  for (const auto& [fetch, distance, level] : kSteps) {
    if (const Event* event = queue.ahead(distance)) (this->*fetch)(*event);
    if (!has_risen) continue;
    if (const Event* event = queue.risen(level)) (this->*fetch)(*event);
  }
}

// ---- what an event needs ----------------------------------------------------------------------

/// The head of its message. Of a timer, a wake-up or the end of a computation, the actor is known
/// at once, and of a NIC that becomes free the node.
void LookAhead::fetch_message(const Event& event) const {
  switch (event.kind()) {
    case EventKind::arrive:
    case EventKind::taken_in:
    case EventKind::nic_ready:
      return prefetch_head(event.message);
    case EventKind::timer:
    case EventKind::wake:
    case EventKind::compute_done:
      return Prefetching(job_, state_).actor(event.at.actor);
    case EventKind::nic_free:
      Prefetching(job_, state_).intake(event.at.actor);
      return fetch_links(event.at.actor);
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
      return soon.actor(event.message->to);
    case EventKind::nic_ready:
      soon.outgoing(event.message->from);
      soon.nic(node_of(event.message->from));
      return fetch_links(node_of(event.message->from));
    default:
      return;
  }
}

/// What belongs to its actor but lies apart, and the message that a NIC takes up next.
void LookAhead::fetch_parts(const Event& event) const {
  const Prefetching soon(job_, state_);
  switch (event.kind()) {
    case EventKind::arrive:
      if (is_put_off(event)) return;
      [[fallthrough]];
    case EventKind::taken_in:
      if (!joins_others(event)) soon.parts(event.message->to);
      return;
    case EventKind::wake:
    case EventKind::timer:
    case EventKind::compute_done:
      return soon.parts(event.at.actor);
    case EventKind::nic_free:
      if (const Message* next = before_nic(event.at.actor).head) prefetch_head(next);
      return;
    default:
      return;
  }
}

/// The components of its actor, and what their messages leave by.
void LookAhead::fetch_components(const Event& event) const {
  const Prefetching soon(job_, state_);
  switch (event.kind()) {
    case EventKind::nic_free:
      if (const Message* next = before_nic(event.at.actor).head) soon.outgoing(next->from);
      return;
    case EventKind::arrive:
      if (is_put_off(event)) return;
      [[fallthrough]];
    case EventKind::taken_in:
      if (will_wait(event)) return soon.inbox_tail(event.message->to);
      prefetch_rest(event.message);
      return fetch_stack(event.message->to);
    case EventKind::timer:
      soon.timers(event.at.actor);
      [[fallthrough]];
    case EventKind::wake:
    case EventKind::compute_done:
      return fetch_stack(event.at.actor);
    default:
      return;
  }
}

/// The components of an actor, what it computes, and what its messages leave by.
[[gnu::noinline]] void LookAhead::fetch_stack(ActorId actor) const {
  const Prefetching soon(job_, state_);
  soon.components(actor);
  soon.computation(actor);
  soon.nic(node_of(actor));
  soon.outgoing(actor);
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

/// What the program of a rank will look at when it receives a message.
void LookAhead::fetch_for_program(const Event& event) const {
  if (!has_prefetched_programs_) return;
  const Message* message = nullptr;
  if (event.kind() == EventKind::wake)
    message = state_.actors[event.at.actor].inbox_head;
  else if (event.kind() == EventKind::arrive || event.kind() == EventKind::taken_in)
    message = event.message;
  if (message == nullptr || message->channel != Family::workload) return;
  if (const Prefetched* program = as_prefetched(state_, message->to))
    program->fetch_ahead(*message);
}

/// Which messages stand before the NIC of a node, and when the links from there are free.
void LookAhead::fetch_links(NodeId node) const {
  if (const NicQueue* queue = state_.network.queue(node)) prefetch(queue, sizeof(NicQueue));
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
