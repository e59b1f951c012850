// SPDX-License-Identifier: Apache-2.0

// One member of a ring of heartbeats, without an engine: whom it sends to, and which timers it
// sets.

#include "protocols/failure_detection/heartbeat_ring.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/alone.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

using Sent = std::vector<std::pair<ActorId, std::uint16_t>>;  ///< receiver and kind

constexpr std::uint64_t kBeatTimer = 0;  ///< the ring's timers
constexpr std::uint64_t kDeadlineTimer = 1;

constexpr RingTerms kTimers{
    .period_s = 1, .beat_every_s = 1, .timeout_s = 3, .start_slack_s = 5, .mending_grace_s = 2};
constexpr RingTerms kTicks{
    .period_s = 1, .beat_every_s = 0.9, .timeout_s = 3, .tick_s = 0.1, .late_by_s = 1};

/// A member of the ring 10, 11, ... 15, in turns that no engine ends.
class Member final : public Services {
 public:
  Member(ActorId self, const RingTerms& terms, std::uint16_t life = 0)
      : terms_(terms), ring_({10, 6}, self) {
    turn_.incarnation = life;
    turn_.pool = &pool_;
    turn_.services = this;
    turn_.self = self;
    turn_.direct = true;
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  ~Member() = default;

  [[nodiscard]] Incarnation known(ActorId, ActorId peer) const override { return {peer, 0}; }

  Member& at(double now_s) {
    turn_.now_s = now_s;
    return *this;
  }
  Member& start(double random_part = 0.5) {
    return act([=](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      ring.start(context, terms, random_part);
    });
  }
  Member& heartbeat(ActorId from, std::uint16_t life = 0) {
    return act([=](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      ring.got_heartbeat(context, terms, message_from(from, life));
    });
  }
  Member& request(ActorId from, std::uint16_t life = 0) {
    return act([=](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      ring.got_request(context, terms, message_from(from, life));
    });
  }
  Member& dead(ActorId member, std::uint16_t life = 0) {
    return act([=](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      ring.leave_out(context, terms, {member, life});
    });
  }
  Member& lives(ActorId member, std::uint16_t life = 1) {
    return act([=](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      ring.take_in(context, terms, {member, life});
    });
  }
  Member& announces(ActorId member) {
    return act([=](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      ring.ask_again(context, terms, member);
    });
  }
  ActorId timer(std::uint64_t key) {
    ActorId suspect = kNobody;
    act([&](HeartbeatRing& ring, DetectorContext& context, const RingTerms& terms) {
      suspect = ring.on_timer(context, terms, key);
    });
    return suspect;
  }

  /// What the last turn has sent.
  [[nodiscard]] Sent sent() const {
    Sent sent;
    for (const Message* message : turn_.wire) sent.emplace_back(message->to, message->kind);
    return sent;
  }
  /// The delay with which the last turn has set a timer in the background, if it has.
  [[nodiscard]] std::optional<double> set(std::uint64_t key) const {
    std::optional<double> delay_s;
    for (const Action& action : turn_.actions)
      if (const auto* timer = std::get_if<Action::SetTimer>(&action.request))
        if (timer->key == key && timer->background) delay_s = timer->delay_s;
    return delay_s;
  }
  [[nodiscard]] bool cancelled(std::uint64_t key) const {
    for (const Action& action : turn_.actions)
      if (const auto* timer = std::get_if<Action::CancelTimer>(&action.request))
        if (timer->key == key) return true;
    return false;
  }
  [[nodiscard]] bool is_joining() const { return ring_.is_joining(); }
  [[nodiscard]] Incarnation life_of(ActorId member) const { return ring_.life_of(member); }
  [[nodiscard]] ActorId emitter() const { return ring_.emitter(); }
  [[nodiscard]] ActorId observer() const { return ring_.observer(); }
  [[nodiscard]] StateDigest digest() const {
    Digest digest;
    digest.add(ring_);
    return digest.value();
  }

 private:
  [[nodiscard]] static Message message_from(ActorId from, std::uint16_t life) {
    Message message;
    message.from = from;
    message.from_incarnation = life;
    return message;
  }
  template <class Act>
  Member& act(const Act& act) {
    for (Message* message : turn_.wire) pool_.give_back(message);
    turn_.wire.clear();
    turn_.actions.clear();
    DetectorContext context(turn_, Family::failure_detection);
    act(ring_, context, terms_);
    return *this;
  }

  MessagePool pool_;
  Turn turn_;
  RingTerms terms_;
  HeartbeatRing ring_;
};

}  // namespace

