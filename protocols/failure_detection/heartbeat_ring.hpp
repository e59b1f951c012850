// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/failure_detection/member_circle.hpp"
#include "sim/core/detector_context.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline {

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
  std::uint64_t summary = 0;  ///< carried by a heartbeat; see ReportedDeaths
  std::uint64_t bytes = 0;    ///< size of a heartbeat and of a request
  double cpu_s = 0.0;         ///< processor time for a heartbeat that is sent
};

/// One member's place in a ring in which each member gets heartbeats from its predecessor, its
/// emitter, and sends heartbeats to its successor, its observer (rdaemon-2019 section 4.5). When an
/// emitter has died, its observer asks the next live one before it for heartbeats.
class HeartbeatRing {
 public:
  /// Keys of its timers are below this.
  static constexpr std::uint64_t kTimerKeys = 2;

  /// A member that is not in the circle neither observes nor is observed.
  HeartbeatRing(const MemberCircle& circle, ActorId self);

  /// Begins. The first heartbeat leaves after a random part of a period.
  void start(DetectorContext& context, const RingTerms& terms, double random_part);
  /// Handles a timer of the ring. Returns the emitter if it is now suspected, else kNobody. The
  /// caller must then call leave_out(), and tell the others.
  [[nodiscard]] ActorId on_timer(DetectorContext& context, const RingTerms& terms,
                                 std::uint64_t key);
  /// Returns true if the heartbeat counts, that is if it comes from the emitter.
  bool got_heartbeat(DetectorContext& context, const RingTerms& terms, ActorId from);
  /// From now on that member observes this one. A request from a member nearer than the present
  /// observer is old news: the observer asked because it knows that all members between are dead.
  void got_request(DetectorContext& context, const RingTerms& terms, ActorId from);
  /// The ring was agreed on at the start of the job, so a later incarnation has no place in it. An
  /// overdue member has died in its first life, although it may have been started again since.
  [[nodiscard]] static Incarnation life_of(ActorId member) { return {member, 0}; }
  /// Takes a dead member out of the ring, also if it is started again.
  void leave_out(DetectorContext& context, const RingTerms& terms, ActorId dead);

  [[nodiscard]] ActorId emitter() const { return emitter_; }
  [[nodiscard]] ActorId observer() const { return observer_; }
  /// How often this member has looked late, and therefore has not suspected its emitter.
  [[nodiscard]] std::uint32_t late_looks() const { return late_looks_; }
  void digest(Digest& into) const;

 private:
  void beat(DetectorContext& context, const RingTerms& terms);
  void await_heartbeat(DetectorContext& context, const RingTerms& terms, double timeout_s);
  [[nodiscard]] ActorId look(DetectorContext& context, const RingTerms& terms);
  [[nodiscard]] ActorId deadline(DetectorContext& context, const RingTerms& terms);
  void mend(DetectorContext& context, const RingTerms& terms);
  [[nodiscard]] bool is_left_out(ActorId member) const;

  MemberCircle circle_;
  ActorId self_;
  ActorId emitter_ = kNobody;  ///< kNobody if not in the ring, or alone
  ActorId observer_ = kNobody;
  std::vector<ActorId> left_out_;  ///< sorted
  double deadline_s_ = 0.0;
  bool looks_again_ = false;  ///< has blamed itself, and is in time for its next look
  // Used with ticks only; otherwise these do not change.
  bool ticks_ = false;
  double last_beat_s_ = -kNever;
  double last_look_s_ = 0.0;
  std::uint32_t late_looks_ = 0;
};

}  // namespace faultline
