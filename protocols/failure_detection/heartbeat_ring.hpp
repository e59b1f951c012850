// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/failure_detection/member_circle.hpp"
#include "protocols/failure_detection/member_lives.hpp"
#include "sim/core/detector_context.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/types.hpp"

namespace faultline::failure_detection {

/// Messages of the ring: the first kinds of a detector that has one.
enum RingKind : std::uint16_t { kHeartbeat, kHeartbeatRequest, kAfterRing };

/// How the members of a ring watch each other. All of them have the same terms.
struct RingTerms {
  double period_s = 0.0;      ///< delta
  double beat_every_s = 0.0;  ///< from one heartbeat to the next
  double timeout_s = 0.0;     ///< eta: from the last heartbeat to the suspicion
  /// Added to the timeout while no heartbeat has come yet: after the start, and from a new emitter.
  double start_slack_s = 0.0;
  double mending_grace_s = 0.0;
  /// 0: a deadline is a timer. Else a member looks at its clock every tick, sends a heartbeat at
  /// the first look that is `beat_every_s` after the last one, and suspects at the first look at
  /// which the deadline has come. A deadline of a whole number of ticks comes after that number.
  double tick_s = 0.0;
  /// A member that looks at its deadline late by this time, and was in time when it looked before,
  /// blames itself and looks once more before it suspects: what has come meanwhile still waits for
  /// its processor. With ticks, a look is late by what has passed since the one before.
  double late_by_s = kNever;
  double look_again_s = 0.0;  ///< without ticks: from the late look to the next one
  /// A member that is started again comes back to its place. Not with ticks.
  bool rejoin = false;
  std::uint64_t summary = 0;  ///< carried by a heartbeat; see ReportedDeaths
  std::uint64_t bytes = 0;    ///< size of a heartbeat and of a request
  double cpu_s = 0.0;         ///< processor time for a heartbeat that is sent
};

/// One member's place in a ring in which each member gets heartbeats from its predecessor, its
/// emitter, and sends heartbeats to its successor, its observer (rdaemon-2019 section 4.5). When an
/// emitter has died, its observer asks the next live one before it for heartbeats.
///
/// With `RingTerms::rejoin`, a member that is started again comes back to its place:
///
/// 1. It joins: it neither sends heartbeats nor awaits any, and its owner lets others know that it
///    lives, once at the start and once a period (is_joining).
/// 2. Whoever hears of that takes it in. If it is nearer than the present emitter, it is the
/// emitter
///    from then on, and is asked for heartbeats.
/// 3. When it is asked, it has an observer. Only then does it ask the one before it for heartbeats,
///    which stops to send them to the old observer. So nobody is without an observer that it sends
///    to, and nobody waits for heartbeats that go to another one.
///
/// In steps 2 and 3, a member repeats its request each period until a heartbeat has come.
class HeartbeatRing {
 public:
  /// Keys of its timers are below this.
  static constexpr std::uint64_t kTimerKeys = 2;

  /// A member that is not in the circle neither observes nor is observed.
  HeartbeatRing(const MemberCircle& circle, ActorId self);

  /// Begins. The first heartbeat leaves after a random part of a period. A later incarnation joins,
  /// or has no place in the ring.
  void start(DetectorContext& context, const RingTerms& terms, double random_part);
  /// Handles a timer of the ring. Returns the emitter if it is now suspected, else kNobody. The
  /// caller must then call leave_out(), and tell the others.
  [[nodiscard]] ActorId on_timer(DetectorContext& context, const RingTerms& terms,
                                 std::uint64_t key);
  /// A heartbeat has come. Returns true if it counts, that is if it comes from the emitter.
  bool got_heartbeat(DetectorContext& context, const RingTerms& terms, const Message& heartbeat);
  /// From now on the sender observes this member. A request from a member nearer than the present
  /// observer is old news, unless it is the first in that life of the sender: the observer asked
  /// because it knows that all members between are dead.
  void got_request(DetectorContext& context, const RingTerms& terms, const Message& request);
  /// The life of a member that has a place in the ring: the latest that this one has taken in. The
  /// ring was agreed on at the start of the job, so without `rejoin` it is the first one. An
  /// overdue member has died in that life, although it may have been started again since.
  [[nodiscard]] Incarnation life_of(ActorId member) const { return lives_.of(member); }
  /// Takes a dead member out of the ring. The death of an earlier life than the one that has been
  /// taken in is old news.
  void leave_out(DetectorContext& context, const RingTerms& terms, Incarnation dead);
  /// Takes a later life of a member into the ring, in the place of the earlier one. To be called
  /// with `rejoin` only.
  void take_in(DetectorContext& context, const RingTerms& terms, Incarnation life);
  /// A member says that it waits to be asked. Asks it again if this one observes it.
  void ask_again(DetectorContext& context, const RingTerms& terms, ActorId joining) const;

  /// It has been started again, and has not been asked for heartbeats yet.
  [[nodiscard]] bool is_joining() const { return joining_; }
  [[nodiscard]] ActorId emitter() const { return emitter_; }
  [[nodiscard]] ActorId observer() const { return observer_; }
  /// How often this member has looked late, and therefore has not suspected its emitter.
  [[nodiscard]] std::uint32_t late_looks() const { return late_looks_; }
  void digest(Digest& into) const;

 private:
  void join(DetectorContext& context, const RingTerms& terms);
  void beat(DetectorContext& context, const RingTerms& terms);
  void await_heartbeat(DetectorContext& context, double timeout_s);
  [[nodiscard]] ActorId look(DetectorContext& context, const RingTerms& terms);
  [[nodiscard]] ActorId deadline(DetectorContext& context, const RingTerms& terms);
  void mend(DetectorContext& context, const RingTerms& terms);
  void observe(DetectorContext& context, const RingTerms& terms, ActorId member);
  [[nodiscard]] bool is_left_out(ActorId member) const;

  MemberCircle circle_;
  ActorId self_;
  ActorId emitter_ = kNobody;  ///< kNobody if not in the ring, or alone
  ActorId observer_ = kNobody;
  std::vector<ActorId> left_out_;  ///< sorted
  MemberLives lives_;              ///< those that were taken in
  MemberLives asked_by_;           ///< in which later life each has asked for heartbeats
  bool outside_ = false;           ///< has no place in the ring
  bool joining_ = false;
  bool asks_again_ = false;  ///< repeats its request until a heartbeat has come
  double deadline_s_ = 0.0;
  bool looks_again_ = false;  ///< has blamed itself, and is in time for its next look
  // Used with ticks only; otherwise these do not change.
  bool ticks_ = false;
  double last_beat_s_ = -kNever;
  double last_look_s_ = 0.0;
  std::uint32_t late_looks_ = 0;
};

}  // namespace faultline::failure_detection
