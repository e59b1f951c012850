// SPDX-License-Identifier: Apache-2.0

// What may happen next in a stepwise engine.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sim/engine/stepwise/stepwise_engine.hpp"

namespace faultline::engine {

namespace {

/// Times are compared to a nanosecond or so, so that a sum of delays is the same in whatever order
/// they are added up. A power of two, so that the clock itself has no rounding.
constexpr double kTicksPerSecond = 0x1p30;
constexpr double kMostTicks = 0x1p62;

bool comes_by_the_clock(const Event& event) {
  return event.kind() == EventKind::timer || event.kind() == EventKind::stall_end;
}

/// The actor whose handler runs in an event; kNobody if there is none, or if it only now comes to
/// life.
ActorId handled_by(const Event& event) {
  if (!is_handled_by_actor(event.kind())) return kNobody;
  return event.is_about_message() ? event.message->to : event.at.actor;
}

}  // namespace

/// Carries out what leaves no choice: what can have no effect any more, and what passes through a
/// NIC.
void StepwiseEngine::remove_dead_wood() {
  for (;;) {
    std::optional<Event> next;
    state_.schedule.queue().for_each([&](const Event& event) {
      if (leaves_no_choice(event) && (!next || event.order < next->order)) next = event;
    });
    if (!next || run_.stopped()) return;
    run_.carry_out(state_.schedule.take(next->order));
  }
}

bool StepwiseEngine::leaves_no_choice(const Event& event) const {
  switch (room_of(event.kind())) {
    case Room::inbox:
      if (event.kind() == EventKind::wake) {
        const ActorState& actor = state_.actors[event.at.actor];
        return !actor.lives_as(static_cast<std::uint16_t>(event.at.detail)) ||
               actor.inbox_is_empty();
      }
      return event.kind() == EventKind::taken_in || (event.message->flags & kLost) != 0;
    case Room::processors:
      return run_.processors().has_no_effect(event);
    case Room::network:
      return run_.network().leaves_no_choice(event);
    case Room::membership:
      return state_.membership.has_no_effect(event, state_.actors);
    case Room::engine:
      return event.kind() != EventKind::stall_end ||
             !state_.actors[event.at.actor].lives_as(static_cast<std::uint16_t>(event.at.detail));
  }
  return false;
}

/// The oldest event of each lane, and all that are in none.
void StepwiseEngine::list_events() {
  is_listed_ = true;
  agenda_.clear();
  events_.clear();
  if (is_over()) return;
  pending_.clear();
  state_.schedule.queue().for_each([&](const Event& event) { pending_.push_back(event); });
  std::sort(pending_.begin(), pending_.end(),
            [](const Event& a, const Event& b) { return a.order < b.order; });
  for (const Event& event : pending_) {
    const Lane lane = lane_of(event, state_);
    const auto is_before = [&](const Event& other) { return lane_of(other, state_) == lane; };
    if (!lane.orders() || std::none_of(events_.begin(), events_.end(), is_before))
      events_.push_back(event);
  }
  stalled_.clear();
  for (const Event& event : pending_)
    if (event.kind() == EventKind::stall_end) stalled_.push_back(event.at.actor);
  std::erase_if(events_, [this](const Event& event) { return cannot_be_handled(event); });
  if (!is_patient_) return;
  put_overdue_timers_first();
  hold_timers_back();
}

/// An actor that stalls handles nothing, and neither does one that waits at a send fence.
bool StepwiseEngine::cannot_be_handled(const Event& event) const {
  const ActorId actor = handled_by(event);
  if (actor == kNobody) return false;
  const auto& rare = state_.actors[actor].rare_state;
  return (rare && !rare->fenced.empty()) ||
         std::find(stalled_.begin(), stalled_.end(), actor) != stalled_.end();
}

/// An actor that has stalled handles the timers that were due meanwhile, in their order, and then
/// what has arrived.
void StepwiseEngine::put_overdue_timers_first() {
  std::vector<Event> first;
  for (const Event& event : events_) {
    if (event.kind() != EventKind::timer || left_of(event) >= 0) continue;
    const auto same = std::find_if(first.begin(), first.end(), [&](const Event& other) {
      return other.at.actor == event.at.actor;
    });
    if (same == first.end())
      first.push_back(event);
    else if (event < *same)
      *same = event;
  }
  for (const Event& overdue : first)
    std::erase_if(events_, [&](const Event& event) {
      const bool waits = event.kind() == EventKind::timer || event.kind() == EventKind::arrive;
      return waits && handled_by(event) == overdue.at.actor && event.order != overdue.order;
    });
}

/// Leaves the timers that may run out next on the agenda.
void StepwiseEngine::hold_timers_back() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Event& event : events_) least = std::min(least, may_wait(event));
  std::erase_if(events_, [&](const Event& event) {
    return comes_by_the_clock(event) && may_wait(event) > least;
  });
}

