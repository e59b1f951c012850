// SPDX-License-Identifier: Apache-2.0

// Was a program over before ranks went back that do now again what they had done?

#include <catch2/catch.hpp>
#include <set>

#include "sim/audit/channel_ledgers.hpp"

namespace faultline::audit {

namespace {

constexpr Endpoint kZero{.rank = 0};
constexpr Endpoint kOne{.rank = 1};

/// Two ranks, the first of which sends to the second.
struct Program {
  ChannelLedgers ledgers{2};
  std::set<Rank> active;

  void send(std::uint32_t content = 0) { ledgers.sent(0, kZero, kOne, saying(content)); }
  void consume(std::uint32_t content = 0) { ledgers.consumed(1, kZero, kOne, saying(content)); }
  static Message saying(std::uint32_t content) {
    Message message;
    message.payload.put(content);
    return message;
  }
  void die(Rank rank) {
    go_back(rank, {});
    active.insert(rank);  // it begins anew
  }
  /// To an image in which it had nothing to do, whether it has died or lives.
  void go_back(Rank rank, const RankLedger& image) {
    ledgers.goes_back(rank, active.contains(rank));
    ledgers.put_back(rank, image);
    active.erase(rank);
  }
  [[nodiscard]] bool was_over(Rank by) const {
    return ledgers.was_over(by, [this](Rank rank) { return active.contains(rank); });
  }
};

}  // namespace

TEST_CASE("a program was over if all that was sent had been consumed when a rank died") {
  for (const Rank dead : {0U, 1U}) {
    Program program;
    program.send();
    program.consume();
    program.die(dead);
    CHECK(program.was_over(1 - dead));
    CHECK(!program.was_over(dead));  // it has still to do all again, and announces nothing
  }
}

TEST_CASE("a program was not over while a message was under way, or a rank had to compute") {
  Program sent;
  sent.send();
  sent.die(0);
  CHECK(!sent.was_over(1));
  Program computing;
  computing.active.insert(1);
  computing.die(1);
  CHECK(!computing.was_over(0));
  Program other;
  other.active.insert(0);
  other.die(1);
  CHECK(!other.was_over(0));
}

TEST_CASE("a rank that does more than it had done is judged by that") {
  Program program;
  program.die(0);
  program.send();
  CHECK(!program.was_over(1));
  program.consume();
  CHECK(!program.was_over(1));
  program.active.clear();
  CHECK(program.was_over(1));
}

TEST_CASE("a rank that dies while it does things again has still done them") {
  Program program;
  program.send();
  program.send();
  program.consume();
  program.consume();
  program.die(0);
  program.send();
  program.die(0);
  CHECK(program.was_over(1));
}

// All ranks go back to a checkpoint because one of them has died, one after another. A rank that
// has not yet heard of that can announce the end, which had come before.
TEST_CASE("a program was over if others have been put back, and the announcing rank has not") {
  for (const Rank first : {0U, 1U}) {
    Program program;
    program.send();
    program.consume();
    const RankLedger images[] = {program.ledgers.of(0), program.ledgers.of(1)};
    program.send();
    program.consume();
    program.go_back(first, images[first]);
    CHECK(program.was_over(1 - first));
    program.go_back(1 - first, images[1 - first]);
    CHECK(!program.was_over(1 - first));  // it is about to send or consume once more
    CHECK(!program.was_over(first));
    program.send();
    program.consume();
    CHECK(program.was_over(first));
  }
}

TEST_CASE("a program was not over if a rank was put back while it had something to do") {
  Program computing;
  computing.send();
  computing.consume();
  computing.active.insert(1);
  computing.go_back(1, {});
  CHECK(!computing.was_over(0));
  Program sent;
  sent.send();
  sent.go_back(0, {});
  CHECK(!sent.was_over(1));
}

// A program that depends on the order of its messages does other things when it does them again.
TEST_CASE("a program was over if it came to another end after an earlier death") {
  for (const Rank dead : {0U, 1U}) {
    Program program;
    program.send(1);
    program.consume(1);
    program.go_back(0, {});
    program.go_back(1, {});
    program.send(2);
    program.consume(2);
    CHECK(program.was_over(0));
    program.die(dead);
    CHECK(program.was_over(1 - dead));
  }
}

TEST_CASE("a program was over if a rank has not gone back yet, and another has done it all again") {
  Program program;
  program.send(1);
  program.consume(1);
  program.go_back(0, {});
  program.send(2);
  CHECK(program.was_over(1));  // which stands on the first message
  program.active.insert(1);
  CHECK(!program.was_over(1));
}

TEST_CASE("a program was not over if its ranks stand on different histories") {
  Program program;
  program.send(1);
  program.consume(1);
  program.go_back(0, {});
  program.go_back(1, {});
  program.send(2);
  program.send(3);
  program.consume(2);
  CHECK(!program.was_over(0));
  CHECK(!program.was_over(1));
}

}  // namespace faultline::audit
