// SPDX-License-Identifier: Apache-2.0

// What must hold between two events: counters are what they count, lists are well formed, and the
// dead have nothing. A mistake in a counter shows long after it was made, as a run that ends too
// early or never.

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/invariant.hpp"
#include "sim/engine/actors/ordered.hpp"
#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

/// The counters of a run, counted anew.
struct Runtime::Recount {
  std::size_t looked_at = 0;  ///< roughly in proportion to the time that the check takes
  std::int64_t in_flight = 0;
  std::int64_t waiting = 0;      ///< of these: arrived, and not handled
  std::int64_t application = 0;  ///< messages of workloads, in flight or held by a layer
  std::int64_t foreground = 0;   ///< events, timers that are set, and messages
  std::int64_t background = 0;   ///< timers that are set, and messages
  std::int64_t events = 0;
  std::int64_t timers = 0;  ///< that are set
  std::int64_t timer_events = 0;
  std::int64_t wakes = 0;  ///< actors that have one coming
  std::int64_t wake_events = 0;
  std::int64_t running = 0;  ///< computations
  std::int64_t compute_events = 0;
  std::int64_t sent_events = 0;
  std::int64_t nics_awaited = 0;
  std::int64_t nic_events = 0;
  std::int64_t active = 0;
  std::int64_t live = 0;
  std::int64_t announced = 0;
  std::int64_t finished = 0;
  std::vector<std::uint32_t> before_nic;  ///< by node; empty if nothing can wait for a NIC

  std::int64_t& alive_by(const Message& message) {
    return Schedule::is_in_background(message) ? background : foreground;
  }
};

namespace {

/// A check costs about as much as this many events for each thing that it looks at, or less.
constexpr std::size_t kThingsPerEvent = 16;

void expect_equal(const char* what, std::int64_t kept, std::int64_t counted) {
  if (kept == counted) return;
  throw BrokenInvariant(std::string(what) + ": " + std::to_string(kept) + " by the counter, " +
                        std::to_string(counted) + " counted anew");
}

/// Each of them has an event; the events of cancelled ones and of earlier incarnations stay.
void expect_at_most(const char* what, std::int64_t pending, std::int64_t events) {
  if (pending <= events) return;
  throw BrokenInvariant(std::string(what) + ": " + std::to_string(pending) + ", and events for " +
                        std::to_string(events));
}

/// Is nothing of an actor left to happen, and no message with it?
bool is_at_rest(const RareState& rare) {
  return rare.timers.empty() && rare.running.empty() && rare.queued.empty() && rare.early.empty() &&
         rare.fenced.empty();
}

/// A time in as few digits as tell it from all others.
std::string exact(double time_s) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, time_s).ptr;
  return {digits, end};
}

}  // namespace

/// Throws what has broken, with its place in the run. But once a protocol has announced too early,
/// say, or was told that a live rank is dead, it may find what it relies on broken: then that is a
/// violation, at which the run ends. So it is if the scenario states the order of events, which
/// was chosen to show just that.
void Runtime::end_broken(const BrokenInvariant& broken) {
  const bool false_report = state_.auditor.first_false_report_s() != kNever;
  const bool is_known = false_report || !state_.auditor.violations().empty();
  if (!job_->spec.order && (checking_ || !is_known))
    throw BrokenInvariant(broken.what() + place_of_break());
  broken_ = true;
  const ActorId actor = std::exchange(checking_, false) ? checked_ : turn_.self;
  state_.auditor.violation("broken-invariant",
                           actor == kNobody ? std::nullopt : std::optional(actor), broken.what(),
                           now_s());
  stop(false_report ? Outcome::unsafe_detector : Outcome::violated);
}

/// Of a handler it is the turn that tells the actor.
std::string Runtime::place_of_break() const {
  const ActorId actor = checking_ ? checked_ : turn_.self;
  std::string place = "; ";
  if (actor != kNobody) place += "actor " + std::to_string(actor) + ", ";
  return place + exact(now_s()) + " s, seed " + std::to_string(job_->seed) + ", replication " +
         std::to_string(job_->replication);
}

/// Looks at the whole state, and says when to look again: after so many events that most time goes
/// into these. Throws BrokenInvariant.
void Runtime::check_state() {
  checking_ = true;
  checked_ = kNobody;
  Recount recount;
  if (state_.nics_are_shared || !state_.bulk_queues.empty()) recount.before_nic.resize(job_->nodes);
  state_.pool.for_each_in_flight([&](const Message& message) {
    ++recount.in_flight;
    ++recount.alive_by(message);
    if (message.channel == Family::workload && (message.flags & kLost) == 0) ++recount.application;
  });
  for (checked_ = 0; checked_ < state_.actors.size(); ++checked_) check_actor(checked_, recount);
  checked_ = kNobody;
  for (NodeId node = 0; node < job_->nodes; ++node) check_nic(node, recount);
  state_.schedule.queue().for_each([&](const Event& event) { count_event(event, recount); });
  compare(recount);
  recount.looked_at += state_.pool.places() + state_.actors.size() + state_.nics.size() +
                       state_.schedule.queue().size();
  state_.next_checked = state_.schedule.events() + 1 + recount.looked_at / kThingsPerEvent;
  checking_ = false;
}