TEST_CASE("a member observes the one before it, and its heartbeats go to the one after it") {
  Member member(12, kTimers);
  member.start();
  CHECK(member.emitter() == 11);
  CHECK(member.observer() == 13);
  CHECK(member.set(kBeatTimer) == 0.5);  // a random part of the period
  CHECK(member.set(kDeadlineTimer) == 3 + 5);
  CHECK(member.timer(kBeatTimer) == kNobody);
  CHECK(member.sent() == Sent{{13, kHeartbeat}});
  CHECK(member.set(kBeatTimer) == 1.0);
  CHECK(member.heartbeat(11).set(kDeadlineTimer) == 3.0);
  CHECK(member.timer(kDeadlineTimer) == 11);

  CHECK(Member(10, kTimers).start().emitter() == 15);
  CHECK(Member(15, kTimers).start().observer() == 10);
  Member outside(16, kTimers);
  CHECK(outside.start().emitter() == kNobody);
  CHECK_FALSE(outside.set(kBeatTimer));
}

TEST_CASE("only the emitter's heartbeats count") {
  Member member(12, kTimers);
  member.start();
  for (const ActorId other : {10U, 12U, 13U, 15U, 99U})
    CHECK_FALSE(member.heartbeat(other).set(kDeadlineTimer));
}

TEST_CASE("a ring is mended by a request to the nearest member that lives as far as is known") {
  Member member(12, kTimers);
  member.start();
  CHECK(member.dead(11).sent() == Sent{{10, kHeartbeatRequest}});
  CHECK(member.emitter() == 10);
  CHECK(member.set(kDeadlineTimer) == 3 + 2);
  CHECK_FALSE(member.heartbeat(11).set(kDeadlineTimer));
  CHECK(member.heartbeat(10).set(kDeadlineTimer) == 3.0);

  CHECK(member.dead(15).sent().empty());  // not its emitter: another member mends there
  CHECK(member.dead(14).sent().empty());
  CHECK(member.dead(11).sent().empty());
  CHECK(member.dead(10).sent() == Sent{{13, kHeartbeatRequest}});
  CHECK(member.emitter() == 13);
  CHECK(member.dead(13).sent().empty());  // it is alone
  CHECK(member.emitter() == kNobody);
  CHECK(member.cancelled(kBeatTimer));
  CHECK(member.cancelled(kDeadlineTimer));
}

TEST_CASE(
    "a member that is asked for heartbeats sends one at once, and from then on to the asking one") {
  Member member(12, kTimers);
  member.start();
  CHECK(member.request(15).sent() == Sent{{15, kHeartbeat}});
  CHECK(member.set(kBeatTimer) == 1.0);
  member.timer(kBeatTimer);
  CHECK(member.sent() == Sent{{15, kHeartbeat}});

  // 14 is nearer. It has asked before 15 did, which has found it dead since.
  CHECK(member.request(14).sent().empty());
  CHECK(member.observer() == 15);
  CHECK(member.request(10).observer() == 10);
  CHECK(member.request(99).observer() == 10);
}

TEST_CASE("with ticks, a heartbeat leaves at the first look at which it is due") {
  Member member(12, kTicks);
  member.start(0.25);
  CHECK(member.set(kBeatTimer) == 0.25);
  CHECK_FALSE(member.set(kDeadlineTimer));
  int heartbeats = 0;
  double now_s = 0.25;
  for (int tick = 0; tick < 91; ++tick, now_s += 0.1) {
    CHECK(member.at(now_s).heartbeat(11).timer(kBeatTimer) == kNobody);
    CHECK(member.set(kBeatTimer) == 0.1);
    if (member.sent().empty()) continue;
    CHECK(tick % 9 == 0);
    ++heartbeats;
  }
  CHECK(heartbeats == 11);
}

// The deadline of a new emitter begins at a look, so that 30 ticks later they meet, but for the
// rounding errors of the sum.
TEST_CASE("with ticks, a deadline of a whole number of ticks takes just as many at any time") {
  for (const double tick_s : {0.1, 0.05, 1e-4})
    for (double start_s = 0.001; start_s < 1e6; start_s *= 1.07) {
      RingTerms terms = kTicks;
      terms.period_s = 10 * tick_s;
      terms.tick_s = tick_s;
      terms.timeout_s = 20 * tick_s;
      terms.mending_grace_s = 10 * tick_s;
      terms.late_by_s = kNever;
      Member member(12, terms);
      member.start(0);
      member.at(start_s).dead(11);
      int ticks = 0;
      for (double now_s = start_s; member.at(now_s).timer(kBeatTimer) == kNobody; now_s += tick_s)
        ++ticks;
      INFO(start_s << ", " << tick_s);
      CHECK(ticks == 30);
    }
}

