// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/heartbeat_ring.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/core/sorted_list.hpp"

namespace faultline::failure_detection {

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
    : circle_(circle), self_(self), outside_(!circle.contains(self) || circle.members < 2) {
  if (outside_) return;
  emitter_ = circle.before(self);
  observer_ = circle.after(self);
}

void HeartbeatRing::start(DetectorContext& context, const RingTerms& terms, double random_part) {
  if (!outside_ && context.incarnation() > 0) {
    if (terms.rejoin) return join(context, terms);
    outside_ = true;
    emitter_ = observer_ = kNobody;
  }
  if (outside_) return;
  ticks_ = terms.tick_s > 0.0;
  if (ticks_) last_look_s_ = context.now_s();
  context.set_timer(kBeat, random_part * terms.period_s, true);
  await_heartbeat(context, terms.timeout_s + terms.start_slack_s);
}

/// The resource manager has told it in which lives the others are.
void HeartbeatRing::join(DetectorContext& context, const RingTerms& terms) {
  joining_ = true;
  observer_ = kNobody;
  lives_.note({self_, context.incarnation()});
  for (std::uint32_t step = 1; step < circle_.members; ++step)
    lives_.note(context.known(circle_.after(self_, step)));
  context.set_timer(kBeat, terms.period_s, true);
}

ActorId HeartbeatRing::on_timer(DetectorContext& context, const RingTerms& terms,
                                std::uint64_t key) {
  if (key == kDeadline) return deadline(context, terms);
  if (ticks_) return look(context, terms);
  if (joining_) {
    context.set_timer(kBeat, terms.period_s, true);
    return kNobody;
  }
  if (asks_again_) context.send(emitter_, kHeartbeatRequest, terms.bytes);
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

void HeartbeatRing::await_heartbeat(DetectorContext& context, double timeout_s) {
  deadline_s_ = context.now_s() + timeout_s;
  looks_again_ = false;
  if (!ticks_) context.set_timer(kDeadline, timeout_s, true);
}

bool HeartbeatRing::got_heartbeat(DetectorContext& context, const RingTerms& terms,
                                  const Message& heartbeat) {
  if (heartbeat.from != emitter_ || joining_) return false;
  if (terms.rejoin && heartbeat.from_incarnation < life_of(emitter_).number) return false;
  asks_again_ = false;
  await_heartbeat(context, terms.timeout_s);
  return true;
}

void HeartbeatRing::got_request(DetectorContext& context, const RingTerms& terms,
                                const Message& request) {
  const ActorId from = request.from;
  if (outside_ || !circle_.contains(from)) return;
  const Incarnation life{from, request.from_incarnation};
  if (terms.rejoin && life.number < life_of(from).number) return;
  const bool is_news = terms.rejoin && asked_by_.note(life);
  const bool is_nearer =
      observer_ != kNobody && circle_.steps(self_, from) < circle_.steps(self_, observer_);
  const bool is_alone = observer_ == kNobody && !joining_;
  if ((is_nearer || is_alone) && !is_news) return;
  observer_ = from;
  beat(context, terms);
  if (!joining_) return;
  joining_ = false;
  if (emitter_ != kNobody) observe(context, terms, emitter_);
}

void HeartbeatRing::leave_out(DetectorContext& context, const RingTerms& terms, Incarnation dead) {
  if (!circle_.contains(dead.actor) || dead.number < life_of(dead.actor).number) return;
  if (terms.rejoin) lives_.note(dead);
  if (insert_sorted(left_out_, dead.actor) && dead.actor == emitter_) mend(context, terms);
}

void HeartbeatRing::take_in(DetectorContext& context, const RingTerms& terms, Incarnation life) {
  if (outside_ || !circle_.contains(life.actor) || !lives_.note(life)) return;
  const auto found = std::lower_bound(left_out_.begin(), left_out_.end(), life.actor);
  if (found != left_out_.end() && *found == life.actor) left_out_.erase(found);
  const bool is_nearest =
      emitter_ == kNobody || circle_.steps(life.actor, self_) <= circle_.steps(emitter_, self_);
  if (is_nearest) observe(context, terms, life.actor);
}

void HeartbeatRing::ask_again(DetectorContext& context, const RingTerms& terms,
                              ActorId joining) const {
  if (asks_again_ && joining == emitter_) context.send(emitter_, kHeartbeatRequest, terms.bytes);
}

/// A member that joins itself asks when it has been asked.
void HeartbeatRing::observe(DetectorContext& context, const RingTerms& terms, ActorId member) {
  emitter_ = member;
  if (joining_) return;
  asks_again_ = true;
  context.send(emitter_, kHeartbeatRequest, terms.bytes);
  await_heartbeat(context, terms.timeout_s + terms.mending_grace_s);
}

bool HeartbeatRing::is_left_out(ActorId member) const {
  return std::binary_search(left_out_.begin(), left_out_.end(), member);
}

// "Daemon o tries to observe the predecessor of d. It sets d-1 as its new predecessor and then
// sends a request to d-1 to initiate heartbeat emission. [...] o may skip over daemons that have
// already been reported as failed" (section 4.5).
void HeartbeatRing::mend(DetectorContext& context, const RingTerms& terms) {
  asks_again_ = false;
  while (emitter_ != self_ && is_left_out(emitter_)) emitter_ = circle_.before(emitter_);
  if (emitter_ == self_) {  // nobody is left to observe, or to be observed by
    emitter_ = observer_ = kNobody;
    if (joining_) return;  // a process may live that it has not heard of
    context.cancel_timer(kBeat);
    context.cancel_timer(kDeadline);
    return;
  }
  if (joining_) return;
  context.send(emitter_, kHeartbeatRequest, terms.bytes);
  await_heartbeat(context, terms.timeout_s + terms.mending_grace_s);
}

// Leaves out late looks, which are only for the report, and a deadline that its timer knows. With
// ticks, the timer determines how long ago the last tick was. Times count from there, to a
// nanosecond, so that a ring that goes round has the same digest each time.
void HeartbeatRing::digest(Digest& into) const {
  into.add(emitter_, observer_, left_out_, looks_again_);
  into.add(lives_, asked_by_, joining_, asks_again_);
  if (!ticks_) return;
  static constexpr double kLongest_s = 1e9;
  const auto since_look_ns = [this](double time_s) {
    return std::llround(1e9 * std::clamp(time_s - last_look_s_, -kLongest_s, kLongest_s));
  };
  into.add(since_look_ns(deadline_s_), since_look_ns(last_beat_s_));
}

}  // namespace faultline::failure_detection