void Runtime::check_actor(ActorId self, Recount& recount) {
  const ActorState& actor = state_.actors[self];
  const std::uint32_t before_nic = state_.outgoing[self].before_nic;
  const std::int64_t held = actor.held();
  invariant((actor.present & kLayers) != 0 || held == 0, "a stack without layers holds messages");
  // With their signs: a layer that makes two messages of one lets go of more than it holds, which
  // the auditor reports at the end.
  recount.application += held;
  check_inbox(actor, recount);
  if (!actor.alive)
    invariant(!actor.active && actor.computing == 0 && actor.inbox_is_empty() && held == 0 &&
                  before_nic == 0 && (!actor.rare_state || is_at_rest(*actor.rare_state)),
              "the dead have something");
  if (actor.alive && actor.wake_pending) ++recount.wakes;
  check_heard(actor, recount);
  if (actor.rare_state) check_rare_state(actor, recount);
  invariant(actor.rare_state || actor.computing == 0, "a computation is nowhere");
  invariant(!actor.rare_state || actor.rare_state->fenced.empty() || before_nic > 0,
            "an actor waits at a fence for nothing");
  if (!recount.before_nic.empty()) recount.before_nic[node_of(self)] += before_nic;
  if (!is_rank(self)) return;
  invariant(actor.active == (actor.computing > 0 || actor.declared_work > 0),
            "a rank is active without work, or idle with it");
  recount.active += static_cast<std::int64_t>(actor.active);
  if (!actor.alive) return;
  ++recount.live;
  recount.announced += static_cast<std::int64_t>(actor.announced);
  recount.finished += static_cast<std::int64_t>(actor.finished);
}

void Runtime::check_inbox(const ActorState& actor, Recount& recount) const {
  for (const Message* message = actor.inbox_head; message != nullptr; message = message->next) {
    invariant(&state_.actors[message->to] == &actor && (message->flags & kInFlight) != 0,
              "a message is in an inbox that is not its receiver's");
    ++recount.waiting;
    invariant(recount.waiting <= recount.in_flight, "an inbox has no end");
    invariant((message->next == nullptr) == (message == actor.inbox_tail),
              "an inbox does not end with its last message");
  }
}

void Runtime::check_rare_state(const ActorState& actor, Recount& recount) const {
  const RareState& rare = *actor.rare_state;
  invariant(ordered(rare.timers, [](const ArmedTimer& one,
                                    const ArmedTimer& next) { return one.serial < next.serial; }),
            "timers are not in the order in which they were set");
  for (const ArmedTimer& timer : rare.timers)
    if (!timer.held) ++(timer.background ? recount.background : recount.foreground);
  recount.foreground += rare.times_told();
  check_due(actor, recount);
  invariant(rare.running.size() <= job_->shape.worker_cores,
            "more computations run than there are cores");
  invariant(rare.queued.empty() || rare.running.size() == job_->shape.worker_cores,
            "a computation waits for a core that is free");
  const auto of_workload = [](const Computation& computation) {
    return computation.family == Family::workload;
  };
  expect_equal("computations of a workload", actor.computing,
               std::count_if(rare.running.begin(), rare.running.end(), of_workload) +
                   std::count_if(rare.queued.begin(), rare.queued.end(), of_workload));
  recount.running += std::count_if(rare.running.begin(), rare.running.end(),
                                   [](const Computation& one) { return !one.held; });
  check_reports(rare);
  rare.restarted.check();
  for (const Message* message : rare.early) {
    invariant(message->phase > actor.phase && (message->flags & kInFlight) != 0,
              "a message waits for a phase that has begun");
    --recount.alive_by(*message);
  }
  recount.waiting += static_cast<std::int64_t>(rare.early.size());
  recount.looked_at += rare.timers.size() + rare.queued.size();
}