TEST_CASE(
    "a member that looks a whole period late looks once more, however the times are rounded") {
  for (double start_s = 0.001; start_s < 1e6; start_s *= 1.07) {
    Member member(12, kTicks);
    member.start(0);
    member.at(start_s).heartbeat(11);
    const double in_time_s = start_s + 2.5;
    double late_s = in_time_s;
    for (int tick = 0; tick < 10; ++tick) late_s += kTicks.tick_s;
    CHECK(member.at(in_time_s).timer(kBeatTimer) == kNobody);
    CHECK(member.at(late_s).timer(kBeatTimer) == kNobody);
    CHECK(member.at(late_s + kTicks.tick_s).timer(kBeatTimer) == 11);
  }
}

TEST_CASE("with ticks, a member is suspected at the first look behind the deadline") {
  Member member(12, kTicks);
  member.start(0.05);
  member.at(1).heartbeat(11);
  double now_s = 1.05;
  for (; now_s <= 4; now_s += 0.1) CHECK(member.at(now_s).timer(kBeatTimer) == kNobody);
  CHECK(member.at(now_s).timer(kBeatTimer) == 11);
}

TEST_CASE(
    "a member that looks at its clock late looks again before it suspects, if it was in time "
    "before") {
  Member member(12, kTicks);
  member.start(0);
  member.at(1).heartbeat(11);
  CHECK(member.at(3.9).timer(kBeatTimer) == kNobody);  // in time
  CHECK(member.at(5).timer(kBeatTimer) == kNobody);    // 1.1 periods late
  CHECK(member.at(5.1).timer(kBeatTimer) == 11);       // nothing has come meanwhile

  Member other(12, kTicks);
  other.start(0);
  other.at(1).heartbeat(11);
  other.at(3.9).timer(kBeatTimer);
  other.at(5).timer(kBeatTimer);
  other.heartbeat(11);  // had waited while the member did not run
  CHECK(other.at(5.1).timer(kBeatTimer) == kNobody);

  RingTerms strict = kTicks;
  strict.late_by_s = kNever;
  Member third(12, strict);
  third.start(0);
  third.at(1).heartbeat(11);
  third.at(3.9).timer(kBeatTimer);
  CHECK(third.at(5).timer(kBeatTimer) == 11);
}

TEST_CASE(
    "without ticks, a member that comes late to its deadline looks once more, and only once") {
  RingTerms terms = kTimers;
  terms.late_by_s = 0.1;
  terms.look_again_s = 0.1;
  Member member(12, terms);
  member.start();
  member.at(1).heartbeat(11);
  CHECK(member.at(4.11).timer(kDeadlineTimer) == kNobody);
  CHECK(member.set(kDeadlineTimer) == 0.1);
  CHECK(member.at(9).timer(kDeadlineTimer) == 11);  // late again, and nothing has come meanwhile

  Member other(12, terms);
  other.start();
  other.at(1).heartbeat(11);
  CHECK(other.at(4.11).timer(kDeadlineTimer) == kNobody);
  CHECK(other.heartbeat(11).set(kDeadlineTimer) == 3.0);  // had waited for the processor
  CHECK(other.at(7.3).timer(kDeadlineTimer) == kNobody);  // blames itself anew
  CHECK(other.at(7.4).timer(kDeadlineTimer) == 11);

  Member in_time(12, terms);
  in_time.start();
  in_time.at(1).heartbeat(11);
  CHECK(in_time.at(4.09).timer(kDeadlineTimer) == 11);
  Member strict(12, kTimers);
  strict.start();
  strict.at(1).heartbeat(11);
  CHECK(strict.at(4.11).timer(kDeadlineTimer) == 11);
}

namespace {

RingTerms rejoining() {
  RingTerms terms = kTimers;
  terms.rejoin = true;
  return terms;
}

}  // namespace

TEST_CASE("without rejoin, a later life has no place in the ring") {
  Member member(12, kTimers, 1);
  member.start();
  CHECK(member.emitter() == kNobody);
  CHECK_FALSE(member.is_joining());
  CHECK_FALSE(member.set(kBeatTimer));
  CHECK(member.request(13).sent().empty());

  Member other(13, kTimers);
  other.start().dead(12);
  CHECK(other.dead(12, 1).life_of(12) == Incarnation{12, 0});
}

