// SPDX-License-Identifier: Apache-2.0

// When a protocol of message logging may give up, as an observer judges it.

#include "analysis/lemmas/recovery_promise.hpp"

#include <catch2/catch.hpp>

namespace faultline::lemmas {

namespace {

constexpr RecoveryPromise kOneAtATime{.survives_overlaps = false};
constexpr RecoveryPromise kSeveral{.survives_overlaps = true};

/// A run of four ranks, told sight by sight.
class ToldRun {
 public:
  ToldRun() : log_(4, protocol()) {}

  ToldRun& dies(Rank rank) { return see(audit::Sight::Kind::died, rank); }
  ToldRun& restarts(Rank rank) { return see(audit::Sight::Kind::restarted, rank); }
  ToldRun& recovers(Rank rank) {
    log_.see({.kind = audit::Sight::Kind::mark, .actor = rank, .text = "recovered"});
    return *this;
  }
  ToldRun& agrees(Rank rank) { return gets(rank, 2, kNobody, 0); }
  ToldRun& has_its_image(Rank rank) { return gets(rank, 1, kNobody, 0); }
  /// `incarnation` of `from` sends its image, which comes.
  ToldRun& keeps(Rank keeper, Rank from, std::uint16_t incarnation = 0) {
    Message image = message(0, from, incarnation);
    log_.see({.kind = audit::Sight::Kind::sent, .actor = from, .message = &image});
    log_.see({.kind = audit::Sight::Kind::received, .actor = keeper, .message = &image});
    return *this;
  }
  [[nodiscard]] bool may_give_up(const RecoveryPromise& promise, const char* reason = "") const {
    engine::RunResult result;
    result.fatal_reason = reason;
    result.outcome = engine::Outcome::fatal_reported;
    return !against_recovery(promise, result, log_);
  }

 private:
  static const Registration& protocol() {
    static const Registration made = [] {
      Registration registration;
      registration.message_kinds = {"image", "your-image", "agreed"};
      return registration;
    }();
    return made;
  }
  static Message message(std::uint16_t kind, Rank from, std::uint16_t incarnation) {
    Message message;
    message.channel = Family::message_logging;
    message.kind = static_cast<std::uint8_t>(kind);
    message.from = from;
    message.from_incarnation = incarnation;
    return message;
  }
  ToldRun& see(audit::Sight::Kind kind, Rank rank) {
    log_.see({.kind = kind, .actor = rank});
    return *this;
  }
  ToldRun& gets(Rank rank, std::uint16_t kind, Rank from, std::uint16_t incarnation) {
    const Message told = message(kind, from, incarnation);
    log_.see({.kind = audit::Sight::Kind::received, .actor = rank, .message = &told});
    return *this;
  }

  RecoveryLog log_;
};

}  // namespace

TEST_CASE("one death is no reason to give up") {
  CHECK_FALSE(ToldRun().keeps(2, 1).dies(1).may_give_up(kOneAtATime));
  CHECK_FALSE(ToldRun().keeps(2, 1).dies(2).may_give_up(kOneAtATime));
}

TEST_CASE("a protocol that replays in an order may give up if recoveries overlap") {
  ToldRun run;
  run.keeps(2, 1).dies(1).restarts(1).dies(0);
  CHECK(run.may_give_up(kOneAtATime));
  CHECK_FALSE(run.may_give_up(kSeveral));
  // That is no proof that an image is lost.
  CHECK_FALSE(run.may_give_up(kOneAtATime, "a rank has died, and so has the keeper of its image"));
  ToldRun later;
  later.keeps(2, 1).dies(1).restarts(1).recovers(1).dies(0);
  CHECK_FALSE(later.may_give_up(kOneAtATime));
}

TEST_CASE("everybody may give up if a rank and the keeper of its image are dead") {
  CHECK(ToldRun().keeps(2, 1).dies(1).dies(2).may_give_up(kSeveral));
  CHECK(ToldRun().keeps(2, 1).dies(2).restarts(2).recovers(2).dies(1).may_give_up(kSeveral));
  CHECK_FALSE(ToldRun().keeps(2, 1).dies(1).dies(3).may_give_up(kSeveral));
}

TEST_CASE("an image that was copied anew is not lost") {
  ToldRun keeper;
  keeper.keeps(2, 1).dies(2).restarts(2).agrees(1).keeps(2, 1).dies(1);
  CHECK_FALSE(keeper.may_give_up(kSeveral));
  ToldRun client;
  client.keeps(2, 1).dies(1).restarts(1).has_its_image(1).dies(2);
  CHECK_FALSE(client.may_give_up(kSeveral));
}

TEST_CASE("nobody may give up for an image that was not copied anew though it had to be") {
  ToldRun forgotten;
  forgotten.keeps(2, 1).dies(2).restarts(2).agrees(2).agrees(1).dies(1);
  CHECK_FALSE(forgotten.may_give_up(kSeveral));
  // What the rank has heard of may have been an earlier restart.
  CHECK(ToldRun().keeps(2, 1).dies(2).restarts(2).agrees(1).dies(1).may_give_up(kSeveral));
}

TEST_CASE("an image of a checkpoint that has become void does not count") {
  ToldRun before_agreement;
  before_agreement.keeps(2, 1).dies(2).restarts(2).keeps(2, 1).dies(1);
  CHECK(before_agreement.may_give_up(kSeveral));
  ToldRun of_the_dead;
  of_the_dead.keeps(2, 1).dies(1).agrees(1).keeps(2, 1, 0).dies(2);
  CHECK(of_the_dead.may_give_up(kSeveral));
}

TEST_CASE("a run that nobody is left of is judged by nothing") {
  ToldRun run;
  run.keeps(2, 1).dies(0).dies(1).dies(2).dies(3);
  CHECK(run.may_give_up(kSeveral));
}

}  // namespace faultline::lemmas
