// Was a program over when ranks died that do now again what they had done?

#include <catch2/catch.hpp>
#include <set>

#include "sim/audit/channel_ledgers.hpp"

using namespace faultline;

namespace {

constexpr Endpoint kZero{.rank = 0};
constexpr Endpoint kOne{.rank = 1};

/// Two ranks, the first of which sends to the second.
struct Program {
  ChannelLedgers ledgers{2};
  std::set<Rank> active;

  void send() { ledgers.sent(0, kZero, kOne, {}); }
  void consume() { ledgers.consumed(1, kZero, kOne, {}); }
  void die(Rank rank) {
    ledgers.died(rank, active.contains(rank));
    ledgers.put_back(rank, {});
    active.insert(rank);  // it begins anew
  }
  [[nodiscard]] bool was_over() const {
    return ledgers.was_over([this](Rank rank) { return active.contains(rank); });
  }
};

}  // namespace

TEST_CASE("a program was over if all that was sent had been consumed when a rank died") {
  for (const Rank dead : {0U, 1U}) {
    Program program;
    program.send();
    program.consume();
    program.die(dead);
    CHECK(program.was_over());
  }
}

TEST_CASE("a program was not over while a message was under way, or a rank had to compute") {
  Program sent;
  sent.send();
  sent.die(0);
  CHECK(!sent.was_over());
  Program computing;
  computing.active.insert(1);
  computing.die(1);
  CHECK(!computing.was_over());
  Program other;
  other.active.insert(0);
  other.die(1);
  CHECK(!other.was_over());
}

TEST_CASE("a rank that does more than it had done is judged by that") {
  Program program;
  program.die(0);
  program.send();
  CHECK(!program.was_over());
  program.consume();
  CHECK(!program.was_over());
  program.active.clear();
  CHECK(program.was_over());
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
  CHECK(program.was_over());
}