TEST_CASE("a member that is started again asks for heartbeats once it has been asked itself") {
  Member member(12, rejoining(), 1);
  member.start();
  CHECK(member.is_joining());
  CHECK(member.set(kBeatTimer) == 1.0);  // to tell others again that it lives
  CHECK_FALSE(member.set(kDeadlineTimer));
  CHECK(member.dead(11).sent().empty());  // it hears what it has missed
  CHECK_FALSE(member.heartbeat(10).set(kDeadlineTimer));
  CHECK(member.timer(kBeatTimer) == kNobody);
  CHECK(member.sent().empty());

  CHECK(member.request(14).sent() == Sent{{14, kHeartbeat}, {10, kHeartbeatRequest}});
  CHECK_FALSE(member.is_joining());
  CHECK(member.set(kDeadlineTimer) == 3 + 2);
  CHECK(member.timer(kBeatTimer) == kNobody);
  CHECK(member.sent() == Sent{{10, kHeartbeatRequest}, {14, kHeartbeat}});  // asks again
  member.heartbeat(10);
  CHECK(member.timer(kBeatTimer) == kNobody);
  CHECK(member.sent() == Sent{{14, kHeartbeat}});
}

TEST_CASE("a member observes the later life of one nearer than its emitter, and asks it again") {
  Member member(14, rejoining());
  member.start().dead(13).dead(12);
  CHECK(member.emitter() == 11);
  CHECK(member.lives(15).sent().empty());  // on its other side
  CHECK(member.lives(12).sent() == Sent{{12, kHeartbeatRequest}});
  CHECK(member.emitter() == 12);
  CHECK(member.set(kDeadlineTimer) == 3 + 2);
  CHECK_FALSE(member.heartbeat(11).set(kDeadlineTimer));
  CHECK(member.announces(12).sent() == Sent{{12, kHeartbeatRequest}});
  CHECK(member.lives(12).sent().empty());  // is no news
  member.timer(kBeatTimer);
  CHECK(member.sent() == Sent{{12, kHeartbeatRequest}, {15, kHeartbeat}});
  CHECK(member.heartbeat(12, 0).set(kDeadlineTimer) == std::nullopt);  // of its first life
  CHECK(member.heartbeat(12, 1).set(kDeadlineTimer) == 3.0);
  CHECK(member.announces(12).sent().empty());
  CHECK(member.timer(kDeadlineTimer) == 12);
  CHECK(member.life_of(12) == Incarnation{12, 1});
}

TEST_CASE("old reports of a first life do not remove the second, and those of the second do") {
  Member member(14, rejoining());
  member.start().lives(13);  // it lives again before its death is told
  CHECK(member.sent() == Sent{{13, kHeartbeatRequest}});
  CHECK(member.dead(13, 0).sent().empty());
  CHECK(member.emitter() == 13);
  CHECK(member.dead(13, 1).sent() == Sent{{12, kHeartbeatRequest}});
  CHECK(member.lives(13, 1).emitter() == 12);  // news that come after the report
  CHECK(member.lives(13, 2).emitter() == 13);
}

TEST_CASE("the first request in a later life counts also if the observer is farther away") {
  Member member(12, rejoining());
  member.start().request(14);
  CHECK(member.request(13, 0).sent().empty());
  CHECK(member.lives(13).observer() == 14);  // which observes 12 until 13 asks
  CHECK(member.request(13, 1).sent() == Sent{{13, kHeartbeat}});
  CHECK(member.observer() == 13);
  member.request(14);  // has found 13 dead again
  CHECK(member.request(13, 1).observer() == 14);
  CHECK(member.request(13, 0).observer() == 14);
}

TEST_CASE("two neighbours that are started again at once find each other, and their neighbours") {
  Member one(12, rejoining(), 1);
  one.start();
  Member two(13, rejoining(), 1);
  two.start().lives(12);
  CHECK(two.sent().empty());
  one.lives(13);
  CHECK(two.request(14).sent() == Sent{{14, kHeartbeat}, {12, kHeartbeatRequest}});
  CHECK(one.request(13, 1).sent() == Sent{{13, kHeartbeat}, {11, kHeartbeatRequest}});
  CHECK(two.heartbeat(12, 1).set(kDeadlineTimer) == 3.0);
}

TEST_CASE("the last member of a ring takes in another one") {
  Member member(12, rejoining());
  member.start();
  for (const ActorId other : {10U, 11U, 13U, 14U, 15U}) member.dead(other);
  CHECK(member.emitter() == kNobody);
  CHECK(member.request(11).sent().empty());
  CHECK(member.lives(14).sent() == Sent{{14, kHeartbeatRequest}});
  CHECK(member.request(14, 1).sent() == Sent{{14, kHeartbeat}});
  CHECK(member.set(kBeatTimer) == 1.0);
}

TEST_CASE("a place in the ring is the same whatever has led to it") {
  Member one(12, kTimers);
  one.start().dead(11).dead(14).dead(10);
  Member other(12, kTimers);
  other.start(0.1).at(7).heartbeat(11).dead(10).dead(11).dead(14).heartbeat(15);
  CHECK(one.digest() == other.digest());
  other.request(15);
  CHECK(one.digest() != other.digest());
}

}  // namespace faultline::failure_detection