/// How many ticks the clock can go on before this happens; -1: it comes before all timers that are
/// not overdue.
std::int64_t StepwiseEngine::may_wait(const Event& event) const {
  if (comes_by_the_clock(event)) return std::max<std::int64_t>(-1, left_of(event));
  if (event.kind() == EventKind::compute_done) return std::numeric_limits<std::int64_t>::max();
  if (event.kind() != EventKind::arrive || message_s_ <= 0.0) return -1;
  return std::max<std::int64_t>(0, ticks_until(event.time_s + message_s_));
}

/// Less than 0 only if that time has passed, and not if it is rounded to another one than now.
std::int64_t StepwiseEngine::ticks_until(double time_s) const {
  const double ticks = (time_s - run_.now_s()) * kTicksPerSecond;
  if (ticks > -2.0 && ticks < 0.0) return 0;
  return std::llround(std::clamp(ticks, -kMostTicks, kMostTicks));
}

/// How much the clock goes on when this happens.
double StepwiseEngine::wait_s(const Event& event) const {
  if (!is_patient_ || !comes_by_the_clock(event)) return 0.0;
  return std::max(0.0, static_cast<double>(left_of(event)) / kTicksPerSecond);
}

StateParts StepwiseEngine::parts() const {
  StateParts parts = state_.parts(run_.job());
  if (!is_patient_) return parts;
  parts.is_local = false;  // the next actor depends on all timers
  state_.schedule.queue().for_each([&](const Event& event) {
    const bool is_late = event.kind() == EventKind::arrive && message_s_ > 0.0;
    if (!comes_by_the_clock(event) && !is_late) return;
    const auto part = std::lower_bound(
        parts.scheduled.begin(), parts.scheduled.end(), event.order,
        [](const ScheduledPart& one, std::uint64_t order) { return one.order < order; });
    Digest into;
    into.add(part->content.high, part->content.low, is_late ? may_wait(event) : left_of(event));
    part->content = into.value();
  });
  return parts;
}

/// A timer, what waits for the processor as timers do, or a computation.
void StepwiseEngine::name_local(const RareState& rare, std::uint32_t serial, Choice& choice) const {
  if (const ArmedTimer* timer = rare.timer(serial)) {
    choice.detail = timer->key;
    choice.family = timer->family;
  } else if (const Computation* running = rare.computation(serial)) {
    choice.detail = running->tag;
    choice.family = running->family;
  } else if (const Due* told = rare.told(serial)) {
    const auto* notice = std::get_if<Notice>(&told->what);
    choice.kind = notice == nullptr ? EventKind::fault : notice->kind;
    if (notice != nullptr) choice.peer = state_.membership.deaths()[notice->death].dead.actor;
  }
}

/// A message that passes a NIC is its sender's affair.
Choice StepwiseEngine::choice_of(const Event& event) const {
  if (event.is_about_message()) {
    const Message& message = *event.message;
    Choice choice{event.kind(), message.to, message.from, message.kind, message.channel};
    if (event.kind() == EventKind::nic_ready) std::swap(choice.actor, choice.peer);
    return choice;
  }
  Choice choice{event.kind(), event.at.actor};
  switch (room_of(event.kind())) {
    case Room::processors:
      name_local(*state_.actors[choice.actor].rare_state, event.at.detail, choice);
      break;
    case Room::network: {
      const SentPromise& sent = state_.network.promise(event);
      choice.peer = sent.to;
      choice.detail = sent.kind;
      choice.family = sent.channel;
      break;
    }
    case Room::membership:
      choice.peer = state_.membership.subject_of(event).actor;
      break;
    case Room::inbox:
    case Room::engine:
      break;
  }
  return choice;
}

}  // namespace faultline::engine
