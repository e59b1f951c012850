// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/heartbeat_ring.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/core/sorted_list.hpp"

namespace faultline {

namespace {

/// With ticks, the first timer is the tick, and there is no second.
enum Timer : std::uint64_t { kBeat, kDeadline };
static_assert(kDeadline < HeartbeatRing::kTimerKeys);

/// Ticks add up with rounding errors, so that the tick at which a time has just come could take
/// itself for the one before. A time nearer than this part of a tick has come.
constexpr double kRoundedTicks = 1e-3;

bool has_come(double time_s, double now_s, const RingTerms& terms) {
  return now_s >= time_s - kRoundedTicks * terms.tick_s;
}

}  // namespace

HeartbeatRing::HeartbeatRing(const MemberCircle& circle, ActorId self)
    : circle_(circle), self_(self) {
  if (!circle.contains(self) || circle.members < 2) return;
  emitter_ = circle.before(self);
  observer_ = circle.after(self);
}

void HeartbeatRing::start(DetectorContext& context, const RingTerms& terms, double random_part) {
  if (context.incarnation() > 0) emitter_ = observer_ = kNobody;
  if (emitter_ == kNobody) return;
  ticks_ = terms.tick_s > 0.0;
  if (ticks_) last_look_s_ = context.now_s();
  context.set_timer(kBeat, random_part * terms.period_s, true);
  await_heartbeat(context, terms, terms.timeout_s + terms.start_slack_s);
}

ActorId HeartbeatRing::on_timer(DetectorContext& context, const RingTerms& terms,
                                std::uint64_t key) {
  if (key == kDeadline) return deadline(context, terms);
  if (ticks_) return look(context, terms);
  beat(context, terms);
  return kNobody;
}

/// A timer that could not run in time comes before the messages that have arrived meanwhile.
ActorId HeartbeatRing::deadline(DetectorContext& context, const RingTerms& terms) {
  const bool is_late = context.now_s() - deadline_s_ >= terms.late_by_s;
  if (looks_again_ || !is_late) return emitter_;
  ++late_looks_;
  looks_again_ = true;
  context.set_timer(kDeadline, terms.look_again_s, true);
  return kNobody;
}

ActorId HeartbeatRing::look(DetectorContext& context, const RingTerms& terms) {
  const double now_s = context.now_s();
  const double before_s = last_look_s_;
  last_look_s_ = now_s;
  context.set_timer(kBeat, terms.tick_s, true);
  // Ticks add up with rounding errors, so a heartbeat is due from half a tick before its time on.
  if (now_s - last_beat_s_ > terms.beat_every_s - terms.tick_s / 2) beat(context, terms);
  if (!has_come(deadline_s_, now_s, terms)) return kNobody;
  const bool was_in_time = !has_come(deadline_s_, before_s, terms);
  if (!was_in_time || !has_come(before_s + terms.late_by_s, now_s, terms)) return emitter_;
  ++late_looks_;
  return kNobody;
}

void HeartbeatRing::beat(DetectorContext& context, const RingTerms& terms) {
  if (terms.cpu_s > 0.0) context.spend(terms.cpu_s);
  Message& heartbeat = context.send(observer_, kHeartbeat, terms.bytes);
  heartbeat.payload.put(terms.summary);
  DetectorContext::background(heartbeat);
  if (ticks_)
    last_beat_s_ = context.now_s();
  else
    context.set_timer(kBeat, terms.beat_every_s, true);
}

void HeartbeatRing::await_heartbeat(DetectorContext& context, const RingTerms& terms,
                                    double timeout_s) {
  deadline_s_ = context.now_s() + timeout_s;
  looks_again_ = false;
  if (!ticks_) context.set_timer(kDeadline, timeout_s, true);
}

bool HeartbeatRing::got_heartbeat(DetectorContext& context, const RingTerms& terms, ActorId from) {
  if (from != emitter_) return false;
  await_heartbeat(context, terms, terms.timeout_s);
  return true;
}

void HeartbeatRing::got_request(DetectorContext& context, const RingTerms& terms, ActorId from) {
  if (emitter_ == kNobody || !circle_.contains(from)) return;
  if (circle_.steps(self_, from) < circle_.steps(self_, observer_)) return;
  observer_ = from;
  beat(context, terms);
}

void HeartbeatRing::leave_out(DetectorContext& context, const RingTerms& terms, ActorId dead) {
  if (!circle_.contains(dead) || !insert_sorted(left_out_, dead)) return;
  if (dead == emitter_) mend(context, terms);
}

bool HeartbeatRing::is_left_out(ActorId member) const {
  return std::binary_search(left_out_.begin(), left_out_.end(), member);
}

// "Daemon o tries to observe the predecessor of d. It sets d-1 as its new predecessor and then
// sends a request to d-1 to initiate heartbeat emission. [...] o may skip over daemons that have
// already been reported as failed" (section 4.5).
void HeartbeatRing::mend(DetectorContext& context, const RingTerms& terms) {
  while (emitter_ != self_ && is_left_out(emitter_)) emitter_ = circle_.before(emitter_);
  if (emitter_ == self_) {  // nobody is left to observe, or to be observed by
    emitter_ = observer_ = kNobody;
    context.cancel_timer(kBeat);
    context.cancel_timer(kDeadline);
    return;
  }
  context.send(emitter_, kHeartbeatRequest, terms.bytes);
  await_heartbeat(context, terms, terms.timeout_s + terms.mending_grace_s);
}

// Leaves out late looks, which are only for the report, and a deadline that its timer knows. With
// ticks, the timer determines how long ago the last tick was. Times count from there, to a
// nanosecond, so that a ring that goes round has the same digest each time.
void HeartbeatRing::digest(Digest& into) const {
  into.add(emitter_, observer_, left_out_, looks_again_);
  if (!ticks_) return;
  static constexpr double kLongest_s = 1e9;
  const auto since_look_ns = [this](double time_s) {
    return std::llround(1e9 * std::clamp(time_s - last_look_s_, -kLongest_s, kLongest_s));
  };
  into.add(since_look_ns(deadline_s_), since_look_ns(last_beat_s_));
}

}  // namespace faultline
