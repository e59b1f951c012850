// SPDX-License-Identifier: Apache-2.0

// What must hold between two events: counters are what they count, lists are well formed, and the
// dead have nothing. A mistake in a counter shows long after it was made, as a run that ends too
// early or never.

#include <charconv>
#include <optional>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/runtime/runtime.hpp"

namespace faultline::engine {

namespace {

/// A check costs about as much as this many events for each thing that it looks at, or less.
constexpr std::size_t kThingsPerEvent = 16;

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
  const bool false_report = state_.truth.auditor().first_false_report_s() != kNever;
  const bool is_known = false_report || !state_.truth.violations().empty();
  if (!job_->spec.order && (checking_ || !is_known))
    throw BrokenInvariant(broken.what() + place_of_break());
  end_at("broken-invariant", broken.what());
}

/// A protocol that was told that a live rank is dead may ask for what cannot be, say the place of a
/// rank that its world does not have. False, and nothing has happened, if none was told so.
bool Runtime::end_misled(const std::logic_error& mistake) {
  if (is_stepwise_ || state_.truth.auditor().first_false_report_s() == kNever) return false;
  end_at("exception", mistake.what());
  return true;
}

/// The run ends at a mistake, of which the verdict says whether a false report excuses it.
void Runtime::end_at(const char* kind, const std::string& words) {
  broken_ = true;
  const ActorId actor = std::exchange(checking_, false) ? checked_ : turns_.last_actor();
  state_.truth.auditor().violation(kind, actor == kNobody ? std::nullopt : std::optional(actor),
                                   words, now_s());
  stop(Outcome::violated);
}

/// Within a handler, the turn has the actor.
std::string Runtime::place_of_break() const {
  const ActorId actor = checking_ ? checked_ : turns_.last_actor();
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
  if (state_.network.may_wait()) recount.before_nic.resize(job_->nodes);
  state_.pool.for_each_in_flight([&](const Message& message) {
    ++recount.in_flight;
    ++recount.alive_by(message);
    if (message.channel == Family::workload && (message.flags & kLost) == 0) ++recount.application;
  });
  for (checked_ = 0; checked_ < state_.actors.size(); ++checked_) check_actor(checked_, recount);
  checked_ = kNobody;
  for (NodeId node = 0; node < job_->nodes; ++node) network_.check(node, recount);
  state_.schedule.queue().for_each([&](const Event& event) {
    recount.add(event);
    if (event.kind() == EventKind::fault && faults_.is_sure(event)) ++recount.foreground;
  });
  compare(recount);
  recount.looked_at +=
      state_.pool.places() + state_.actors.size() + job_->nodes + state_.schedule.queue().size();
  state_.next_checked = state_.schedule.events() + 1 + recount.looked_at / kThingsPerEvent;
  checking_ = false;
}

void Runtime::check_actor(ActorId self, Recount& recount) {
  const ActorState& actor = state_.actors[self];
  const std::uint32_t before_nic = state_.network.outgoing(self).before_nic;
  const std::int64_t held = actor.held();
  invariant((actor.present & kLayers) != 0 || held == 0, "a stack without layers holds messages");
  // With their signs: a layer that makes two messages of one lets go of more than it holds, which
  // the auditor reports at the end.
  recount.application += held;
  processors_.check(actor, recount);
  reports_.check(actor, recount);
  phases_.check(actor, recount);
  if (!actor.alive)
    invariant(!actor.active && actor.computing == 0 && actor.inbox_is_empty() && held == 0 &&
                  before_nic == 0 && (!actor.rare_state || is_at_rest(*actor.rare_state)),
              "the dead have something");
  invariant(!actor.rare_state || actor.rare_state->fenced.empty() || before_nic > 0,
            "an actor waits at a fence for nothing");
  if (!recount.before_nic.empty()) recount.before_nic[node_of(self)] += before_nic;
  if (!run_.is_rank(self)) return;
  invariant(actor.active == (actor.computing > 0 || actor.declared_work > 0),
            "a rank is active without work, or idle with it");
  recount.active += static_cast<std::int64_t>(actor.active);
  if (!actor.alive) return;
  ++recount.live;
  recount.announced += static_cast<std::int64_t>(actor.announced);
  recount.finished += static_cast<std::int64_t>(actor.finished);
}

void Runtime::compare(const Recount& recount) const {
  turns_.check();
  expect_equal("events in the queue", static_cast<std::int64_t>(state_.schedule.queue().size()),
               recount.events);
  expect_equal("what keeps the run alive", state_.schedule.foreground(), recount.foreground);
  expect_equal("background timers and messages", state_.schedule.background(), recount.background);
  expect_equal("application messages in flight", state_.truth.auditor().in_flight(),
               recount.application);
  expect_equal("active ranks", state_.truth.auditor().active(), recount.active);
  expect_equal("live ranks", state_.roll.live(), recount.live);
  expect_equal("ranks that have announced", state_.roll.announced(), recount.announced);
  expect_equal("ranks that have finished", state_.roll.finished(), recount.finished);
  expect_equal("senders that wait for on_sent",
               static_cast<std::int64_t>(state_.network.promises()),
               recount.events_of(EventKind::sent));
  expect_equal("NICs that somebody waits for", recount.nics_awaited,
               recount.events_of(EventKind::nic_free));
  expect_at_most("timers that are set", recount.timers, recount.events_of(EventKind::timer));
  expect_at_most("computations that run", recount.running,
                 recount.events_of(EventKind::compute_done));
  expect_at_most("actors that will look into their inboxes", recount.wakes,
                 recount.events_of(EventKind::wake));
}

}  // namespace faultline::engine