/// Timers. Of those that wait for the processor, one has an event.
void Runtime::check_due(const ActorState& actor, Recount& recount) const {
  const RareState& rare = *actor.rare_state;
  invariant(!rare.awaits_processor || !rare.due.empty(), "no timer waits for the processor");
  invariant(rare.due.empty() || rare.awaits_processor || processors_.is_blocked(actor),
            "a timer waits for a processor that is free");
  const auto waits = [&](const ArmedTimer& timer) {
    return timer.held || std::any_of(rare.due.begin(), rare.due.end(),
                                     [&](const Due& due) { return due.serial == timer.serial; });
  };
  recount.timers += static_cast<std::int64_t>(rare.timers.size()) -
                    std::count_if(rare.timers.begin(), rare.timers.end(), waits) +
                    static_cast<std::int64_t>(rare.awaits_processor);
}

void Runtime::check_heard(const ActorState& actor, Recount& recount) const {
  const std::vector<std::uint32_t>& heard = actor.heard();
  invariant(ordered(heard, std::less<>()) &&
                (heard.empty() || (actor.alive && heard.back() < state_.deaths.size())),
            "deaths that an actor has declared are not sorted, or have not happened");
  recount.looked_at += heard.size();
}

/// Whom an actor refuses, and its connections.
void Runtime::check_reports(const RareState& rare) const {
  rare.refused.check();
  invariant(ordered(rare.links, std::less<>()) && ordered(rare.linked_by, std::less<>()),
            "connections are not sorted");
}

void Runtime::check_nic(NodeId node, Recount& recount) const {
  const Nic& nic = state_.nics[node];
  expect_equal("messages that a NIC expects", nic.expected,
               recount.before_nic.empty() ? 0 : recount.before_nic[node]);
  const NicQueue waiting = state_.nic_queues.empty() ? NicQueue() : state_.nic_queues[node];
  invariant(nic.awaited == (waiting.head != nullptr),
            "a NIC has nobody to serve, or serves nobody");
  if (nic.awaited) ++recount.nics_awaited;
  const BulkQueue bulk = state_.bulk_queues.empty() ? BulkQueue() : state_.bulk_queues[node];
  invariant(bulk.waiting.head == nullptr || bulk.awaited || nic.awaited,
            "a message of several packets waits for a NIC that nothing reminds of it");
  if (bulk.awaited) ++recount.nics_awaited;
  std::int64_t queued = 0;
  for (const Message* message = waiting.head; message != nullptr; message = message->next) {
    invariant((message->flags & kInFlight) != 0, "a message that is not in flight is before a NIC");
    ++queued;
    invariant(queued <= recount.in_flight, "the queue before a NIC has no end");
    invariant(message->next != nullptr || message == waiting.tail,
              "the queue before a NIC does not end with its last message");
  }
}

/// The events of messages are not counted: their messages are. Of a timer its entry is, because its
/// event stays when it is cancelled.
void Runtime::count_event(const Event& event, Recount& recount) const {
  ++recount.events;
  if (keeps_run_alive(event.kind())) ++recount.foreground;
  switch (event.kind()) {
    case EventKind::timer:
      ++recount.timer_events;
      return;
    case EventKind::fault:
      if (event.at.detail == kStatedFault || state_.faults.ends(event.at.actor))
        ++recount.foreground;
      return;
    case EventKind::wake:
      ++recount.wake_events;
      return;
    case EventKind::compute_done:
      ++recount.compute_events;
      return;
    case EventKind::sent:
      ++recount.sent_events;
      return;
    case EventKind::nic_free:
      ++recount.nic_events;
      return;
    default:
      return;
  }
}

void Runtime::compare(const Recount& recount) const {
  invariant(turn_.waiting == 0 && turn_.wire.empty() && turn_.actions.empty() &&
                turn_.requests.empty() && turn_.stores.empty() && pending_actions_.empty(),
            "a turn has left something undone");
  expect_equal("events in the queue", static_cast<std::int64_t>(state_.schedule.queue().size()),
               recount.events);
  expect_equal("what keeps the run alive", state_.schedule.foreground(), recount.foreground);
  expect_equal("background timers and messages", state_.schedule.background(), recount.background);
  expect_equal("application messages in flight", state_.auditor.in_flight(), recount.application);
  expect_equal("active ranks", state_.auditor.active(), recount.active);
  expect_equal("live ranks", state_.roll.live, recount.live);
  expect_equal("ranks that have announced", state_.roll.announced, recount.announced);
  expect_equal("ranks that have finished", state_.roll.finished, recount.finished);
  expect_equal("senders that wait for on_sent",
               static_cast<std::int64_t>(state_.sent_promises.size()), recount.sent_events);
  expect_equal("NICs that somebody waits for", recount.nics_awaited, recount.nic_events);
  expect_at_most("timers that are set", recount.timers, recount.timer_events);
  expect_at_most("computations that run", recount.running, recount.compute_events);
  expect_at_most("actors that will look into their inboxes", recount.wakes, recount.wake_events);
}

}  // namespace faultline::engine
